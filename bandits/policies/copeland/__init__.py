"""Policies for Copeland winners: the arms that beat the most others."""
