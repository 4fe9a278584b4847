"""What the commands print. Loaded by a command that runs, so that help and usage errors come at once."""
