"""Interleaving two plain lists: see the page, the teams, and what clicks on it would say.

>>> page = interleave(["a", "b", "c"], ["b", "c", "a"], "team_draft", seed=1)
>>> page.docs, page.teams
(['b', 'a', 'c'], ['second', 'first', 'second'])
>>> page.credit([0, 1, 0])
Verdict(winner='first', lead=1.0)
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from clickmodels import click_model
from interleave.catalogue import METHODS, interleaving
from interleave.world import CLICKED, DOC, TEAM, World, forget_ties, make_world, pair_on
from letor_data.rankings import Rankings
from rankduel.base.arguments import check_type
from rankduel.base.compiling import entry
from rankduel.base.errors import InterleaveError
from rankduel.base.notebook import html_table, short_repr
from rankduel.base.settings import Configured

_TEAMS = ("first", "second", "nobody")
_WINNERS = {1: "first", 0: "tie", -1: "second"}


class Verdict(NamedTuple):
    winner: str  # "first", "second" or "tie"
    lead: float  # positive for the first ranking


@dataclass(frozen=True, eq=False, repr=False)
class Page:
    """An interleaved page; made by `interleave`."""

    docs: list[Hashable]
    teams: list[str]  # who put each document there; "nobody" where the method does not say
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
        """What these clicks say: a truth value per document from the top, or the documents clicked."""
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


def interleave(
    left: Sequence[Hashable],
    right: Sequence[Hashable],
    method: str | Configured = "team_draft",
    length: int | None = None,
    seed: int | None = None,
) -> Page:
    """Interleave two rankings of the same documents into one page.

    Parameters
    ----------
    left, right : sequence of hashable
        Two rankings of the same documents, best first.
    method : str or Configured, default "team_draft"
        An interleaving method, by name or from `interleaving`.
    length : int, optional
        Number of documents on the page. By default, all of them.
    seed : int, optional
        Seed of the random numbers. By default, every call draws others.

    Returns
    -------
    Page
        ``docs`` is the page, ``teams`` says which ranking put each document there, and ``credit(clicked)``
        says which ranking the clicks favour.

    Raises
    ------
    RankduelError
        If the rankings do not hold the same documents.

    Examples
    --------
    >>> page = rankduel.interleave(["a", "b", "c"], ["b", "c", "a"], "team_draft", seed=1)
    >>> page.docs, page.teams
    (['b', 'a', 'c'], ['second', 'first', 'second'])
    >>> page.credit(["a"])
    Verdict(winner='first', lead=1.0)
    """
    chosen = method if isinstance(method, Configured) else interleaving(method)
    docs, rankings = rankings_of([left, right])
    length = len(docs) if length is None else length
    labels = np.zeros(len(docs), np.int8)
    world = make_world(rankings, labels, click_model("perfect", 2), chosen, length=length)
    users = np.random.default_rng(seed)
    build, _ = _kernels(chosen.name)
    shown = min(world.user.shape[1], len(docs))
    build(world, shown, users)
    teams = [_TEAMS[team] for team in world.page[TEAM, :shown]]
    return Page([docs[doc] for doc in world.page[DOC, :shown]], teams, chosen, world, users)


def rankings_of(lists: Sequence[Sequence[Hashable]]) -> tuple[list[Hashable], Rankings]:
    """Return the documents as the first list has them, and lists of the same documents as untied rankings."""
    for ranking in lists:
        check_type("a ranking", ranking, Iterable, "a list of documents, best first")
    docs = list(lists[0])
    number = {doc: i for i, doc in enumerate(docs)}
    for other in lists:
        _check_lists(docs, list(other), number)
    small = np.int16 if len(docs) < 2**15 else np.int32
    order = np.array([[number[doc] for doc in ranking] for ranking in lists], small)
    names = tuple(map(str, range(len(lists))))
    offsets = np.array([0, len(docs)])
    keys = np.zeros(1, np.uint64)
    positions = np.argsort(order, axis=1).astype(small)
    return docs, Rankings(names, offsets, keys, order, positions, np.zeros_like(order))


def _check_lists(left: list[Hashable], right: list[Hashable], number: dict[Hashable, int]) -> None:
    if not left:
        raise InterleaveError("nothing to interleave: the rankings are empty")
    _check_distinct(left)
    _check_distinct(right)
    strange = [doc for doc in right if doc not in number]
    if strange or len(right) != len(left):
        odd = strange[0] if strange else next(doc for doc in left if doc not in set(right))
        raise InterleaveError(f"both rankings must hold the same documents; {odd!r} is in one only")


def _check_distinct(ranking: list[Hashable]) -> None:
    first_rank: dict[Hashable, int] = {}
    for rank, doc in enumerate(ranking, 1):
        before = first_rank.setdefault(doc, rank)
        if before < rank:
            raise InterleaveError(f"a ranking holds a document twice: {doc!r} at ranks {before} and {rank}")


@functools.cache
def _kernels(name: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    next_document, credit = METHODS[name].next_document, METHODS[name].credit

    @entry
    def build(world: Any, length: Any, users: Any) -> None:
        pair = pair_on(world, 0, 0, 1)
        forget_ties(world)
        for at in range(length):
            next_document(world, pair, at, users)

    @entry
    def judge(world: Any, n_read: Any, users: Any) -> Any:
        return credit(world, pair_on(world, 0, 0, 1), n_read, users)

    return build, judge
