"""`winners`: the winners of a preference matrix by several notions, and how certain they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rankduel.base.notebook import few, html_repr
from rankduel.base.results import plain
from rankduel.experiments.matrix.preferences import Preferences, choose_preferences
from rankduel.experiments.winners.bounds import RegretBounds, regret_bounds
from rankduel.experiments.winners.certainty import Joint, joint
from rankduel.experiments.winners.notions import Scores, all_scores, ranker_table, winner_sets
from rankduel.experiments.winners.random_subsets import Subsets, winner_subsets
from rankduel.experiments.winners.resampling import USUAL, Resampled, resampled_winners
from rankduel.experiments.winners.summary import summary_of
from rankduel.experiments.winners.verdict import Verdict, verdict_of
from rankduel.experiments.winners.wording import (
    certainty_rows,
    margin_rows,
    order_rows,
    winner_rows,
)


@dataclass(frozen=True, eq=False, repr=False)
class Winners:
    """Winners of a preference matrix, and how certain they are; made by `winners`."""

    preferences: Preferences
    scores: Scores
    drawn: Resampled | None  # winners over resampled queries
    subsets: Subsets | None
    bounds: RegretBounds | None

    @cached_property
    def sets(self) -> dict[str, list[str]]:
        """Names of the winners, by notion."""
        return winner_sets(self.preferences, self.scores)

    @cached_property
    def rankers(self) -> pd.DataFrame:
        """One row per ranker, in Copeland order: its score by every notion."""
        return ranker_table(self.preferences, self.scores)

    @cached_property
    def verdict(self) -> Verdict:
        """The winner and its certainty, in sentences."""
        return verdict_of(self.preferences, self.drawn)

    @cached_property
    def summary(self) -> dict[str, Any]:
        """All results of the matrix as plain values: orders, cycles, transitivity, certainty."""
        return summary_of(self.preferences, self.drawn)

    @property
    def resampled(self) -> pd.DataFrame | None:
        """One row per ranker: share of resamples that it wins, by notion; None if that is not known."""
        return None if self.drawn is None else self.drawn.shares

    @cached_property
    def joint(self) -> Joint:
        """The preferences with simultaneous intervals, and their joint confidence."""
        return joint(self.preferences)

    @cached_property
    def statements(self) -> dict[str, dict[str, str]]:
        """Short texts by name, in the sections winners, margins, order and certainty."""
        found = {"winners": winner_rows(self.preferences, self.scores)}
        if len(self.preferences) == 1:
            return found
        found |= {"margins": margin_rows(self.preferences), "order": order_rows(self.preferences)}
        return found | {"certainty": certainty_rows(self.joint)}

    def to_pandas(self) -> pd.DataFrame:
        """Return one row per ranker: its scores and, by notion, the share of resamples that it wins."""
        if self.drawn is None:
            return self.rankers
        shares = self.drawn.shares.add_prefix("resampled_").rename(columns={"resampled_ranker": "ranker"})
        return self.rankers.merge(shares)

    def to_dict(self) -> dict[str, Any]:
        """Return all values, including those that are not printed, as plain Python objects."""
        values: dict[str, Any] = plain(self.summary)
        if self.bounds is not None:
            values["bounds"] = self.bounds.to_dict()
        return values if self.subsets is None else values | self.subsets.to_dict()

    def __repr__(self) -> str:
        return f"Winners({self.verdict.won!r})"

    def _repr_html_(self) -> str:
        facts = {"verdict": self.verdict.won} | {name: few(names) for name, names in self.sets.items()}
        return html_repr("Winners", facts)


def winners(
    preferences: Preferences | np.ndarray | str | Path,
    *,
    rankers: str = "",
    resamples: int = USUAL,
    subsets: bool = False,
    samples: int = 20_000,
    overlap_samples: int = 100,
    sizes: Sequence[int] | None = None,
    bounds: float | None = None,
    alpha: float = 1.01,
    seed: int = 0,
    scheduler: str | None = None,
) -> Winners:
    """Find the winners of a preference matrix by several notions, and how certain they are.

    A result is certain if it holds for these queries whenever the intervals of all pairs hold together.
    Whether it would hold for similar queries is estimated by bootstrap resampling of the queries.

    Parameters
    ----------
    preferences : Preferences, array, str or Path
        A matrix, the name of a built-in one, or a file.
    rankers : str, default ""
        Only these rankers, by name or index, such as ``"1-5,110"``.
    resamples : int, default 1000
        Number of bootstrap resamples of the queries.
    subsets : bool, default False
        Whether to add what `winner_subsets` returns for the parameters of its names.
    samples : int, default 20_000
        Number of subsets per size.
    overlap_samples : int, default 100
        Number of subsets per size for the comparison of notions.
    sizes : sequence of int, optional
        Sizes of the subsets.
    bounds : float, optional
        Number of duels for which to add what `regret_bounds` returns.
    alpha : float, default 1.01
        Parameter of these bounds.
    seed : int, default 0
        Seed of all random numbers.
    scheduler : str, optional
        Dask scheduler whose workers share the work on subsets.

    Returns
    -------
    Winners
        ``sets`` has the winners by notion (Condorcet, Copeland, Borda, random walk, von Neumann, Smith set),
        ``rankers`` the scores of every ranker, ``verdict`` the winner in sentences, ``summary`` orders,
        cycles, transitivity, and how certain they are. ``resampled`` has, for every ranker, the share of
        resamples in which it is the Condorcet, Copeland, Borda and random-walk winner, and in which a von
        Neumann winner gives it weight; it is None for matrices without values per query: plain matrices, and
        those estimated from shared pages. ``subsets`` and ``bounds`` are None unless they are requested.

    Raises
    ------
    RankduelError
        If there is no such matrix or ranker, or a value is out of range.

    Examples
    --------
    >>> found = rankduel.winners("thesis4")
    >>> found.sets["condorcet"], found.sets["borda"]
    (['0'], ['1'])
    >>> found.verdict.won
    '0 wins: it beats all 3 others'
    """
    chosen = choose_preferences(preferences, rankers)
    limits = None if bounds is None else regret_bounds(chosen, bounds, alpha=alpha)
    drawn = resampled_winners(chosen, resamples, seed)
    found = None
    if subsets:
        found = winner_subsets(
            chosen,
            sizes=sizes,
            samples=samples,
            overlap_samples=overlap_samples,
            seed=seed,
            scheduler=scheduler,
        )
    return Winners(chosen, all_scores(chosen.matrix), drawn, found, limits)
