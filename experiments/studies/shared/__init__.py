"""What several published studies share."""
