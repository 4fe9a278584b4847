"""Interleaving methods, one a file: how a page is filled, and which ranker its clicks credit."""
