"""Simulate duels of two rankers, or compute their odds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from rankduel.base.arguments import check_type
from rankduel.base.errors import UsageError
from rankduel.base.settings import find
from rankduel.base.streams import checked_seed
from rankduel.experiments.arena import Arena
from rankduel.interleave import duel_counts
from rankduel.interleave.exact.dispatch import mean_odds


class Outcomes(NamedTuple):
    """Numbers or probabilities of duels that the first ranker loses, ties and wins."""

    loss: float
    tie: float
    win: float

    def to_pandas(self) -> pd.DataFrame:
        """Return one row with the columns ``loss``, ``tie`` and ``win``."""
        return pd.DataFrame([self._asdict()])

    def to_dict(self) -> dict[str, float]:
        """Return the values by name."""
        return self._asdict()


def play_duels(arena: Arena, first: str, second: str, duels: int = 1000, *, seed: int = 0) -> Outcomes:
    """Simulate duels of two rankers: interleave a page, simulate clicks, and credit the rankers.

    Parameters
    ----------
    arena : Arena
        Data, rankers, interleaving method and user, from `open_arena`.
    first, second : str
        Names of two rankers of the arena.
    duels : int, default 1000
        Number of duels.
    seed : int, default 0
        Seed of all random numbers.

    Returns
    -------
    Outcomes
        Numbers of duels that `first` lost, tied and won.

    Examples
    --------
    >>> data = rankduel.synthetic_data("small", queries=20)
    >>> arena = rankduel.open_arena(data, rankers="110,16", interleave="team_draft", clicks="perfect")
    >>> outcomes = rankduel.play_duels(arena, "110", "16", 10_000, seed=1)
    >>> int(sum(outcomes)), outcomes.win > outcomes.loss
    (10000, True)
    """
    if duels != int(duels) or duels < 1:
        raise UsageError(f"duels is {duels}; expected a whole number from 1")
    pair = _pair(arena, first, second)
    users = np.random.default_rng(checked_seed(seed))
    counts = duel_counts.play_duels(arena.world(), arena.interleaving, *pair, int(duels), users)
    return Outcomes(*counts.tolist())


def duel_odds(arena: Arena, first: str, second: str, *, draws: int = 1, seed: int = 0) -> Outcomes:
    """Compute the probabilities that one ranker loses, ties and wins against another.

    They are exact if the interleaving method has a closed form and no tie between documents matters.
    Otherwise pages or ties are drawn, and the exact odds given each draw are averaged.

    Parameters
    ----------
    arena : Arena
        Data, rankers, interleaving method and user, from `open_arena`.
    first, second : str
        Names of two rankers of the arena.
    draws : int, default 1
        Number of draws per query, if the odds are not exact.
    seed : int, default 0
        Seed of these draws.

    Returns
    -------
    Outcomes
        Probabilities that `first` loses, ties and wins.

    Raises
    ------
    RankduelError
        If the method has no odds for pages of this length.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"qid": [1, 1, 1], "label": [2, 1, 0], "good": [3, 2, 1], "bad": [1, 2, 3]})
    >>> data = rankduel.Letor.from_pandas(frame)
    >>> arena = rankduel.open_arena(data, interleave="team_draft", length=2)
    >>> odds = rankduel.duel_odds(arena, "good", "bad")
    >>> round(odds.win, 3), round(sum(odds), 3)
    (0.924, 1.0)
    """
    pair = _pair(arena, first, second)
    users = np.random.default_rng(checked_seed(seed))
    return Outcomes(*mean_odds(arena.world(), arena.interleaving, *pair, users, draws=draws).tolist())


def _pair(arena: Arena, first: str, second: str) -> tuple[int, int]:
    check_type("arena", arena, Arena, "what open_arena returns")
    places = {name: place for place, name in enumerate(arena.rankings.names)}
    return find(first, places, "ranker"), find(second, places, "ranker")
