"""Test that a change of the code changes no number: `make same-bytes BASE=REV`."""
