"""Measures of the literature, one a file. A new file with a MEASURE is a new measure."""
