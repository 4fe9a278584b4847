"""Parts of policies that compare pairs until it is known which arm of each pair is better."""
