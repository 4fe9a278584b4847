"""Interleaving: two rankings become one page, and clicks on it become a winner."""
