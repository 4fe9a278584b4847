"""`winner_subsets`: how often subsets of the rankers have a winner, an order, or a winner by two notions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rankduel.base.notebook import html_repr, short_repr
from rankduel.base.results import plain
from rankduel.experiments.cluster import workers_of
from rankduel.experiments.matrix.preferences import Preferences, choose_preferences
from rankduel.experiments.winners.overlaps import FEWEST, Overlaps, pooled, winner_overlaps
from rankduel.experiments.winners.subsets import subset_shares, usual_sizes
from rankduel.experiments.winners.wording import overlap_remark, overlap_rows


@dataclass(frozen=True, eq=False, repr=False)
class Subsets:
    """Random subsets of the rankers of a matrix; made by `winner_subsets`."""

    n_rankers: int
    shares: pd.DataFrame  # by size: shares of subsets with a Condorcet winner and with a total order
    overlaps: Overlaps | None  # how often two notions have a common winner; None if there are too few rankers

    @property
    def usual_shares(self) -> pd.DataFrame:
        """Return the rows of `shares` for few sizes of each order of magnitude."""
        return self.shares[self.shares["size"].isin(usual_sizes(self.n_rankers))]

    @property
    def statements(self) -> dict[str, str]:
        """How often two notions have a winner in common, as short texts by name; empty without `overlaps`."""
        return {} if self.overlaps is None else overlap_rows(self.overlaps)

    @property
    def remark(self) -> str:
        """Return which subsets `statements` are about."""
        if self.overlaps is None:
            return f"not computed: it takes {FEWEST} rankers or more, and there are {self.n_rankers}"
        return overlap_remark(self.overlaps)

    def to_pandas(self) -> pd.DataFrame:
        """Return `shares`."""
        return self.shares

    def to_dict(self) -> dict[str, Any]:
        """Return the shares, and the overlaps by size and pooled over all sizes with equal weight."""
        overlaps = None if self.overlaps is None else _as_data(self.overlaps)
        return {"subsets": plain(self.shares), "overlaps": overlaps}

    def _facts(self) -> dict[str, object]:
        return {"rankers": self.n_rankers, "sizes": len(self.shares), "overlaps": self.overlaps is not None}

    def __repr__(self) -> str:
        return short_repr("Subsets", self._facts())

    def _repr_html_(self) -> str:
        return html_repr("Subsets", self._facts())


def _as_data(overlaps: Overlaps) -> dict[str, Any]:
    return {
        name: {"pooled": plain(pooled(table)), "by_size": plain(table)}
        for name, table in overlaps._asdict().items()
    }


def winner_subsets(
    preferences: Preferences | np.ndarray | str | Path,
    *,
    rankers: str = "",
    sizes: Sequence[int] | None = None,
    samples: int = 20_000,
    overlap_samples: int = 100,
    seed: int = 0,
    scheduler: str | None = None,
) -> Subsets:
    """Measure how often subsets of the rankers have a Condorcet winner or a total order.

    Also measure how often two notions have a common winner.

    Parameters
    ----------
    preferences : Preferences, array, str or Path
        A matrix, the name of a built-in one, or a file.
    rankers : str, default ""
        Only these rankers, by name or index.
    sizes : sequence of int, optional
        Sizes of the subsets for `shares`. By default some of each order of magnitude.
    samples : int, default 20_000
        Number of subsets per size.
    overlap_samples : int, default 100
        Number of subsets per size for the comparison of notions, which takes longer.
    seed : int, default 0
        Seed of all random numbers.
    scheduler : str, optional
        Address of a Dask scheduler whose workers share the work, or ``"local:N"`` for N worker processes on
        this machine.

    Returns
    -------
    Subsets
        ``shares`` by size, and ``overlaps`` of notions of a winner (None for fewer than 4 rankers).

    Examples
    --------
    >>> found = rankduel.winner_subsets("arxiv6", samples=500, overlap_samples=5)
    >>> found.shares["size"].tolist()
    [2, 3, 4, 5, 6]
    """
    matrix = choose_preferences(preferences, rankers).matrix
    shares = subset_shares(matrix, sizes, samples, seed)
    if len(matrix) < FEWEST:
        return Subsets(len(matrix), shares, None)
    with workers_of(1, scheduler) as workers:
        return Subsets(len(matrix), shares, winner_overlaps(matrix, None, overlap_samples, seed, workers))
