"""Parts of policies that decide between two arms by a match, and of policies that count wins."""
