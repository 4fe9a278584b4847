"""What the RMED policies share, for Condorcet and for Copeland winners."""
