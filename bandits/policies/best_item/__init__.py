"""Policies that find the best item, or the best few items, in few comparisons."""
