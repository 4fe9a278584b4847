"""Measures of the literature, one per file. A file that defines MEASURE adds a measure."""
