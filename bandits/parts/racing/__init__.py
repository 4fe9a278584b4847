"""What policies that race pairs until their signs are known share."""
