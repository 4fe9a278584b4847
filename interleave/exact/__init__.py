"""Exact probabilities of losing, tying and winning a duel, without simulation."""
