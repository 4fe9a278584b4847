"""Families of preference matrices, one per file. A file that defines FAMILY adds a family."""
