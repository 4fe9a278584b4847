"""Judging sessions: which of two items is better, asked of people."""
