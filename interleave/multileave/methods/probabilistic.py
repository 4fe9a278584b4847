"""Probabilistic multileaving: for every rank of the page a random ranker draws from its softened ranking.

Schuth et al., "Probabilistic Multileave for Online Retrieval Evaluation", SIGIR 2015. At each rank a ranker
is chosen, independently (`iid`) or in rounds of all rankers (`rounds`), and draws a document with probability
proportional to rank^-tau among those not yet shown.

Credit marginalises over the assignments of documents to rankers. Given the page, ranker x contributed a
document with probability proportional to its probability to draw it, independently of other documents (for
`rounds` this is the paper's approximation). With C_x the clicks on documents of x, the degree of preference
is the expected sign of C_x - C_y (`pairwise`). The paper samples it; here it is exact, by one convolution per
click, since each click moves the lead up, down or not at all. It can also be sampled (`sampled`), or replaced
by the expectation of C_x - C_y (`expected`).

Lists that end: with n documents in the shortest list, every ranker draws from its first n ranks, and at most
n places are drafted. If each drew from its whole list, shorter lists would be preferred whatever they contain
(see `rankduel.interleave.methods.probabilistic`). With `iid` all rankers are equally likely to have
contributed each place, so for users who ignore relevance the mean degree of preference is 0.
"""

from enum import IntEnum
from typing import Annotated, NamedTuple

from rankduel.base.compiling import inlined, kernel
from rankduel.base.settings import Setting
from rankduel.interleave.contract import Samples, Tau
from rankduel.interleave.methods.probabilistic import is_among, last_click, lost_precision, rest
from rankduel.interleave.multileave.contract import Multileaver
from rankduel.interleave.multileave.list_ends import shortest_list
from rankduel.interleave.multileave.world import (
    TIED,
    as_pair,
    clear,
    clear_scores,
    document_at,
    next_in_round,
    prefer_by_difference,
    rank_of,
    rank_page,
)
from rankduel.interleave.world import CLICKED, DOC, RANK, TEAM, TOTAL, WEIGHT


class RankerChoice(IntEnum):
    """How the ranker of a rank is chosen."""

    IID = 0
    ROUNDS = 1


class Credit(IntEnum):
    """How credit marginalises over assignments."""

    PAIRWISE = 0
    EXPECTED = 1
    SAMPLED = 2


_ROW = 2  # SharedWorld.odds: two rows of zeros, then the probabilities of the leads -c, ..., c after c clicks


class Params(NamedTuple):
    ranker: Annotated[RankerChoice, Setting("the ranker of each rank: drawn independently, or in rounds")] = (
        RankerChoice.IID
    )
    credit: Annotated[
        Credit, Setting("expected sign of each pair, expected clicks, or sampled assignments")
    ] = Credit.PAIRWISE
    tau: Tau = 3.0
    n_samples: Samples = 10_000


@kernel
def make_page(shared, group, length, users):
    page, n_ranks = shared.world.page, shortest_list(shared, group, group.n_docs, users)
    for at in range(length):
        if shared.world.rules[0].ranker == RankerChoice.IID:
            side = int(users.random() * group.n)
        else:
            side = next_in_round(shared.round, group.n, at, users)
        rank = _draw_rank(shared, group, at, side, n_ranks, users)
        page[DOC, at], page[TEAM, at] = document_at(shared, group, side, rank, users), side


@kernel
def _draw_rank(shared, group, at, side, n_ranks, users):
    """Draw one of a side's first ranks that is not shown, with probability proportional to its weight."""
    page, weights = shared.world.page, shared.world.weights
    mass = weights[TOTAL, n_ranks - 1]
    for shown in range(at):
        page[RANK + side, shown] = rank_of(shared, group, side, page[DOC, shown], users)
        if page[RANK + side, shown] < n_ranks:
            mass -= weights[WEIGHT, page[RANK + side, shown]]
    target = users.random() * _remaining_mass(shared, group, side, n_ranks, at, mass)
    last = 0
    for rank in range(n_ranks):
        if not is_among(page, at, side, rank):
            last = rank
            target -= weights[WEIGHT, rank]
            if target < 0.0:
                break
    return last  # by rounding, the target may exceed the sum of the weights


@kernel
def _remaining_mass(shared, group, side, n_ranks, at, mass):
    """Return the weight of a side's documents that are not shown: `mass`, or its sum if that is inexact."""
    if lost_precision(shared.world, n_ranks, at, mass):
        return rest(shared.world, as_pair(group, side, n_ranks), side, at)
    return mass


@kernel
def prefer(shared, group, length, preferences, users):
    last = last_click(shared.world, length)
    rank_page(shared, group, last, users)
    _share_documents(shared, group, last, users)
    credit = shared.world.rules[0].credit
    if credit == Credit.PAIRWISE:
        _prefer_by_expected_sign(shared, group.n, last, preferences)
    elif credit == Credit.EXPECTED:
        _prefer_by_expected_clicks(shared, group.n, last, preferences)
    else:
        n_samples = shared.world.rules[0].n_samples
        _prefer_by_samples(shared, group.n, last, n_samples, preferences, users)


@kernel
def _share_documents(shared, group, n_shown, users):
    """Store for each document the probability that each side contributed it, given the page."""
    page, weights, shares = shared.world.page, shared.world.weights, shared.shares
    n_ranks = shortest_list(shared, group, group.n_docs, users)
    for side in range(group.n):
        mass = weights[TOTAL, n_ranks - 1]
        for at in range(n_shown):
            rank = page[RANK + side, at]
            weight = weights[WEIGHT, rank] if rank < n_ranks else 0.0
            mass = _remaining_mass(shared, group, side, n_ranks, at, mass)
            shares[at, side] = weight / mass
            mass -= weight
    for at in range(n_shown):
        total = 0.0
        for side in range(group.n):
            total += shares[at, side]
        for side in range(group.n):
            shares[at, side] /= total


@kernel
def _prefer_by_expected_sign(shared, n, n_shown, preferences):
    """Set preferences to E[sign(C_x - C_y)]. One and two clicks, which most pages have, have closed forms."""
    n_clicks, first, last = 1, 0, n_shown - 1
    for at in range(last):
        if shared.world.page[CLICKED, at]:
            n_clicks += 1
            first = at
    if n_clicks == 1:
        _prefer_after_one_click(shared.shares, last, n, preferences)
    elif n_clicks == 2:
        _prefer_after_two_clicks(shared.shares, first, last, n, preferences)
    else:
        _prefer_after_clicks(shared, n, n_shown, preferences)


@kernel
def _prefer_after_one_click(shares, at, n, preferences):
    for x in range(n):
        up = shares[at, x]
        for y in range(n):
            degree = up - shares[at, y]
            preferences[x, y] = degree if abs(degree) > TIED else 0.0


@kernel
def _prefer_after_two_clicks(shares, first, second, n, preferences):
    """Compute both halves of the matrix, which is faster than copying one of them.

    `1 - up - down` is computed in the order of x < y in both halves, so that they round alike.
    """
    for x in range(n):
        ups = shares[first, x], shares[second, x]
        rests = 1.0 - ups[0], 1.0 - ups[1]
        for y in range(n):
            downs = shares[first, y], shares[second, y]
            degree = _lead_after_two(ups, (rests[0] - downs[0], rests[1] - downs[1]), downs)
            preferences[x, y] = degree if abs(degree) > TIED else 0.0
        for y in range(x):
            downs = shares[first, y], shares[second, y]
            stays = 1.0 - downs[0] - ups[0], 1.0 - downs[1] - ups[1]
            degree = _lead_after_two(ups, stays, downs)
            preferences[x, y] = degree if abs(degree) > TIED else 0.0
        preferences[x, x] = 0.0


@inlined
def _lead_after_two(ups, stays, downs):
    """Return P(lead > 0) - P(lead < 0) after two clicks that move the lead up, not at all, or down."""
    by_one = (stays[1] * ups[0] + ups[1] * stays[0]) - (downs[1] * stays[0] + stays[1] * downs[0])
    return by_one + (ups[1] * ups[0] - downs[1] * downs[0])


@kernel
def _prefer_after_clicks(shared, n, n_shown, preferences):
    """Compute the distributions of the leads of all x < y over y, by convolution over the clicks.

    The inner loops start at x = 0, since only such loops are vectorised: from y + 1 on, the compiler cannot
    tell that no index is negative.
    """
    for y in range(n):
        n_clicks = 0
        for at in range(n_shown - 1):
            if shared.world.page[CLICKED, at]:
                n_clicks += 1
                if n_clicks == 1:
                    _first_leads(shared.shares, shared.odds, y, at)
                else:
                    _move_leads(shared.shares, shared.odds, y, at, n_clicks)
        _weigh_leads(shared.shares, shared.odds, y, n_shown - 1, n_clicks + 1, preferences)
    for y in range(n):
        preferences[y, y] = 0.0
        for x in range(y):
            degree = preferences[y, x] if abs(preferences[y, x]) > TIED else 0.0
            preferences[x, y], preferences[y, x] = degree, -degree


@kernel
def _first_leads(shares, odds, y, at):
    """Set the distributions after one click: the lead is 1 if x contributed the document, -1 if y did."""
    down = shares[at, y]
    for x in range(y):
        odds[_ROW, x] = down
        odds[_ROW + 1, x] = 1.0 - shares[at, x] - down
        odds[_ROW + 2, x] = shares[at, x]


@kernel
def _move_leads(shares, odds, y, at, n_clicks):
    """Update the distributions by a click: the lead goes up if x contributed the document, down if y did."""
    top, down = _ROW + 2 * n_clicks, shares[at, y]
    for x in range(y):
        odds[top - 1, x] = odds[top, x] = 0.0
    for row in range(top, _ROW - 1, -1):  # after the update, each row is for a lead that is lower by 1
        for x in range(y):
            up = shares[at, x]
            stay = 1.0 - up - down
            odds[row, x] = down * odds[row, x] + stay * odds[row - 1, x] + up * odds[row - 2, x]


@kernel
def _weigh_leads(shares, odds, y, at, n_clicks, preferences):
    """Update by the last click as `_move_leads` does, but store only P(x is ahead) - P(x is behind)."""
    top, down = _ROW + 2 * n_clicks, shares[at, y]
    for x in range(y):
        preferences[y, x] = odds[top - 1, x] = odds[top, x] = 0.0
    for lead in range(1, n_clicks + 1):
        ahead, behind = _ROW + n_clicks + lead, _ROW + n_clicks - lead
        for x in range(y):
            up = shares[at, x]
            stay = 1.0 - up - down
            won = down * odds[ahead, x] + stay * odds[ahead - 1, x] + up * odds[ahead - 2, x]
            lost = down * odds[behind, x] + stay * odds[behind - 1, x] + up * odds[behind - 2, x]
            preferences[y, x] += won - lost


@kernel
def _prefer_by_expected_clicks(shared, n, n_shown, preferences):
    clear_scores(shared, n)
    for at in range(n_shown):
        if shared.world.page[CLICKED, at]:
            for side in range(n):
                shared.scores[side] += shared.shares[at, side]
    prefer_by_difference(shared.scores, n, preferences)


@kernel
def _prefer_by_samples(shared, n, n_shown, n_samples, preferences, users):
    """Set preferences to the mean sign of C_x - C_y over sampled assignments."""
    clear(preferences, n)
    for _ in range(n_samples):
        clear_scores(shared, n)
        for at in range(n_shown):
            if shared.world.page[CLICKED, at]:
                shared.scores[_draw_side(shared.shares, n, at, users)] += 1.0
        for x in range(n):
            if shared.scores[x] > 0.0:  # sides without a click, which are most, cannot win
                for y in range(n):
                    preferences[x, y] += shared.scores[x] > shared.scores[y]
    for x in range(n):
        for y in range(x + 1):
            lead = preferences[x, y] - preferences[y, x]
            preferences[x, y], preferences[y, x] = lead / n_samples, -lead / n_samples


@kernel
def _draw_side(shares, n, at, users):
    """Draw the side that contributed the document, by the shares."""
    target = users.random()
    for side in range(n - 1):
        target -= shares[at, side]
        if target < 0.0:
            return side
    return n - 1


METHOD = Multileaver(
    "probabilistic",
    "a random ranker's softened ranking fills each rank; credit by marginalised assignments",
    "Schuth et al., SIGIR 2015",
    make_page,
    prefer,
    Params,
)
