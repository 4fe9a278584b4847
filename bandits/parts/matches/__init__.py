"""What policies that decide between two arms by a match share."""
