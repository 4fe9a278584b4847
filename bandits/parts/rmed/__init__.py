"""Parts of the RMED policies, for Condorcet and for Copeland winners."""
