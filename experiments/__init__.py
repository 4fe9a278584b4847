"""Experiments: preference matrices, runs, studies, reports, and the command line."""
