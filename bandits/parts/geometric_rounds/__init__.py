"""Parts of policies that play in batches of geometrically growing size."""
