"""What several policies share, each file named by what it holds."""
