"""Experiments: preference matrices, runs, studies, reports, and the command line."""

from experiments.runs.run import run

__all__ = ["run"]
