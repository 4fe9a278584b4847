"""Sums over a block of queries for many pairs of rankers: the inner loops of a preference matrix.

A kernel takes (world, start, times, firsts, seconds, centres, by_query, users) and returns an array
(pairs, COLUMNS). `start` is the first query of the block, and `times` says how often each query is played.
The value of one page, one tie break or one duel for a pair is the first ranker's probability to win plus half
the probability of a tie. The sum of the values of each query and pair is written to `by_query`, an array
(queries of the block, pairs). A kernel draws from `users` only, so its sums depend on its arguments only.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rankduel.base.compiling import entry, kernel
from rankduel.base.settings import Configured
from rankduel.interleave import METHODS, query_odds
from rankduel.interleave.duel import draft_length_by, outcome_by
from rankduel.interleave.exact.click_patterns import pattern_chance
from rankduel.interleave.exact.dispatch import FEW_DOCUMENTS, compiled_odds, longest_exact_page
from rankduel.interleave.exact.outcome_odds import LOSS, TIE, WIN, read_rank, verdict
from rankduel.interleave.exact.team_draft import team_draft_odds
from rankduel.interleave.list_ends import shorter_list
from rankduel.interleave.methods import probabilistic
from rankduel.interleave.world import (
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
from rankduel.letor_data.ties import shuffle_ties

# Columns after LOSS, TIE and WIN: sums of squared deviations of the values of a query. WITHIN takes them from
# the mean of all values of the query. CENTRED takes each from the mean of the query's earlier values, with
# the pair's entry of `centres` counted as one more value, so that the centre is predictable.
WITHIN, CENTRED = 3, 4
COLUMNS = 5
READERS = 4  # users simulated per drawn page; drawing a page takes as long as simulating a few users

Kernel = Callable[..., np.ndarray]


def has_odds(world: World, method: Configured) -> bool:
    """Return whether the method has exact odds for pages of this length."""
    return min(world.user.shape[1], int(np.diff(world.offsets).max())) <= longest_exact_page(method)


class KernelChoice(NamedTuple):
    """The name of a kernel, by which another process finds it."""

    kind: str  # a key of KERNELS
    method: str  # interleaving method and its settings

    def kernel(self) -> Kernel:
        return KERNELS[self.kind](METHODS.parsed(self.method))


def choose_kernel(world: World, method: Configured, simulate: bool) -> KernelChoice:
    """Return the kernel for a world: live duels, or exact odds given the ties and pages that are drawn."""
    kind = "odds" if compiled_odds(method) is not None else "any"
    if simulate:
        kind = "duels"
    elif method.name == "team_draft":
        kind = "team_draft"
    elif method.name == "probabilistic" and np.diff(world.offsets).max() > FEW_DOCUMENTS:
        kind = "pages"
    return KernelChoice(kind, str(method))


def drawn_pages_kernel(method: Configured) -> Kernel:
    """Return the kernel for probabilistic interleaving that sums the odds given drawn pages."""
    return _probabilistic_sums(_credited_odds if _credits_each_click(method) else _readers_odds)


def odds_kernel(method: Configured) -> Kernel:
    """Return the kernel that sums the exact odds of a method, if these are compiled."""
    return _odds_sums(draft_length_by(method.name), compiled_odds(method))


def _credits_each_click(method: Configured) -> bool:
    return method.get("credit") in ("assignment", "marginal_bernoulli")


def duel_kernel(method: Configured) -> Kernel:
    """Return the kernel that counts the outcomes of live duels."""
    return _duel_sums(outcome_by(method.name))


@entry
def _add(sums, row, odds, turn, total, centre):
    """Add `odds` to the sums of a pair, and return the sum of the query's values.

    The query had `turn` values before, which add up to `total`.
    """
    value = odds[WIN] + odds[TIE] / 2.0
    deviation = value - (centre + total) / (turn + 1.0)
    sums[row, CENTRED] += deviation * deviation
    if turn > 0:  # Welford's update
        deviation = value - total / turn
        sums[row, WITHIN] += deviation * deviation * turn / (turn + 1.0)
    for result in (LOSS, TIE, WIN):
        sums[row, result] += odds[result]
    return total + value


@entry
def add_centred(by_group, groups, rows, values, times):
    """Add `values`, each less half the number of plays of its query, to `by_group` in the order of queries.

    `values` is (queries, pairs); `groups` and `times` have an entry per query, and `rows` one per pair.
    """
    for i in range(len(groups)):
        for k in range(len(rows)):
            by_group[groups[i], rows[k]] += values[i, k] - times[i] / 2.0


@entry
def team_draft_sums(world, start, times, firsts, seconds, centres, by_query, users):
    """Sum exact team-draft odds; a ranker's ties are broken once per play, for all of its pairs."""
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
            first, second, total = firsts[row], seconds[row], 0.0
            odds = np.zeros(3)
            for turn in range(times[i]):
                if turn == 0 or tied[first] or tied[second]:  # without ties the odds are the same each time
                    pair = pair_on(world, start + i, first, second)
                    left = tops[turn if tied[first] else 0, first, : min(length, pair.n_first)]
                    right = tops[turn if tied[second] else 0, second, : min(length, pair.n_second)]
                    odds = team_draft_odds(left, right, grades, world.user, neutral)
                total = _add(sums, row, odds, turn, total, centres[row])
            by_query[i, row] = total
    return sums


@entry
def _settle_tops(world, query, length, times, used, tied, tops, users):
    """Write the top documents of every used ranker to `tops`: one row per play, or one if it has no ties."""
    begin, end = world.offsets[query], world.offsets[query + 1]
    for ranker in range(len(used)):
        if used[ranker]:
            ties, order = world.ties[ranker, begin:end], world.order[ranker, begin:end]
            tied[ranker] = ties[:length].any()
            for turn in range(times if tied[ranker] else 1):
                shuffle_ties(order, ties, length, users, tops[turn, ranker])


class Room(NamedTuple):
    """Workspace for the odds of a drawn page."""

    leads: np.ndarray  # (3, leads) float64, see rankduel.interleave.exact.outcome_odds
    clicks: np.ndarray  # (READERS, ranks + 1) int64; the last column is the number of ranks read
    odds: np.ndarray  # (3,) float64, the result


@functools.cache
def _probabilistic_sums(page_odds: Callable[..., Any]) -> Kernel:
    @entry
    def probabilistic_sums(world, start, times, firsts, seconds, centres, by_query, users):
        """Sum the odds that `page_odds` computes for each drawn page."""
        sums = np.zeros((len(firsts), COLUMNS))
        longest = world.user.shape[1]
        room = Room(np.zeros((3, 2 * longest + 3)), np.zeros((READERS, longest + 1), np.int64), np.zeros(3))
        for i in range(len(times)):
            for row in range(len(firsts)):
                pair, total = pair_on(world, start + i, firsts[row], seconds[row]), 0.0
                length = shorter_list(world, pair, longest, users)  # clicks below get no credit
                for turn in range(times[i]):
                    forget_ties(world)
                    page_odds(world, pair, length, room, users)
                    total = _add(sums, row, room.odds, turn, total, centres[row])
                by_query[i, row] = total
        return sums

    return probabilistic_sums


@functools.cache
def _odds_sums(draft: Callable[..., Any], exact_odds: Callable[..., Any]) -> Kernel:
    @entry
    def odds_sums(world, start, times, firsts, seconds, centres, by_query, users):
        """Sum what `exact_odds` returns given the ties that are drawn; `draft` sets the drafted places."""
        sums = np.zeros((len(firsts), COLUMNS))
        for i in range(len(times)):
            for row in range(len(firsts)):
                pair, total = pair_on(world, start + i, firsts[row], seconds[row]), 0.0
                for turn in range(times[i]):
                    forget_ties(world)
                    draft(world, pair, users)
                    odds = exact_odds(world, pair, users)
                    total = _add(sums, row, odds, turn, total, centres[row])
                by_query[i, row] = total
        return sums

    return odds_sums


@kernel
def _readers_odds(world, pair, length, room, users):
    """Write to `room.odds` the shares of READERS simulated users of one page for which each ranker wins.

    The page is drawn down to the last rank that any user reads. Credit is assigned after all users have read
    the page, because it may break ties again.
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
    # The posterior of the assignments depends on the page only, and is then the same for all users.
    shared_posterior = (
        world.rules[0].credit == probabilistic.Credit.MARGINAL_SIGN and not world.rules[0].redraw
    )
    if shared_posterior:
        probabilistic.posteriors(world, pair, shown, 0.5)
    for reader in range(READERS):
        n_read = clicks[reader, -1]
        for at in range(n_read):
            world.page[CLICKED, at] = clicks[reader, at]
        if shared_posterior:
            lead = probabilistic.marginal_outcome(world, n_read)
            lead = lead if abs(lead) > probabilistic.TIED else 0.0
        else:
            lead = probabilistic.marginal(world, pair, n_read, users)
        odds[verdict(lead)] += 1.0 / READERS


@kernel
def _credited_odds(world, pair, length, room, users):
    """Write to `room.odds` the exact odds given a drawn page.

    A click counts for a ranker with the posterior probability, given the page, that the ranker contributed
    the document. Neither assignments nor clicks are drawn.
    """
    for at in range(length):
        probabilistic.next_document(world, pair, at, users)
    bernoulli = world.rules[0].credit == probabilistic.Credit.MARGINAL_BERNOULLI
    if bernoulli and world.rules[0].redraw:  # credit by assignment does not depend on a redraw
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
    if bernoulli:  # a tie with clicks has a random winner; only a page without clicks remains a tie
        undecided = odds[TIE] - pattern_chance(world, pair, length, 0)
        odds[LOSS] += undecided / 2.0
        odds[TIE] -= undecided
        odds[WIN] += undecided / 2.0


def _any_sums(method: Configured) -> Kernel:
    """Return a kernel for any method with exact odds, such as those that need a solver in Python.

    It calls `query_odds` for every value.
    """

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
        for i, n_plays in enumerate(times.tolist()):
            for row, (first, second) in enumerate(zip(firsts.tolist(), seconds.tolist())):
                total = 0.0
                for turn in range(n_plays):
                    odds = query_odds(world, method, start + i, first, second, users)
                    total = _add(sums, row, odds, turn, total, centres[row])
                by_query[i, row] = total
        return sums

    return sums_of


@functools.cache
def _duel_sums(outcome: Callable[..., Any]) -> Kernel:
    @entry
    def duel_sums(world, start, times, firsts, seconds, centres, by_query, users):
        """Count outcomes of duels; WITHIN and CENTRED stay 0, and follow from the counts.

        `world` must play queries in a cycle.
        """
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
    "odds": odds_kernel,
    "any": _any_sums,
    "duels": duel_kernel,
}
