"""The arena: judged data, rankers, an interleaving method and a click model, as live duels need them.

A preference matrix made from an arena is the proxy of live runs in that arena.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankduel.base.arguments import check_type
from rankduel.base.errors import UsageError
from rankduel.base.notebook import few, html_repr, short_repr
from rankduel.base.settings import Configured
from rankduel.base.text import feature_list
from rankduel.base.watch import SILENT, Watch
from rankduel.clickmodels import ClickModel, model_for
from rankduel.experiments.specs import parse_model, spec_of
from rankduel.interleave import METHODS, interleaving, make_world
from rankduel.interleave import preset as preset_named
from rankduel.interleave.world import World, check_world
from rankduel.letor_data import Letor
from rankduel.letor_data.rankers import Ranker, rankers_of
from rankduel.letor_data.rankings import Rankings, rank
from rankduel.letor_data.references import with_reference

# Settings of an arena that affect the outcome of a duel, besides data and rankers.
DUEL_SETTINGS = ("interleave", "clicks", "grades", "length", "ties", "tied_duels")
_USUAL_PRESET = "paper"
_FOR_ENDED_LISTS = "team_draft"  # fair to users who ignore relevance, see docs/guides/interleaving.md


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
    unjudged : ndarray of bool, shape (n_docs,), optional
        Documents that have grade 0 for want of a judgment. By default, all have a judgment.
    notes : tuple of str, default ()
        Remarks about defaults that depend on the data.

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
    unjudged: np.ndarray | None = None
    notes: tuple[str, ...] = ()

    def _facts(self) -> dict[str, object]:
        """Return the names and values that the representations show."""
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

    def world(self, seed: int = 0, blocks: bool = True) -> World:
        """Return the arrays that kernels read.

        Parameters
        ----------
        seed : int, default 0
            Seed of the order of tied documents. Only values of `ties` that break ties once per run use it.
        blocks : bool, default True
            Whether to make the copy of the rankings that duels read.

        Returns
        -------
        World
            Rankings, labels, user and interleaving rules.

        Raises
        ------
        RankduelError
            If the parts do not fit together.
        """
        return make_world(**self._parts(), seed=seed, unjudged=self.unjudged, blocks=blocks)

    def _parts(self) -> dict[str, Any]:
        """Return the arguments of `check_world`."""
        return {
            "rankings": self.rankings,
            "labels": self.labels,
            "model": self.model,
            "interleaving": self.interleaving,
            "length": self.length,
            "ties": self.ties,
            "tied_duels": self.tied_duels,
            "queries": self.queries,
        }


def open_arena(
    data: Letor,
    *,
    interleave: str | None = None,
    clicks: str | ClickModel | Configured = "navigational",
    length: int = 10,
    rankers: str | Sequence[object] | Mapping[str, object] = "",
    preset: str | None = None,
    ties: str | None = None,
    tied_duels: str | None = None,
    queries: str = "uniform",
    watch: Watch = SILENT,
) -> Arena:
    """Rank judged data, and combine the rankings with an interleaving method and a click model.

    The same arena serves for building a preference matrix and for playing live runs.

    Parameters
    ----------
    data : Letor
        Judged documents, from `read_data`.
    interleave : str, optional
        Interleaving method and its settings, such as ``"team_draft"``; ``rankduel interleavers`` lists the
        methods. The default is that of `preset`; without a preset, it is ``"team_draft"`` if a ranker lists
        fewer documents than a query has.
    clicks : str, ClickModel or Configured, default "navigational"
        Click model and its settings, a TOML file of probabilities, or a value of `click_model`. A named
        model takes its table for the number of grades in the data.
    length : int, default 10
        Number of documents on a page.
    rankers : str, sequence or mapping, default ""
        Feature numbers such as ``"1-5,110"``, a sequence of rankers, or a mapping of names to rankers. A
        ranker is a text such as ``"0.7*39+0.3*23"`` or ``"lightgbm:model.txt"``, a feature number, a
        `Ranker`, a function of a query's feature matrix, an estimator with ``predict``, a pandas Series of
        scores, a table with columns qid, docno and score, or a run by query and document. By default, every
        feature is a ranker.
    preset : str, optional
        Source of the values of `interleave`, `ties` and `tied_duels` that are not given: "paper", "lerot"
        or "repo_multileave". The default is "paper", but for `interleave` where lists end.
    ties : str, optional
        Order of documents with equal scores: random for every impression ("random_impression"; with
        "_redraw", again for the credit), random once per run ("random_run"; with "_shared", the same for all
        rankers), or as in the data ("stable"). The default is that of `preset`.
    tied_duels : str, optional
        Result of a duel without a winner: a random winner with probability 1/2 each ("coin"), or no result
        ("drop"). The default is that of `preset`.
    queries : str, default "uniform"
        Order of queries in live runs: independent uniform draws ("uniform"), or one after the other
        ("cycle").
    watch : Watch, optional
        Receives the number of rankers done since the last call.

    Returns
    -------
    Arena
        Argument of `build_matrix`, `run`, `compare`, `multileave`, `play_duels` and `duel_odds`.

    Raises
    ------
    RankduelError
        If a name is unknown, or the parts do not fit together.

    Notes
    -----
    The method of "paper" takes the sign of an expected lead, which is not fair to users who ignore relevance.
    With team draft such users prefer neither ranker, whatever documents these list.

    Examples
    --------
    >>> data = rankduel.synthetic_data("small", queries=10)
    >>> arena = rankduel.open_arena(data, rankers="110,115", interleave="team_draft", clicks="perfect")
    >>> arena.rankings.names, str(arena.interleaving)
    (('110', '115'), 'team_draft')

    Your own rankers:

    >>> mine = {"BM25": 110, "mix": "0.7*110+0.3*115", "shortest": lambda features: -features[:, 14]}
    >>> rankduel.open_arena(data, rankers=mine).rankings.names
    ('BM25', 'mix', 'shortest')
    """
    check_type("data", data, Letor, "judged data from read_data")
    defaults = preset_named(preset or _USUAL_PRESET)
    method = defaults["interleaving"] if interleave is None else METHODS.parsed(interleave)
    model = _model(clicks, data.n_grades)
    chosen = chosen_rankers(data, rankers)
    rankings = rank(data, chosen, progress=lambda done: watch.counting("ranking", done, len(chosen)))
    rankings = with_reference(rankings, data, chosen)
    notes: tuple[str, ...] = ()
    if interleave is None and preset is None and rankings.lengths is not None:
        method, notes = interleaving(_FOR_ENDED_LISTS), (_note_on_ended_lists(method),)
    ties, tied_duels = ties or str(defaults["ties"]), tied_duels or str(defaults["tied_duels"])
    settings = {
        "data": data.source,
        "profile": data.profile,
        "data_digest": data.digest,
        "n_queries": data.n_queries,
        "n_docs": data.n_docs,
        "interleave": str(method),
        "clicks": spec_of(model),
        "grades": len(model.p_click),
        "length": length,
        "preset": preset or _USUAL_PRESET,
        "ties": ties,
        "tied_duels": tied_duels,
        "queries": queries,
        **_ranker_settings(chosen, rankings),
    }
    played = (model, method, length, ties, tied_duels, queries)
    arena = Arena(rankings, data.labels, *played, settings, data.unjudged, notes)
    check_world(**arena._parts())
    return arena


def _note_on_ended_lists(usual: Configured) -> str:
    return (
        f"some rankers do not list every document: interleaved by {_FOR_ENDED_LISTS}, which is fair to users "
        f"who ignore relevance, and not by {usual}; --interleave or --preset chooses (in Python, interleave "
        "or preset)"
    )


def check_has_pairs(arena: Arena) -> None:
    """Raise UsageError if the arena has fewer than two rankers."""
    if arena.rankings.n_rankers < 2:
        raise UsageError(f"only the ranker '{arena.rankings.names[0]}' is chosen; expected at least two")


def user_text(settings: Mapping[str, Any]) -> str:
    """Return the click model and its number of grades from the settings of an arena or a matrix."""
    return f"{settings['clicks']} for {settings['grades']} grades"


def _model(clicks: str | ClickModel | Configured, grades: int) -> ClickModel:
    check_type("the click model", clicks, (str, ClickModel, Configured), "text such as 'navigational'")
    return parse_model(clicks, grades) if isinstance(clicks, str) else model_for(clicks, grades)


def chosen_rankers(letor: Letor, rankers: str | Sequence[object] | Mapping[str, object]) -> list[Ranker]:
    """Return `rankers` as Ranker values; text such as '1-5,110' lists features, empty text means all."""
    return rankers_of(feature_list(rankers) if isinstance(rankers, str) and rankers else rankers, letor)


def _ranker_settings(chosen: Sequence[Ranker], rankings: Rankings) -> dict[str, Any]:
    """Return the texts of the rankers and a digest of their rankings; {} if the names define them."""
    places = [place for place, ranker in enumerate(chosen) if not ranker.is_told_by_name]
    if not places:
        return {}
    digest = hashlib.sha256()
    for place in places:
        digest.update(rankings.order[place].tobytes())
        digest.update(rankings.ties[place].tobytes())
    texts = [ranker.text or f"python:{ranker.name}" for ranker in chosen]
    return {"rankers": texts, "rankings_digest": digest.hexdigest()}
