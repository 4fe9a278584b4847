"""Simulated users: tables of click and stop probabilities, and the kernels that play them."""
