"""Dueling-bandit policies, one per file, and the loop that plays all of them."""

from rankduel.bandits.catalogue import POLICIES, configure, policy
from rankduel.bandits.contract import Policy
from rankduel.bandits.matrix_duels import checked_prefs, condorcet_winner, gaps, lower_bound
from rankduel.bandits.matrix_runs import play_matrix
from rankduel.bandits.own_file import load_policy
from rankduel.bandits.stepper import Stepper, restore, start
from rankduel.bandits.steps import checkpoints
from rankduel.bandits.trace import Trace
from rankduel.base.errors import PolicyError, PolicyNotice
from rankduel.base.settings import Configured, Setting

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
