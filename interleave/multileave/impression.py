"""One impression of a multileaved page: draw a query, make the page, simulate clicks, infer preferences.

The whole page is made, since its NDCG is measured. Credit is computed only if there are clicks: it alone
reads the rankings of rankers that contributed no document.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from rankduel.base.compiling import kernel
from rankduel.interleave.duel import choose_query, clicks_and_gain, reader
from rankduel.interleave.methods.probabilistic import last_click
from rankduel.interleave.multileave.catalogue import MULTILEAVERS
from rankduel.interleave.multileave.list_ends import fill_place, page_length
from rankduel.interleave.multileave.world import NO_TEAM, clear, document_at, forget_ties, group_on
from rankduel.interleave.world import DOC, TEAM


@functools.cache
def multileave_by(name: str) -> Callable[..., Any]:
    """Return `impression(shared, rankers, n, preferences, users)` for a method.

    `impression` shows one page of rankers[:n], which are different, and returns (clicks, NDCG of the page). A
    single ranker shows its own list. preferences[:n, :n] receives an antisymmetric matrix, positive if the
    row's ranker is preferred to the column's, and 0 without a click.
    """
    show, judge = page_kernels(name)

    @kernel
    def impression(shared, rankers, n, preferences, users):
        world = shared.world
        query = choose_query(world, users)
        group = group_on(world, query, rankers, n)
        length = page_length(shared, group)
        show(shared, group, length, users)
        _read(world, group, length, True, users)
        n_clicks, gain = clicks_and_gain(world, group.start, length)
        judge(shared, group, preferences, users)
        return n_clicks, gain / shared.ideal[query] if shared.ideal[query] > 0.0 else 0.0

    return impression


@functools.cache
def page_kernels(name: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return two kernels: `show(shared, group, length, users)` makes a page, `judge(shared, group,
    preferences, users)` credits the clicks on its drafted places."""
    method = MULTILEAVERS[name]
    make_page, prefer, n_drafted = method.make_page, method.prefer, method.n_drafted

    @kernel
    def show(shared, group, length, users):
        forget_ties(shared, group.n)
        if group.n == 1:
            _show_own_list(shared, group, length, users)
            return
        drafted = n_drafted(shared, group, length, users) if shared.world.rules[0].lists_end else length
        shared.world.rules[0].n_drafted = drafted
        if drafted > 0:
            make_page(shared, group, drafted, users)
        for at in range(drafted, length):
            fill_place(shared, group, at, users)

    @kernel
    def judge(shared, group, preferences, users):
        drafted = shared.world.rules[0].n_drafted
        if group.n == 1 or last_click(shared.world, drafted) == 0:
            clear(preferences, group.n)
        else:
            prefer(shared, group, drafted, preferences, users)

    return show, judge


@kernel
def _show_own_list(shared, group, length, users):
    for at in range(length):
        shared.world.page[DOC, at] = document_at(shared, group, 0, at, users)
        shared.world.page[TEAM, at] = NO_TEAM


@kernel
def _document_there(world, group, at, users):
    return world.page[DOC, at]


# The reader of duels, for a page that is complete.
_read = reader(_document_there, calls_python=False)
