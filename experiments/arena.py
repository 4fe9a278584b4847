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

# Settings of an arena that the outcome of a duel depends on, besides data and rankers.
DUEL_SETTINGS = ("interleave", "clicks", "length", "ties", "tied_duels")
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
            length=self.length,
            ties=self.ties,
            tied_duels=self.tied_duels,
            queries=self.queries,
            seed=seed,
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
    """Rank judged data and put rankers, interleaving method and user together.

    The same arena makes a preference matrix and plays live runs.

    Parameters
    ----------
    letor : Letor
        Judged documents, from `read_data`.
    interleave : str, optional
        Interleaving method and its settings, such as ``"team_draft"``. The default is that of `preset`.
    clicks : str, default "navigational"
        Click model and its settings, or a TOML file of probabilities.
    length : int, default 10
        Number of documents on a page.
    rankers : str or sequence of Ranker, default ""
        Feature numbers such as ``"1-5,110"``, or rankers. By default, every feature is one.
    preset : str, default "paper"
        Values of `interleave`, `ties` and `tied_duels` where these are not given: "paper", "lerot" or
        "repo_multileave".
    ties : str, optional
        Order of documents with equal scores: "random_impression", "random_impression_redraw", "random_run",
        "random_run_shared" or "stable". The default is that of `preset`.
    tied_duels : str, optional
        A duel without a winner: "coin" or "drop". The default is that of `preset`.
    queries : str, default "uniform"
        Which query comes next: "uniform" or "cycle".
    progress : callable, optional
        Opens a progress bar: called with what is counted and how many there are, it returns a context manager
        that yields a function to call with how many more are done.

    Returns
    -------
    Arena
        What `build_matrix`, `run`, `compare`, `multileave`, `play_duels` and `duel_odds` take.

    Raises
    ------
    RankduelError
        If a name is unknown, or the parts do not fit together.

    Examples
    --------
    >>> data = rankduel.synthetic_data("small", queries=10)
    >>> arena = rankduel.open_arena(data, rankers="110,115", interleave="team_draft", clicks="perfect")
    >>> arena.rankings.names, str(arena.interleaving)
    (('110', '115'), 'team_draft')
    """
    usual = preset_named(preset)
    method = usual["interleaving"] if interleave is None else METHODS.parsed(interleave)
    model = parse_model(clicks, n_grades(letor))
    chosen = _rankers(letor, rankers) if isinstance(rankers, str) else list(rankers)
    with progress("ranking", len(chosen)) as advance:
        rankings = rank(letor, chosen, progress=advance)
    ties, tied_duels = ties or str(usual["ties"]), tied_duels or str(usual["tied_duels"])
    settings = {
        "data": letor.source,
        "profile": letor.profile,
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
