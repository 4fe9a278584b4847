"""Dueling-bandit policies, one per file, and the one loop that plays them.

To add a policy: write its file, add it to POLICIES; tests/bandits/test_every_policy.py finds it there.
"""

from __future__ import annotations

from typing import Any

from bandits import rucb
from bandits.checkpoints import checkpoints
from bandits.loop import PolicyNotice, Trace
from bandits.matrix import checked_prefs, condorcet_winner, gaps, lower_bound
from bandits.playing import play_matrix
from bandits.policy import Configured, Policy, PolicyError, Setting, configure, suggest

__all__ = [
    "POLICIES",
    "Configured",
    "Policy",
    "PolicyError",
    "PolicyNotice",
    "Setting",
    "Trace",
    "checked_prefs",
    "checkpoints",
    "condorcet_winner",
    "gaps",
    "lower_bound",
    "play_matrix",
    "policy",
]

POLICIES = {module.POLICY.name: module.POLICY for module in (rucb,)}


def policy(name: str, **settings: Any) -> Configured:
    """A policy by name, e.g. policy("rucb", alpha=0.6); unknown names and parameters are refused."""
    return configure(suggest(name, POLICIES, "policy"), **settings)
