"""Policies that play in a few batches, each planned before any of its outcomes is known."""
