"""Winners of a preference matrix by several notions, total orders, cycles and transitivity."""
