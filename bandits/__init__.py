"""Dueling-bandit policies, one per file, and the one loop that plays them."""

from bandits.checkpoints import checkpoints
from bandits.loop import PolicyNotice, Trace
from bandits.matrix import checked_prefs, condorcet_winner, gaps, lower_bound
from bandits.own_file import load_policy
from bandits.playing import play_matrix
from bandits.policy import Configured, Policy, PolicyError, Setting, configure
from bandits.registry import POLICIES, policy
from bandits.stepping import Stepper, restore, start

__all__ = [
    "POLICIES",
    "Configured",
    "Policy",
    "PolicyError",
    "PolicyNotice",
    "Setting",
    "Stepper",
    "Trace",
    "checked_prefs",
    "checkpoints",
    "condorcet_winner",
    "configure",
    "gaps",
    "load_policy",
    "lower_bound",
    "play_matrix",
    "policy",
    "restore",
    "start",
]
