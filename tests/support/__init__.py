"""Builders, checks and data that several tests share."""
