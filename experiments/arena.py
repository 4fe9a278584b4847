"""The arena: judged data, rankers, an interleaving method and a user; all that live duels need.

The same arena makes a preference matrix, and plays live runs whose proxy that matrix is.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np

from clickmodels import ClickModel, model_for
from experiments.specs import feature_list, parse_model, spec_of
from interleave import METHODS, make_world
from interleave import preset as preset_named
from interleave.world import World
from letor_data import Letor
from letor_data.rankers import Ranker, rankers_of
from letor_data.rankings import Rankings, rank
from rankduel.base.arguments import check_type
from rankduel.base.notebook import few, html_repr, short_repr
from rankduel.base.settings import Configured

# Settings of an arena that the outcome of a duel depends on, besides data and rankers.
DUEL_SETTINGS = ("interleave", "clicks", "grades", "length", "ties", "tied_duels")
# Opens a progress bar for countable work, (what, how many): call what it gives with how many more are done.
CountProgress = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]


def no_progress(what: str, total: int) -> AbstractContextManager[Callable[[int], None]]:
    """Show nothing."""
    return nullcontext(lambda done: None)


@dataclass(frozen=True, eq=False, repr=False)
class Arena:
    """Judged data, rankers, an interleaving method and a click model; made by `open_arena`.

    Parameters
    ----------
    rankings : Rankings
        Documents of every query in the order of every ranker.
    labels : ndarray of int8, shape (n_docs,)
        Relevance grade of each document.
    model : ClickModel
        The simulated user.
    interleaving : Configured
        Interleaving method and its settings.
    length : int
        Number of documents on a page.
    ties : str
        Order of documents with equal scores.
    tied_duels : str
        Outcome of a duel without a winner.
    queries : str
        How the query of the next page is chosen.
    settings : mapping
        All settings as plain values, for files and reports.

    Examples
    --------
    >>> data = rankduel.synthetic_data("small", queries=20)
    >>> arena = rankduel.open_arena(data, rankers="110,115", interleave="team_draft")
    >>> arena.rankings.names
    ('110', '115')
    >>> str(arena.interleaving), arena.length
    ('team_draft', 10)
    """

    rankings: Rankings
    labels: np.ndarray
    model: ClickModel
    interleaving: Configured
    length: int
    ties: str
    tied_duels: str
    queries: str
    settings: Mapping[str, Any]

    def _facts(self) -> dict[str, object]:
        """What a prompt shows."""
        return {
            "data": self.settings.get("data", ""),
            "rankers": few(self.rankings.names),
            "queries": self.rankings.n_queries,
            "interleaving": str(self.interleaving),
            "clicks": str(self.settings.get("clicks", "")),
            "length": self.length,
        }

    def __repr__(self) -> str:
        return short_repr("Arena", self._facts())

    def _repr_html_(self) -> str:
        return html_repr("Arena", self._facts())

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
    clicks: str | ClickModel | Configured = "navigational",
    length: int = 10,
    rankers: str | Sequence[object] | Mapping[str, object] = "",
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
    clicks : str, ClickModel or Configured, default "navigational"
        Click model and its settings, a TOML file of probabilities, or a value of `click_model`. A user by
        name has the table for the grades of the data.
    length : int, default 10
        Number of documents on a page.
    rankers : str, sequence or mapping, default ""
        Feature numbers such as ``"1-5,110"``; or a sequence of rankers, or a mapping of names to rankers. A
        ranker is a text such as ``"0.7*39+0.3*23"`` or ``"lightgbm:model.txt"``, a feature's number, a
        `Ranker`, a function of a query's feature matrix, an estimator with ``predict``, a pandas Series of
        scores, a table with columns qid, docno and score, or a run by query and document. By default, every
        feature is a ranker.
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

    Rankers of one's own:

    >>> mine = {"BM25": 110, "mix": "0.7*110+0.3*115", "shortest": lambda features: -features[:, 14]}
    >>> rankduel.open_arena(data, rankers=mine).rankings.names
    ('BM25', 'mix', 'shortest')
    """
    check_type("letor", letor, Letor, "judged data from read_data")
    usual = preset_named(preset)
    method = usual["interleaving"] if interleave is None else METHODS.parsed(interleave)
    model = _model(clicks, letor.n_grades)
    chosen = chosen_rankers(letor, rankers)
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
        "grades": len(model.p_click),
        "length": length,
        "preset": preset,
        "ties": ties,
        "tied_duels": tied_duels,
        "queries": queries,
        **_ranker_settings(chosen, rankings),
    }
    arena = Arena(rankings, letor.labels, model, method, length, ties, tied_duels, queries, settings)
    arena.world()  # refuses what does not fit
    return arena


def user_text(settings: Mapping[str, Any]) -> str:
    """Return the user and the table that an arena, or a matrix made in it, has by its settings."""
    return f"{settings['clicks']} for {settings['grades']} grades"


def _model(clicks: str | ClickModel | Configured, grades: int) -> ClickModel:
    check_type("the click model", clicks, (str, ClickModel, Configured), "text such as 'navigational'")
    return parse_model(clicks, grades) if isinstance(clicks, str) else model_for(clicks, grades)


def chosen_rankers(letor: Letor, rankers: str | Sequence[object] | Mapping[str, object]) -> list[Ranker]:
    """Return the rankers that text such as '1-5,110' names, every feature if it is empty; or those given."""
    return rankers_of(feature_list(rankers) if isinstance(rankers, str) and rankers else rankers, letor)


def _ranker_settings(chosen: Sequence[Ranker], rankings: Rankings) -> dict[str, Any]:
    """Return the texts of rankers and a digest of what they made; nothing if the names say it all."""
    places = [place for place, ranker in enumerate(chosen) if not ranker.is_told_by_name]
    if not places:
        return {}
    digest = hashlib.sha256()
    for place in places:
        digest.update(rankings.order[place].tobytes())
        digest.update(rankings.ties[place].tobytes())
    texts = [ranker.text or f"python:{ranker.name}" for ranker in chosen]
    return {"rankers": texts, "rankings_digest": digest.hexdigest()}
