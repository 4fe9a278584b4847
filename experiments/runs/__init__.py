"""Runs of policies on a problem: played, kept as records, summarised and compared."""
