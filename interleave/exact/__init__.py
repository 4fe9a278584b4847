"""Exact probabilities to lose, tie and win a duel, without simulation."""
