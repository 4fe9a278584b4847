"""Sums over a block of queries for many pairs of rankers: the inner loops of a preference matrix.

A kernel takes (world, first query, times, firsts, seconds, centres, by_query, users) and returns an array
(pairs, 5) of the columns below. A value is what one page, one tie break or one duel says about a pair: its
chance to win plus half its chance to tie. `times` says how often each query of the block is asked. The sum of
the values of each query and pair is written to `by_query`, an array (queries of the block, pairs). A kernel
draws from its own `users` alone, so a block's sums depend on nothing but what is handed in.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from interleave import METHODS, for_another_thread, query_odds
from interleave.duel import outcome_by
from interleave.exact.click_patterns import pattern_chance
from interleave.exact.dispatch import FEW_DOCUMENTS
from interleave.exact.outcome_odds import LOSS, TIE, WIN, read_rank, verdict
from interleave.exact.team_draft import LONGEST, team_draft_odds
from interleave.list_ends import shorter_list
from interleave.methods import probabilistic
from interleave.world import (
    CLICK,
    CLICK_AND_LEAVE,
    CLICKED,
    DOC,
    STAY,
    World,
    forget_ties,
    pair_on,
    rank_page,
)
from letor_data.ties import shuffle_ties
from rankduel.base.compiling import entry, kernel
from rankduel.base.errors import InterleaveError
from rankduel.base.settings import Configured

# Columns after LOSS, TIE and WIN. Both measure how far the values of a query are apart: WITHIN as the
# sum of squares about their own mean; CENTRED about what was known before each value came, which is the
# query's mean so far (the pair's entry of `centres` counts as one value more).
WITHIN, CENTRED = 3, 4
COLUMNS = 5
READERS = 4  # users who read one drawn page: another page costs as much as a few more

Kernel = Callable[..., np.ndarray]


def has_odds(world: World, way: Configured) -> bool:
    """Has the method odds, and for pages of this length?"""
    sizes = np.diff(world.offsets)
    if way.name == "probabilistic":
        return True
    if way.name == "team_draft":  # asking `query_odds` would mean compiling it
        return min(world.user.shape[1], int(sizes.max())) <= LONGEST
    try:
        query_odds(for_another_thread(world), way, int(sizes.argmax()), 0, 1, np.random.default_rng(0))
    except InterleaveError:
        return False
    return True


class KernelChoice(NamedTuple):
    """Name of a kernel, which another process can look up."""

    kind: str  # a key of KERNELS
    way: str  # the interleaving method and its settings

    def kernel(self) -> Kernel:
        return KERNELS[self.kind](METHODS.parsed(self.way))


def choose_kernel(world: World, way: Configured, simulate: bool) -> KernelChoice:
    """Return the kernel for a world: live duels, or exact odds given the ties and pages that are drawn."""
    kind = "any"
    if simulate:
        kind = "duels"
    elif way.name == "team_draft":
        kind = "team_draft"
    # Where all pages can be listed nothing needs to be drawn; `query_odds` does so.
    elif way.name == "probabilistic" and np.diff(world.offsets).max() > FEW_DOCUMENTS:
        kind = "pages"
    return KernelChoice(kind, str(way))


def drawn_pages_kernel(way: Configured) -> Kernel:
    """Probabilistic interleave: odds given a drawn page."""
    credited = way.get("credit") in ("assignment", "marginal_bernoulli")
    return _probabilistic_sums(_credited_odds if credited else _readers_odds)


def duel_kernel(way: Configured) -> Kernel:
    """Live duels."""
    return _duel_sums(outcome_by(way.name))


@entry
def _add(sums, row, odds, turn, seen, centre):
    """Add the odds that a query gave this time, after `turn` values that add up to `seen`; the new sum."""
    value = odds[WIN] + odds[TIE] / 2.0
    surprise = value - (centre + seen) / (turn + 1.0)
    sums[row, CENTRED] += surprise * surprise
    if turn > 0:
        apart = value - seen / turn
        sums[row, WITHIN] += apart * apart * turn / (turn + 1.0)
    for result in (LOSS, TIE, WIN):
        sums[row, result] += odds[result]
    return seen + value


@entry
def team_draft_sums(world, start, times, firsts, seconds, centres, by_query, users):
    """Each time, a ranker's ties are broken once for all the pairs it is in."""
    sums = np.zeros((len(firsts), COLUMNS))
    neutral = world.rules[0].prefix != 0
    used = np.zeros(len(world.order), np.bool_)
    for row in range(len(firsts)):
        used[firsts[row]] = used[seconds[row]] = True
    tied = np.zeros(len(used), np.bool_)
    tops = np.empty((times.max(), len(used), world.user.shape[1]), np.int64)
    for i in range(len(times)):
        begin, end = world.offsets[start + i], world.offsets[start + i + 1]
        length = min(world.user.shape[1], end - begin)
        _settle_tops(world, start + i, length, times[i], used, tied, tops, users)
        grades = world.labels[begin:end]
        for row in range(len(firsts)):
            first, second, seen = firsts[row], seconds[row], 0.0
            odds = np.zeros(3)
            for turn in range(times[i]):
                if turn == 0 or tied[first] or tied[second]:  # without ties the odds repeat
                    pair = pair_on(world, start + i, first, second)
                    left = tops[turn if tied[first] else 0, first, : min(length, pair.n_first)]
                    right = tops[turn if tied[second] else 0, second, : min(length, pair.n_second)]
                    odds = team_draft_odds(left, right, grades, world.user, neutral)
                seen = _add(sums, row, odds, turn, seen, centres[row])
            by_query[i, row] = seen
    return sums


@entry
def _settle_tops(world, query, length, times, used, tied, tops, users):
    """Write the documents of every ranker in use at the ranks of a page: each time, or once without ties."""
    begin, end = world.offsets[query], world.offsets[query + 1]
    for ranker in range(len(used)):
        if used[ranker]:
            ties, order = world.ties[ranker, begin:end], world.order[ranker, begin:end]
            tied[ranker] = ties[:length].any()
            for turn in range(times if tied[ranker] else 1):
                shuffle_ties(order, ties, length, users, tops[turn, ranker])


class Room(NamedTuple):
    """Where the odds of a drawn page go, and what is noted on the way."""

    leads: np.ndarray  # (3, leads) float64, see interleave.exact.outcome_odds
    clicks: np.ndarray  # (READERS, ranks + 1) int64; in the last column how many each has read
    odds: np.ndarray  # (3,) float64


@functools.cache
def _probabilistic_sums(page_odds: Callable[..., Any]) -> Kernel:
    @entry
    def probabilistic_sums(world, start, times, firsts, seconds, centres, by_query, users):
        """Pages are drawn; coins and clicks are integrated out, or else a few users read the page."""
        sums = np.zeros((len(firsts), COLUMNS))
        longest = world.user.shape[1]
        room = Room(np.zeros((3, 2 * longest + 3)), np.zeros((READERS, longest + 1), np.int64), np.zeros(3))
        for i in range(len(times)):
            for row in range(len(firsts)):
                pair, seen = pair_on(world, start + i, firsts[row], seconds[row]), 0.0
                length = shorter_list(world, pair, longest, users)  # clicks below earn nothing
                for turn in range(times[i]):
                    forget_ties(world)
                    page_odds(world, pair, length, room, users)
                    seen = _add(sums, row, room.odds, turn, seen, centres[row])
                by_query[i, row] = seen
        return sums

    return probabilistic_sums


@kernel
def _readers_odds(world, pair, length, room, users):
    """READERS users read the same page, which is drawn as deep as any of them reads.

    They are judged when all have read: credit may settle ties anew.
    """
    clicks, odds, shown = room.clicks, room.odds, 0
    for reader in range(READERS):
        n_read = length
        for at in range(length):
            if at == shown:
                probabilistic.next_document(world, pair, at, users)
                shown += 1
            grade, number = world.labels[pair.start + world.page[DOC, at]], users.random()
            clicks[reader, at] = number < world.user[CLICK, at, grade]
            if number < world.user[CLICK_AND_LEAVE, at, grade] or number >= world.user[STAY, at, grade]:
                n_read = at + 1
                break
        clicks[reader, -1] = n_read
    odds[LOSS] = odds[TIE] = odds[WIN] = 0.0
    alike = world.rules[0].credit == probabilistic.Credit.MARGINAL_SIGN and not world.rules[0].redraw
    if alike:  # the page tells all readers the same about its coins
        probabilistic.posteriors(world, pair, shown, 0.5)
    for reader in range(READERS):
        n_read = clicks[reader, -1]
        for at in range(n_read):
            world.page[CLICKED, at] = clicks[reader, at]
        if alike:
            lead = probabilistic.marginal_outcome(world, n_read)
            lead = lead if abs(lead) > probabilistic.TIED else 0.0
        else:
            lead = probabilistic.marginal(world, pair, n_read, users)
        odds[verdict(lead)] += 1.0 / READERS


@kernel
def _credited_odds(world, pair, length, room, users):
    """Clicks belong to either ranker with the chances that the page implies: no coin, no click is drawn."""
    for at in range(length):
        probabilistic.next_document(world, pair, at, users)
    bernoulli = world.rules[0].credit == probabilistic.Credit.MARGINAL_BERNOULLI
    if bernoulli and world.rules[0].redraw:  # the coins thrown know no redraw
        rank_page(world, pair, length, users)
    probabilistic.posteriors(world, pair, length, 0.5)
    leads, odds = room.leads, room.odds
    leads[:] = 0.0
    reading, after, left, middle = leads[0], leads[1], leads[2], leads.shape[1] // 2
    reading[middle] = 1.0
    for at in range(length):
        grade = world.labels[pair.start + world.page[DOC, at]]
        first = world.chances[probabilistic.POSTERIOR, at]
        read_rank(reading, after, left, at, world.user, grade, first, 1.0 - first)
        reading, after = after, reading
    odds[LOSS] = odds[TIE] = odds[WIN] = 0.0
    for lead in range(-length, length + 1):
        odds[verdict(lead)] += left[middle + lead] + reading[middle + lead]
    if bernoulli:  # tied clicks are decided by a coin
        undecided = odds[TIE] - pattern_chance(world, pair, length, 0)
        odds[LOSS] += undecided / 2.0
        odds[TIE] -= undecided
        odds[WIN] += undecided / 2.0


def _any_sums(way: Configured) -> Kernel:
    """Any method with exact odds, one query and pair at a time from Python."""

    def sums_of(
        world: World,
        start: int,
        times: np.ndarray,
        firsts: np.ndarray,
        seconds: np.ndarray,
        centres: np.ndarray,
        by_query: np.ndarray,
        users: np.random.Generator,
    ) -> np.ndarray:
        sums = np.zeros((len(firsts), COLUMNS))
        for i, often in enumerate(times.tolist()):
            for row, (first, second) in enumerate(zip(firsts.tolist(), seconds.tolist())):
                seen = 0.0
                for turn in range(often):
                    odds = query_odds(world, way, start + i, first, second, users)
                    seen = _add(sums, row, odds, turn, seen, centres[row])
                by_query[i, row] = seen
        return sums

    return sums_of


@functools.cache
def _duel_sums(outcome: Callable[..., Any]) -> Kernel:
    @entry
    def duel_sums(world, start, times, firsts, seconds, centres, by_query, users):
        """Count duels; `world` asks in a cycle. The counts tell WITHIN and CENTRED, which stay 0."""
        sums = np.zeros((len(firsts), COLUMNS))
        for i in range(len(times)):
            for row in range(len(firsts)):
                before = sums[row, WIN] + sums[row, TIE] / 2.0
                for _ in range(times[i]):
                    world.rules[0].next_query = start + i
                    sums[row, verdict(outcome(world, firsts[row], seconds[row], users))] += 1.0
                by_query[i, row] = sums[row, WIN] + sums[row, TIE] / 2.0 - before
        return sums

    return duel_sums


KERNELS: dict[str, Callable[[Configured], Kernel]] = {
    "team_draft": lambda way: team_draft_sums,
    "pages": drawn_pages_kernel,
    "any": _any_sums,
    "duels": duel_kernel,
}
