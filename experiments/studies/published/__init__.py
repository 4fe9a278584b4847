"""Published experiments, one study per file."""
