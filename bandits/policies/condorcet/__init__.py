"""Policies for the Condorcet winner: the arm that beats every other."""
