"""Policies that look for the best item, or the best few, in few comparisons."""
