"""Compressed and archived files as streams of bytes, and selection of files in folders and archives."""
