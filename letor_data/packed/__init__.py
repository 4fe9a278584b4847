"""Compressed and archived files as streams of bytes, and which files of a folder or archive are read."""
