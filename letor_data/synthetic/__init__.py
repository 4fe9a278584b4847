"""Synthetic judged data in the shapes of published collections."""
