"""The arena: judged data, rankers, an interleaving method and a user; all that live duels need.

The same arena makes a preference matrix, and plays live runs whose proxy that matrix is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np

from clickmodels import ClickModel
from experiments.specs import feature_list, parse_model, spec_of
from interleave import METHODS, make_world
from interleave import preset as preset_named
from interleave.world import World
from letor_data import PROFILES, Letor
from letor_data.formats import TOP_LABEL
from letor_data.rankers import Ranker, feature, feature_rankers
from letor_data.rankings import Rankings, rank
from rankduel.base.settings import Configured

# Opens a progress bar for countable work, (what, how many): call what it gives with how many more are done.
CountProgress = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]


def no_progress(what: str, total: int) -> AbstractContextManager[Callable[[int], None]]:
    """Show nothing."""
    return nullcontext(lambda done: None)


@dataclass(frozen=True, eq=False)
class Arena:
    rankings: Rankings
    labels: np.ndarray
    model: ClickModel
    interleaving: Configured
    length: int
    ties: str
    tied_duels: str
    queries: str
    settings: Mapping[str, Any]  # all of this in words and numbers, as files and reports keep it

    def world(self, seed: int = 0) -> World:
        """What kernels see; `seed` is for ties that are broken once per run."""
        return make_world(
            self.rankings,
            self.labels,
            self.model,
            self.interleaving,
            self.length,
            self.ties,
            self.tied_duels,
            self.queries,
            seed,
        )


def open_arena(
    letor: Letor,
    *,
    interleave: str | None = None,
    clicks: str = "navigational",
    length: int = 10,
    rankers: str | Sequence[Ranker] = "",
    preset: str = "paper",
    ties: str | None = None,
    tied_duels: str | None = None,
    queries: str = "uniform",
    progress: CountProgress = no_progress,
) -> Arena:
    """Rank the data and check that everything fits together. Text is written as on the command line."""
    usual = preset_named(preset)
    method = usual["interleaving"] if interleave is None else METHODS.parsed(interleave)
    model = parse_model(clicks, n_grades(letor))
    chosen = _rankers(letor, rankers) if isinstance(rankers, str) else list(rankers)
    with progress("ranking", len(chosen)) as advance:
        rankings = rank(letor, chosen, progress=advance)
    ties, tied_duels = ties or str(usual["ties"]), tied_duels or str(usual["tied_duels"])
    settings = {
        "data": letor.source,
        "data_digest": letor.digest,
        "n_queries": letor.n_queries,
        "n_docs": letor.n_docs,
        "interleave": str(method),
        "clicks": spec_of(model),
        "length": length,
        "preset": preset,
        "ties": ties,
        "tied_duels": tied_duels,
        "queries": queries,
    }
    arena = Arena(rankings, letor.labels, model, method, length, ties, tied_duels, queries, settings)
    arena.world()  # refuses what does not fit
    return arena


def n_grades(letor: Letor) -> int:
    """How many relevance grades the data have by their profile; else the fewest that tables are made for."""
    declared = PROFILES[letor.profile].top_grade
    if declared < TOP_LABEL:
        return declared + 1
    top = int(letor.labels.max(initial=0))
    return next((grades for grades in (2, 3, 5) if top < grades), top + 1)


def _rankers(letor: Letor, text: str) -> list[Ranker]:
    if not text:
        return feature_rankers(letor)
    return [feature(name, sign=PROFILES[letor.profile].sign) for name in feature_list(text)]
