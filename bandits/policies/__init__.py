"""Policies by the question they answer, one policy a file."""
