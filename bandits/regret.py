"""Regret from the counts of a run, for any loss per arm; exact products, no running sums.

The losses are those of the notions of regret in use, with the scalings of their sources. The regret of a step
is the mean of the two arms' losses, so every scaling is a factor of the loss. "i beats j" means
p[i, j] > 1/2; a tie is neither a win nor a loss.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from bandits.matrix_duels import condorcet_winner, gaps
from bandits.trace import Trace
from rankduel.base.errors import UsageError
from rankduel.base.settings import find


def strong_regret(trace: Trace, loss: np.ndarray) -> np.ndarray:
    """The mean loss of the two arms, summed over steps (Yue et al. 2012)."""
    return 0.5 * trace.duels @ loss + trace.selves @ loss


def weak_regret(trace: Trace, loss: np.ndarray) -> np.ndarray:
    """The smaller loss of the two arms, summed over steps; `loss` must be the one the run was played with."""
    return trace.better @ loss + trace.selves @ loss


def strong_binary_regret(trace: Trace, winner: int) -> np.ndarray:
    """Steps in which a non-winner took part (Chen and Frazier 2017)."""
    return trace.steps - trace.selves[:, winner]


def informative_steps(trace: Trace) -> np.ndarray:
    """Steps that were a real duel."""
    return trace.duels.sum(axis=1) // 2


_NOTHING = 1e-12  # losses below this are rounding


def _wins_lacking(prefs: np.ndarray) -> np.ndarray:
    """How many fewer arms each beats than who beats most."""
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
    about: str
    source: str
    losses: Callable[[np.ndarray], np.ndarray]


NOTIONS = {
    "condorcet": Notion(
        "how far the arm's chance against the Condorcet winner is below one half",
        "Yue, Broder, Kleinberg, Joachims 2012 (JCSS)",
        gaps,
    ),
    "copeland": Notion(
        "share of all others that the best arm beats and this one does not",
        "Wu, Liu 2016 (NIPS); Li, Markov, de Rijke, Zoghi 2020 (TOIS)",
        _copeland,
    ),
    "copeland-sum": Notion(
        "the same, added up over the two arms: twice 'copeland'",
        "Zoghi, Karnin, Whiteson, de Rijke 2015 (NIPS); Zoghi 2017 (thesis), experiments; Yan 2022 (thesis)",
        _copeland_sum,
    ),
    "copeland-per-arm": Notion(
        "the same sum of numbers of arms, over K and not K - 1",
        "Zoghi 2017 (thesis), equation 2.4",
        _copeland_per_arm,
    ),
    "copeland-losses": Notion(
        "share of all others that beat this arm and not the best one: less than 'copeland' with ties",
        "Komiyama, Honda, Nakagawa 2016 (ICML)",
        _copeland_losses,
    ),
    "borda": Notion(
        "how far the arm's mean chance against the others is below the largest",
        "Urvoy, Clerot, Feraud, Naamane 2013 (ICML)",
        _borda,
    ),
}


def usual_notion(prefs: np.ndarray) -> str:
    """Condorcet regret where there is a Condorcet winner, Copeland regret elsewhere."""
    return "condorcet" if condorcet_winner(prefs) >= 0 else "copeland"


def losses_by(notion: str, prefs: np.ndarray) -> np.ndarray:
    """(K,) the loss of each arm; zero for the winners by this notion."""
    return find(notion, NOTIONS, "notion of regret", UsageError).losses(prefs)


def winners_by(notion: str, prefs: np.ndarray) -> np.ndarray:
    """(K,) bool: the arms without a loss."""
    return losses_by(notion, prefs) <= _NOTHING
