"""Multileaving methods, one a file: how a page is filled, and who earns its clicks."""
