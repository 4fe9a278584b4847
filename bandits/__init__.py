"""Dueling-bandit policies, one per file, and the one loop that plays them."""
