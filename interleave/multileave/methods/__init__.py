"""Multileaving methods, one a file: how a page is filled, and which rankers its clicks credit."""
