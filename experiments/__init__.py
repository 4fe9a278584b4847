"""Experiments: preference matrices, runs, studies, reports, and the command line."""

from experiments.running import run

__all__ = ["run"]
