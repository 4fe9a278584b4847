"""Policies that compare whole sets of arms at once, as multileaving does."""
