"""Probabilistic interleave: for every rank of the page a random ranker draws from its softened ranking.

Hofmann, Whiteson and de Rijke, "A Probabilistic Method for Inferring Preferences from Clicks", CIKM 2011, and
"Fidelity, Soundness, and Efficiency of Interleaved Comparison Methods", TOIS 2013. Each ranker is chosen with
probability 1/2, and draws a document with probability proportional to rank^-tau among those not yet shown.

Credit uses the assignments of documents to rankers as drawn (`assignment`), or marginalises over them. Given
the page, assignments are independent, and the first ranker contributed a document with probability u / (u +
v), where u and v are the two rankers' probabilities to draw it. With D the first ranker's clicks minus the
second's, the marginal outcome is P(D > 0) - P(D < 0). Its sign decides (`marginal_sign`), or the winner is
drawn with it (`marginal_bernoulli`), or it is estimated from sampled assignments (`marginal_sampled`).

Lists that end: with n documents in the shorter list, both rankers draw from their first n ranks, and at most
n places are drafted. If each drew from its whole list, the weights of the longer one would have a larger sum:
the same document at the same rank would more likely be the shorter list's, and the sign makes a win of any
difference, so that a list would lose nearly every click to its own beginning. With n ranks each, a list ties
with its own beginning.

Users who ignore relevance: with `assignment` and `marginal_bernoulli` they prefer neither ranker, and the
mean marginal outcome is 0. Its sign is not fair to them; docs/guides/interleaving.md has the largest biases.
"""

from enum import IntEnum
from typing import Annotated, NamedTuple

import numpy as np

from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting
from rankduel.interleave.contract import Method, Samples, Tau
from rankduel.interleave.world import (
    CLICKED,
    DOC,
    FIRST,
    RANK,
    SECOND,
    STATE,
    TEAM,
    TOTAL,
    WEIGHT,
    document_at,
    rank_of,
    rank_page,
)


class Credit(IntEnum):
    """Whether credit uses the assignments as drawn, or marginalises over them."""

    MARGINAL_SIGN = 1
    ASSIGNMENT = 0
    MARGINAL_BERNOULLI = 2
    MARGINAL_SAMPLED = 3


TIED = 1e-12  # a marginal outcome this close to 0 is a tie

# Rows of World.chances: [_MASS, side] is the total weight of a side's documents that are not shown. POSTERIOR
# has per rank of the page the probability that the first ranker contributed the document. _ODDS has the
# probabilities of 0, 1, ... clicks on documents of the first ranker.
_MASS, POSTERIOR, _ODDS = 0, 1, 2
_MASKED = 63  # page[STATE, side] has a bit for each of a side's first ranks, set if its document is shown


class Params(NamedTuple):
    credit: Annotated[Credit, Setting("by the assignments drawn, or marginalised over them")] = (
        Credit.MARGINAL_SIGN
    )
    tau: Tau = 3.0
    samples: Samples = 10_000


@kernel
def next_document(world, pair, at, users):
    number = 2.0 * users.random()
    side = int(number)  # the fractional part is uniform and independent of it
    return show_drawn(world, pair, at, side, number - side, users)


@kernel
def show_drawn(world, pair, at, side, number, users):
    """Draw the document for rank `at` from the ranking of a side; `number` is uniform in [0, 1)."""
    page, mass = world.page, world.chances
    if at == 0:
        mass[_MASS, FIRST] = mass[_MASS, SECOND] = world.weights[TOTAL, n_drawn_from(pair) - 1]
        page[STATE, FIRST] = page[STATE, SECOND] = 0
    elif lost_precision(world, n_drawn_from(pair), at, min(mass[_MASS, FIRST], mass[_MASS, SECOND])):
        _resum(page, mass, world.weights, pair, at)
    rank = _draw_rank(world, pair, at, side, number * mass[_MASS, side])
    doc = document_at(world, pair, side, rank, users)
    page[DOC, at], page[TEAM, at] = doc, side
    _take(world, pair, at, side, rank)
    _take(world, pair, at, 1 - side, rank_of(world, pair, 1 - side, doc, users))
    return doc


@kernel
def _draw_rank(world, pair, at, side, target):
    """Return the rank, of those not yet shown, at which the cumulative weight exceeds `target`."""
    taken, last, n_docs = world.page[STATE, side], 0, n_drawn_from(pair)
    for rank in range(min(n_docs, _MASKED)):
        if (taken >> rank) & 1 == 0:
            last = rank
            target -= world.weights[WEIGHT, rank]
            if target < 0.0:
                return rank
    if n_docs <= _MASKED:
        return last  # by rounding, the target may exceed the sum of the weights
    return _draw_deep(world.page, world.weights, n_docs, at, side, target, last)


@kernel
def _draw_deep(page, weights, n_docs, at, side, target, last):
    """Continue `_draw_rank` below the ranks that have a bit; a separate kernel because it is rare."""
    for rank in range(_MASKED, n_docs):
        if not is_among(page, at, side, rank):
            last = rank
            target -= weights[WEIGHT, rank]
            if target < 0.0:
                break
    return last


@kernel
def is_among(page, at, side, rank):
    """Return whether the document that a side has at `rank` is among the first `at` of the page."""
    for shown in range(at):
        if page[RANK + side, shown] == rank:
            return True
    return False


@kernel
def _take(world, pair, at, side, rank):
    """Store that the document at place `at` has `rank` on a side, and remove its weight."""
    world.page[RANK + side, at] = rank
    world.chances[_MASS, side] -= weight_at(world.weights, pair, rank)
    world.page[STATE, side] |= (rank < _MASKED) << (rank & 63)  # a branch would be hard to predict


@kernel
def n_drawn_from(pair):
    """Return the number of ranks of either list that documents are drawn from: those of the shorter list."""
    return min(pair.n_first, pair.n_second)


@kernel
def weight_at(weights, pair, rank):
    """Return the weight of a rank; 0 below the ranks that documents are drawn from."""
    return weights[WEIGHT, rank] if rank < n_drawn_from(pair) else 0.0


@kernel
def lost_precision(world, n_docs, at, mass):
    """Return whether subtraction has left so little mass that it must be summed anew."""
    return n_docs - at <= 2 or mass < 1e-6 * world.weights[TOTAL, n_docs - 1]


@kernel
def credit(world, pair, n_read, users):
    if world.rules[0].credit == Credit.ASSIGNMENT:
        return assigned(world, n_read)
    return marginal(world, pair, n_read, users)


@kernel
def assigned(world, n_read):
    """Return the first ranker's share of the clicks minus the second's, by the assignments drawn."""
    lead, clicks = 0, 0
    for rank in range(n_read):
        if world.page[CLICKED, rank]:
            lead += 1 if world.page[TEAM, rank] == FIRST else -1
            clicks += 1
    return lead / max(1, clicks)


@kernel
def marginal(world, pair, n_read, users):
    """Return the lead by the marginal outcome, in the form that the credit setting names."""
    last = last_click(world, n_read)
    if last == 0:
        return 0.0
    if world.rules[0].redraw:
        rank_page(world, pair, last, users)
    posteriors(world, pair, last, 0.5)
    if world.rules[0].credit == Credit.MARGINAL_SAMPLED:
        return _sampled(world, last, users)
    outcome = marginal_outcome(world, last)
    if world.rules[0].credit == Credit.MARGINAL_BERNOULLI:
        return 1.0 if users.random() < (1.0 + outcome) / 2.0 else -1.0
    return 0.0 if abs(outcome) <= TIED else outcome


@kernel
def last_click(world, n_read):
    """Return the number of ranks down to the last click; 0 without a click."""
    while n_read > 0 and not world.page[CLICKED, n_read - 1]:
        n_read -= 1
    return n_read


@kernel
def posteriors(world, pair, n_shown, rate):
    """Store for each rank the probability that the first ranker contributed it, for fair assignments.

    Return the importance weight: the probability of the page for fair assignments, divided by that for
    assignments to the second ranker with probability `rate`.
    """
    weights, page, chances = world.weights, world.page, world.chances
    mass_first = mass_second = weights[TOTAL, n_drawn_from(pair) - 1]
    ratio = 1.0
    for at in range(n_shown):
        if lost_precision(world, n_drawn_from(pair), at, min(mass_first, mass_second)):
            _resum(page, chances, weights, pair, at)
            mass_first, mass_second = chances[_MASS, FIRST], chances[_MASS, SECOND]
        first = weight_at(weights, pair, page[RANK + FIRST, at])
        second = weight_at(weights, pair, page[RANK + SECOND, at])
        if first == second == 0.0:  # only if ties were broken anew
            chances[POSTERIOR, at] = 0.5
            continue
        u, v = first / mass_first, second / mass_second
        chances[POSTERIOR, at] = u / (u + v)
        ratio *= (u + v) / 2.0 / ((1.0 - rate) * u + rate * v)
        mass_first -= first
        mass_second -= second
    return ratio


@kernel
def _resum(page, chances, weights, pair, at):
    """Sum the remaining weights of both sides anew."""
    for side in (FIRST, SECOND):
        chances[_MASS, side] = _rest(page, weights, n_drawn_from(pair), side, at)


@kernel
def rest(world, pair, side, at):
    """Return the total weight of a side's documents that are not among the first `at` of the page."""
    return _rest(world.page, world.weights, n_drawn_from(pair), side, at)


@kernel
def _rest(page, weights, n_docs, side, at):
    rest = 0.0
    for rank in range(n_docs):
        if not is_among(page, at, side, rank):
            rest += weights[WEIGHT, rank]
    return rest


@kernel
def marginal_outcome(world, n_read):
    """Return P(D > 0) - P(D < 0). Clicks are independent, so their credits are convolved one by one."""
    odds, clicks = world.chances, 0
    odds[_ODDS, 0] = 1.0
    for rank in range(n_read):
        if world.page[CLICKED, rank]:
            p = world.chances[POSTERIOR, rank]
            clicks += 1
            odds[_ODDS, clicks] = odds[_ODDS, clicks - 1] * p
            for wins in range(clicks - 1, 0, -1):
                odds[_ODDS, wins] = odds[_ODDS, wins] * (1.0 - p) + odds[_ODDS, wins - 1] * p
            odds[_ODDS, 0] *= 1.0 - p
    outcome = 0.0
    for wins in range(clicks + 1):
        outcome += np.sign(2 * wins - clicks) * odds[_ODDS, wins]
    return outcome


@kernel
def _sampled(world, n_read, users):
    """Return the mean sign of D over sampled assignments."""
    total = 0
    for _ in range(world.rules[0].samples):
        lead = 0
        for rank in range(n_read):
            if world.page[CLICKED, rank]:
                lead += 1 if users.random() < world.chances[POSTERIOR, rank] else -1
        total += np.sign(lead)
    return total / world.rules[0].samples


METHOD = Method(
    "probabilistic",
    "a random ranker's softened ranking fills each rank; credit by marginalised assignments",
    "Hofmann, Whiteson and de Rijke, CIKM 2011 and TOIS 2013",
    next_document,
    credit,
    Params,
)
