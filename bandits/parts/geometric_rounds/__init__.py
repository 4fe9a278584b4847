"""What policies with batches that grow geometrically share."""
