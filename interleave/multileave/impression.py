"""One impression of a multileaved page: one query, one user, and what the clicks say of all rankers.

The page is made whole, since its NDCG is asked for; what can wait is the credit. Without a click there is
none, and rankings that had no part in the page are looked at only for credit.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from interleave.duel import choose_query, clicks_and_gain, reader
from interleave.methods.probabilistic import last_click
from interleave.multileave.catalogue import MULTILEAVERS
from interleave.multileave.list_ends import fill_place, page_length
from interleave.multileave.world import NOBODY, clear, document_at, forget_ties, panel_on
from interleave.world import DOC, TEAM
from rankduel.base.compiling import kernel


@functools.cache
def multileave_by(name: str) -> Callable[..., Any]:
    """`impression(shared, rankers, n, preferences, users)` for one method: (clicks, NDCG of the page).

    rankers[:n] are different rankers that share the page; a single one shows its own list. What the clicks
    say is written to preferences[:n, :n]: antisymmetric, positive where the row's ranker is preferred to
    the column's, and 0 without a click.
    """
    show, judge = page_kernels(name)

    @kernel
    def impression(shared, rankers, n, preferences, users):
        world = shared.world
        query = choose_query(world, users)
        panel = panel_on(world, query, rankers, n)
        length = page_length(shared, panel)
        show(shared, panel, length, users)
        _read(world, panel, length, True, users)
        n_clicks, gain = clicks_and_gain(world, panel.start, length)
        judge(shared, panel, preferences, users)
        return n_clicks, gain / shared.ideal[query] if shared.ideal[query] > 0.0 else 0.0

    return impression


@functools.cache
def page_kernels(name: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return two kernels: `show(shared, panel, length, users)` makes a page, `judge(shared, panel,
    preferences, users)` credits the clicks on its drafted places."""
    method = MULTILEAVERS[name]
    make_page, prefer, n_drafted = method.make_page, method.prefer, method.n_drafted

    @kernel
    def show(shared, panel, length, users):
        forget_ties(shared, panel.n)
        if panel.n == 1:
            _show_own_list(shared, panel, length, users)
            return
        drafted = n_drafted(shared, panel, length, users) if shared.world.rules[0].lists_end else length
        shared.world.rules[0].n_drafted = drafted
        if drafted > 0:
            make_page(shared, panel, drafted, users)
        for at in range(drafted, length):
            fill_place(shared, panel, at, users)

    @kernel
    def judge(shared, panel, preferences, users):
        drafted = shared.world.rules[0].n_drafted
        if panel.n == 1 or last_click(shared.world, drafted) == 0:
            clear(preferences, panel.n)
        else:
            prefer(shared, panel, drafted, preferences, users)

    return show, judge


@kernel
def _show_own_list(shared, panel, length, users):
    for at in range(length):
        shared.world.page[DOC, at] = document_at(shared, panel, 0, at, users)
        shared.world.page[TEAM, at] = NOBODY


@kernel
def _document_there(world, panel, at, users):
    return world.page[DOC, at]


# The reader of duels, on a page that is there already.
_read = reader(_document_there, calls_python=False)
