"""Experiments: preference matrices, winners, runs, judging sessions, reports and studies."""
