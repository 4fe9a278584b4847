"""Proof that a change of the code changed no number: `make same-bytes BASE=REV`."""
