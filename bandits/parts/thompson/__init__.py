"""Parts of policies that sample from posteriors."""
