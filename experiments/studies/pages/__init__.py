"""Pages about studies: figures, captions, an HTML page, and docs/reproduction.md."""
