"""Policies that compare a set of arms in each step, as multileaving does."""
