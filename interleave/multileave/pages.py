"""Multileaving plain lists: the page, the teams, and the preferences that clicks imply.

>>> page = multileaved_page([["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"]], "team_draft", seed=1)
>>> page.docs, page.teams
(['b', 'c', 'a'], [1, 2, 0])
>>> page.preferences([0, 1, 0])
array([[ 0.,  0., -1.],
       [ 0.,  0., -1.],
       [ 1.,  1.,  0.]])
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankduel.base.arguments import check_type
from rankduel.base.compiling import python_version
from rankduel.base.errors import InterleaveError
from rankduel.base.notebook import html_table, short_repr
from rankduel.base.settings import Configured
from rankduel.clickmodels import click_model
from rankduel.interleave.multileave.catalogue import multileaving
from rankduel.interleave.multileave.impression import page_kernels
from rankduel.interleave.multileave.world import NO_TEAM, Group, SharedWorld, group_on, make_shared_world
from rankduel.interleave.pages import rankings_of
from rankduel.interleave.world import CLICKED, DOC, TEAM


@dataclass(frozen=True, eq=False, repr=False)
class MultileavedPage:
    """A page that several rankings share, made by `multileaved_page`."""

    docs: list[Hashable]
    teams: list[int | None]  # the ranking that picked each document; None if it has no team
    method: Configured
    _shared: SharedWorld
    _group: Group
    _users: np.random.Generator

    def __repr__(self) -> str:
        facts = {"method": str(self.method), "docs": self.docs, "teams": self.teams}
        return short_repr("MultileavedPage", facts)

    def _repr_html_(self) -> str:
        rows = zip(range(1, len(self.docs) + 1), self.docs, self.teams)
        return html_table(f"Page by {self.method}", rows, ("rank", "document", "from"))

    def preferences(self, clicked: Sequence[Any]) -> np.ndarray:
        """Return the preferences between all rankings that clicks imply.

        Parameters
        ----------
        clicked : sequence
            A truth value per document of the page.

        Returns
        -------
        ndarray, shape (m, m)
            Positive where the row's ranking is preferred to the column's.
        """
        if len(clicked) != len(self.docs):
            raise InterleaveError(
                f"{len(clicked)} clicks and non-clicks for a page of {len(self.docs)} documents"
            )
        self._shared.world.page[CLICKED, : len(clicked)] = np.array(clicked, bool)
        found = np.zeros((self._group.n, self._group.n))
        _, judge = page_kernels(self.method.name)
        judge(self._shared, self._group, found, self._users)
        return found


def multileaved_page(
    rankings: Sequence[Sequence[Hashable]],
    method: str | Configured = "team_draft",
    length: int | None = None,
    seed: int | None = None,
) -> MultileavedPage:
    """Multileave several rankings into one page.

    Parameters
    ----------
    rankings : sequence of sequences of hashable
        Rankings, best first. They may hold different documents. Where one of them ends, all compete for the
        first places of the page only; clicks on the places below count for none.
    method : str or Configured, default "team_draft"
        A multileaving method; `multileavers` lists them.
    length : int, optional
        Number of documents on the page. By default, all of them.
    seed : int, optional
        Seed of the random numbers. By default, every call draws different ones.

    Returns
    -------
    MultileavedPage
        ``docs`` is the page, ``teams`` says which ranking picked each document, and
        ``preferences(clicked)`` returns the preferences between all rankings.

    Raises
    ------
    RankduelError
        If a ranking holds a document twice, or all are empty.

    Examples
    --------
    >>> page = rankduel.multileaved_page([["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"]], seed=1)
    >>> page.docs, page.teams
    (['b', 'c', 'a'], [1, 2, 0])
    >>> page.preferences([0, 1, 0])
    array([[ 0.,  0., -1.],
           [ 0.,  0., -1.],
           [ 1.,  1.,  0.]])
    """
    chosen = method if isinstance(method, Configured) else multileaving(method)
    check_type("rankings", rankings, Sequence, "a list of rankings, each a list of documents")
    if not rankings:
        raise InterleaveError("nothing to multileave: there are no rankings")
    docs, ranked = rankings_of(rankings)
    length = len(docs) if length is None else length
    labels = np.zeros(len(docs), np.int8)
    shared = make_shared_world(ranked, labels, click_model("perfect", 2), chosen, length)
    group = python_version(group_on)(shared.world, 0, np.arange(len(rankings)), len(rankings))
    users = np.random.default_rng(seed)
    shown = min(shared.world.user.shape[1], len(docs))
    show, _ = page_kernels(chosen.name)
    show(shared, group, shown, users)
    teams = [None if team == NO_TEAM else int(team) for team in shared.world.page[TEAM, :shown]]
    return MultileavedPage(
        [docs[doc] for doc in shared.world.page[DOC, :shown]], teams, chosen, shared, group, users
    )
