"""Parts of policies that compare two arms in a match, and of policies that count wins per arm."""
