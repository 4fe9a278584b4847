"""Policies that play in a few batches, each fixed before any of its outcomes is seen."""
