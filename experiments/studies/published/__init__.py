"""Published experiments, one study a file."""
