"""Interleaving two plain lists: the page, the teams, and the credit that clicks earn.

>>> page = interleaved_page(["a", "b", "c"], ["b", "c", "a"], "team_draft", seed=1)
>>> page.docs, page.teams
(['b', 'a', 'c'], ['second', 'first', 'second'])
>>> page.credit([0, 1, 0])
Verdict(winner='first', lead=1.0)
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rankduel.base.arguments import check_type
from rankduel.base.compiling import entry
from rankduel.base.errors import InterleaveError
from rankduel.base.notebook import html_table, short_repr
from rankduel.base.settings import Configured
from rankduel.clickmodels import click_model
from rankduel.interleave.catalogue import METHODS, interleaving
from rankduel.interleave.duel import drafter_by
from rankduel.interleave.list_ends import fill_place, page_length
from rankduel.interleave.world import CLICKED, DOC, TEAM, World, forget_ties, make_world, pair_on
from rankduel.letor_data.rankings import Rankings

_TEAMS = ("first", "second", "none")
_WINNERS = {1: "first", 0: "tie", -1: "second"}


class Verdict(NamedTuple):
    winner: str  # "first", "second" or "tie"
    lead: float  # positive for the first ranking


@dataclass(frozen=True, eq=False, repr=False)
class Page:
    """An interleaved page, made by `interleaved_page`."""

    docs: list[Hashable]
    teams: list[str]  # "first" or "second" ranking, or "none" for a place without a team
    method: Configured
    _world: World
    _users: np.random.Generator

    def __repr__(self) -> str:
        facts = {"method": str(self.method), "docs": self.docs, "teams": self.teams}
        return short_repr("Page", facts)

    def _repr_html_(self) -> str:
        rows = zip(range(1, len(self.docs) + 1), self.docs, self.teams)
        return html_table(f"Page by {self.method}", rows, ("rank", "document", "from"))

    def credit(self, clicked: Sequence[Any]) -> Verdict:
        """Return which ranking the clicks favour.

        Parameters
        ----------
        clicked : sequence
            A truth value per document of the page, or the documents that were clicked.

        Returns
        -------
        Verdict
            ``winner`` is "first", "second" or "tie"; ``lead`` is positive for the first ranking.
        """
        flags = self._flags(clicked)
        self._world.page[CLICKED, : len(flags)] = flags
        _, judge = _kernels(self.method.name)
        lead = float(judge(self._world, len(flags), self._users))
        return Verdict(_WINNERS[int(np.sign(lead))], lead)

    def _flags(self, clicked: Sequence[Any]) -> np.ndarray:
        values = list(clicked)
        if (
            len(values) == len(self.docs)
            and all(isinstance(v, (int, np.bool_, np.integer)) for v in values)
            and set(map(int, values)) <= {0, 1}
        ):
            return np.array(values, bool)
        strange = [doc for doc in values if doc not in self.docs]
        if strange:
            raise InterleaveError(f"{strange[0]!r} was clicked but is not on the page {self.docs}")
        return np.array([doc in values for doc in self.docs])


def interleaved_page(
    left: Sequence[Hashable],
    right: Sequence[Hashable],
    method: str | Configured = "team_draft",
    length: int | None = None,
    seed: int | None = None,
) -> Page:
    """Interleave two rankings into one page.

    A ranking owns only the documents it holds. Where one of them ends, both compete for the first places of
    the page only; those below are filled in the order of the rankings, and clicks there count for neither.

    Parameters
    ----------
    left, right : sequence of hashable
        Two rankings, best first. One of them may be empty.
    method : str or Configured, default "team_draft"
        An interleaving method, by name or from `interleaving`. With the default, users who ignore relevance
        prefer neither ranking, whatever documents these hold.
    length : int, optional
        Number of documents on the page. By default, all of them.
    seed : int, optional
        Seed of the random numbers. By default, every call draws different ones.

    Returns
    -------
    Page
        ``docs`` is the page. ``teams`` has "first", "second" or "none" for each document: the ranking that
        put it there, or "none" for a place without a team. ``credit(clicked)`` says which ranking the clicks
        favour.

    Raises
    ------
    RankduelError
        If a ranking holds a document twice, both are empty, or the settings of the method do not allow
        rankings of different documents.

    Examples
    --------
    >>> page = rankduel.interleaved_page(["a", "b", "c"], ["b", "c", "a"], "team_draft", seed=1)
    >>> page.docs, page.teams
    (['b', 'a', 'c'], ['second', 'first', 'second'])
    >>> page.credit(["a"])
    Verdict(winner='first', lead=1.0)
    >>> page = rankduel.interleaved_page(["a"], ["b", "c", "d"], seed=1)
    >>> page.docs, page.teams
    (['b', 'a', 'c', 'd'], ['second', 'first', 'none', 'none'])
    """
    chosen = method if isinstance(method, Configured) else interleaving(method)
    docs, rankings = rankings_of([left, right])
    length = len(docs) if length is None else length
    labels = np.zeros(len(docs), np.int8)
    world = make_world(rankings, labels, click_model("perfect", 2), chosen, length=length)
    users = np.random.default_rng(seed)
    build, _ = _kernels(chosen.name)
    shown = min(world.user.shape[1], len(docs))
    build(world, users)
    teams = [_TEAMS[team] for team in world.page[TEAM, :shown]]
    return Page([docs[doc] for doc in world.page[DOC, :shown]], teams, chosen, world, users)


def rankings_of(lists: Sequence[Sequence[Hashable]]) -> tuple[list[Hashable], Rankings]:
    """Return all documents in order of first appearance, and the lists as untied rankings of them."""
    for ranking in lists:
        check_type("a ranking", ranking, Iterable, "a list of documents, best first")
    lists = [list(ranking) for ranking in lists]
    for ranking in lists:
        _check_distinct(ranking)
    number: dict[Hashable, int] = {}
    for doc in itertools.chain(*lists):
        number.setdefault(doc, len(number))
    if not number:
        raise InterleaveError("nothing to interleave: the rankings are empty")
    small = np.int16 if len(number) < 2**15 else np.int32
    orders = [dict.fromkeys(itertools.chain(ranking, number)) for ranking in lists]  # unlisted documents last
    order = np.array([[number[doc] for doc in ranking] for ranking in orders], small)
    names = tuple(map(str, range(len(lists))))
    offsets = np.array([0, len(number)])
    keys = np.zeros(1, np.uint64)
    positions = np.argsort(order, axis=1).astype(small)
    lengths = np.array([[len(ranking)] for ranking in lists], np.int32)
    ranked = Rankings(names, offsets, keys, order, positions, np.zeros_like(order), lengths=lengths)
    return list(number), ranked


def _check_distinct(ranking: Sequence[Hashable]) -> None:
    first_rank: dict[Hashable, int] = {}
    for rank, doc in enumerate(ranking, 1):
        before = first_rank.setdefault(doc, rank)
        if before < rank:
            raise InterleaveError(f"a ranking holds a document twice: {doc!r} at ranks {before} and {rank}")


@functools.cache
def _kernels(name: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    next_document, credit = METHODS[name].next_document, METHODS[name].credit
    draft = drafter_by(name)

    @entry
    def build(world: Any, users: Any) -> None:
        pair = pair_on(world, 0, 0, 1)
        forget_ties(world)
        length = page_length(world, pair)
        drafted = draft(world, pair, length, users)
        for at in range(drafted):
            next_document(world, pair, at, users)
        for at in range(drafted, length):
            fill_place(world, pair, at, users)

    @entry
    def judge(world: Any, n_read: Any, users: Any) -> Any:
        return credit(world, pair_on(world, 0, 0, 1), min(n_read, world.rules[0].n_drafted), users)

    return build, judge
