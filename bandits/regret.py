"""Regret, computed from the counts of a run and a loss per arm.

The losses are those of the notions of regret in the literature, each with the scaling of its source. The
regret of a step is the mean of the losses of its two arms, so a different scaling is a factor of the loss.
Arm i beats arm j if p[i, j] > 1/2; a tie is neither a win nor a loss.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from rankduel.bandits.matrix_duels import condorcet_winner, gaps
from rankduel.bandits.trace import Trace
from rankduel.base.errors import UsageError
from rankduel.base.settings import find


def strong_regret(trace: Trace, loss: np.ndarray) -> np.ndarray:
    """Return the mean loss of the two arms, summed over steps (Yue et al. 2012)."""
    return 0.5 * trace.duels @ loss + trace.selves @ loss


def weak_regret(trace: Trace, loss: np.ndarray) -> np.ndarray:
    """Return the smaller loss of the two arms, summed over steps; the run must be played with `loss`."""
    return trace.better @ loss + trace.selves @ loss


def strong_binary_regret(trace: Trace, winner: int) -> np.ndarray:
    """Return the number of steps in which an arm other than `winner` was played (Chen and Frazier 2017)."""
    return trace.steps - trace.selves[:, winner]


def informative_steps(trace: Trace) -> np.ndarray:
    """Return the number of steps in which two different arms were compared."""
    return trace.duels.sum(axis=1) // 2


_ROUNDING = 1e-12  # smaller losses are rounding errors


def _wins_lacking(prefs: np.ndarray) -> np.ndarray:
    """Return, for each arm, how many fewer arms it beats than the arm that beats most."""
    wins = (prefs > 0.5).sum(axis=1)
    return (wins.max() - wins).astype(float)


def _copeland(prefs: np.ndarray) -> np.ndarray:
    return _wins_lacking(prefs) / max(1, len(prefs) - 1)


def _copeland_sum(prefs: np.ndarray) -> np.ndarray:
    return 2.0 * _copeland(prefs)


def _copeland_per_arm(prefs: np.ndarray) -> np.ndarray:
    return 2.0 * _wins_lacking(prefs) / len(prefs)


def _copeland_losses(prefs: np.ndarray) -> np.ndarray:
    losses = (prefs < 0.5).sum(axis=1)
    return (losses - losses.min()) / max(1, len(prefs) - 1)


def _borda(prefs: np.ndarray) -> np.ndarray:
    chances = prefs.sum(axis=1) - 0.5
    return (chances.max() - chances) / max(1, len(prefs) - 1)


class Notion(NamedTuple):
    """A notion of regret: the loss of each arm of a preference matrix."""

    about: str
    source: str
    losses: Callable[[np.ndarray], np.ndarray]


NOTIONS = {
    "condorcet": Notion(
        "1/2 minus the arm's probability of beating the Condorcet winner",
        "Yue, Broder, Kleinberg, Joachims 2012 (JCSS)",
        gaps,
    ),
    "copeland": Notion(
        "difference to the best arm in the share of other arms that the arm beats",
        "Wu, Liu 2016 (NIPS); Li, Markov, de Rijke, Zoghi 2020 (TOIS)",
        _copeland,
    ),
    "copeland-sum": Notion(
        "sum instead of mean over the two arms of a duel: twice 'copeland'",
        "Zoghi, Karnin, Whiteson, de Rijke 2015 (NIPS); Zoghi 2017 (thesis), experiments; Yan 2022 (thesis)",
        _copeland_sum,
    ),
    "copeland-per-arm": Notion(
        "as 'copeland-sum', with numbers of arms divided by K instead of K - 1",
        "Zoghi 2017 (thesis), equation 2.4",
        _copeland_per_arm,
    ),
    "copeland-losses": Notion(
        "difference to the best arm in the share of other arms that beat the arm; 'copeland' if no arms tie",
        "Komiyama, Honda, Nakagawa 2016 (ICML)",
        _copeland_losses,
    ),
    "borda": Notion(
        "difference to the best arm in the mean probability of beating another arm",
        "Urvoy, Clerot, Feraud, Naamane 2013 (ICML)",
        _borda,
    ),
}


def usual_notion(prefs: np.ndarray) -> str:
    """Return 'condorcet' if there is a Condorcet winner, otherwise 'copeland'."""
    return "condorcet" if condorcet_winner(prefs) >= 0 else "copeland"


def losses_by(notion: str, prefs: np.ndarray) -> np.ndarray:
    """Return the loss of each arm, (K,) float; 0 for the winners by this notion."""
    return find(notion, NOTIONS, "notion of regret", UsageError).losses(prefs)


def winners_by(notion: str, prefs: np.ndarray) -> np.ndarray:
    """Return which arms have no loss by this notion, (K,) bool."""
    return losses_by(notion, prefs) <= _ROUNDING
