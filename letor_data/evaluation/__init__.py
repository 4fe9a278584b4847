"""Measures of rankings of judged documents, as exact expectations over random tie breaks."""
