"""What policies that sample from posteriors share."""
