"""Probabilistic multileaving: every rank of the page is filled by a random ranker's soft ranking.

Schuth et al., "Probabilistic Multileave for Online Retrieval Evaluation", SIGIR 2015. At each rank a ranker
is chosen, independently (`iid`) or in rounds that visit all of them (`rounds`), and draws a document with
probability proportional to rank^-tau among those not yet shown.

Who drew what is left open: given the page, ranker x contributed a document with probability proportional to
its chance to draw it, and the documents are independent (for `rounds` this is the paper's approximation).
With C_x the clicks on x's documents, the degree of preference is the expected sign of C_x - C_y (`pairwise`),
exactly where the paper samples: each click moves the lead up, down or not at all, so the law of the
lead is known after a convolution per click. It may also be sampled (`sampled`), or replaced by the
expectation of C_x - C_y itself (`expected`).

Lists that end: a ranker draws from the documents it lists, and as many places are drafted as the shortest
list has documents, so every ranker can draw for each of them. A ranker did not contribute a document that it
does not list. With `iid` all rankers are equally likely to have contributed each place, so for users who
ignore relevance the mean degree of preference is 0.
"""

from enum import IntEnum
from typing import Annotated, NamedTuple

from interleave.contract import Samples, Tau
from interleave.methods.probabilistic import is_among, is_worn, last_click, rest
from interleave.multileave.contract import Multileaver
from interleave.multileave.world import (
    TIED,
    alone,
    clear,
    clear_scores,
    document_at,
    n_listed,
    next_in_round,
    prefer_by_difference,
    rank_of,
    rank_page,
)
from interleave.world import CLICKED, DOC, RANK, TEAM, TOTAL, WEIGHT
from rankduel.base.compiling import inlined, kernel
from rankduel.base.settings import Setting


class RankerChoice(IntEnum):
    """How the ranker of a rank is chosen."""

    IID = 0
    ROUNDS = 1


class Credit(IntEnum):
    """How the contributors that are left open are credited."""

    PAIRWISE = 0
    EXPECTED = 1
    SAMPLED = 2


_ROW = 2  # SharedWorld.odds: two rows of zeros, then the odds of the leads -c, ..., c after c clicks


class Params(NamedTuple):
    ranker: Annotated[RankerChoice, Setting("the ranker of each rank: drawn independently, or in rounds")] = (
        RankerChoice.IID
    )
    credit: Annotated[
        Credit, Setting("expected sign of each pair, expected clicks, or sampled contributors")
    ] = Credit.PAIRWISE
    tau: Tau = 3.0
    n_samples: Samples = 10_000


@kernel
def make_page(shared, panel, length, users):
    page = shared.world.page
    for at in range(length):
        if shared.world.rules[0].ranker == RankerChoice.IID:
            seat = int(users.random() * panel.n)
        else:
            seat = next_in_round(shared.round, panel.n, at, users)
        rank = _draw_rank(shared, panel, at, seat, users)
        page[DOC, at], page[TEAM, at] = document_at(shared, panel, seat, rank, users), seat


@kernel
def _draw_rank(shared, panel, at, seat, users):
    """A rank that a seat has left, with probability proportional to its weight."""
    page, weights = shared.world.page, shared.world.weights
    n_own = n_listed(shared, panel, seat)
    mass = weights[TOTAL, n_own - 1]
    for shown in range(at):
        page[RANK + seat, shown] = rank_of(shared, panel, seat, page[DOC, shown], users)
        if page[RANK + seat, shown] < n_own:
            mass -= weights[WEIGHT, page[RANK + seat, shown]]
    target = users.random() * _unworn(shared, panel, seat, n_own, at, mass)
    last = 0
    for rank in range(n_own):  # down the ranks not yet shown until their weight exceeds the target
        if not is_among(page, at, seat, rank):
            last = rank
            target -= weights[WEIGHT, rank]
            if target < 0.0:
                break
    return last  # rounding can leave a crumb of the target


@kernel
def _unworn(shared, panel, seat, n_own, at, mass):
    """The mass that a seat has left, summed afresh where taking documents away left only rounding errors."""
    if is_worn(shared.world, n_own, at, mass):
        return rest(shared.world, alone(panel, seat, n_own), seat, at)
    return mass


@kernel
def prefer(shared, panel, length, preferences, users):
    last = last_click(shared.world, length)
    rank_page(shared, panel, last, users)
    _share_documents(shared, panel, last)
    credit = shared.world.rules[0].credit
    if credit == Credit.PAIRWISE:
        _prefer_by_expected_sign(shared, panel.n, last, preferences)
    elif credit == Credit.EXPECTED:
        _prefer_by_expected_clicks(shared, panel.n, last, preferences)
    else:
        n_samples = shared.world.rules[0].n_samples
        _prefer_by_samples(shared, panel.n, last, n_samples, preferences, users)


@kernel
def _share_documents(shared, panel, n_shown):
    """For each document: the chance of every seat to have contributed it, given the page."""
    page, weights, shares = shared.world.page, shared.world.weights, shared.shares
    for seat in range(panel.n):
        n_own = n_listed(shared, panel, seat)
        mass = weights[TOTAL, n_own - 1]
        for at in range(n_shown):
            rank = page[RANK + seat, at]
            weight = weights[WEIGHT, rank] if rank < n_own else 0.0
            mass = _unworn(shared, panel, seat, n_own, at, mass)
            shares[at, seat] = weight / mass
            mass -= weight
    for at in range(n_shown):
        total = 0.0
        for seat in range(panel.n):
            total += shares[at, seat]
        for seat in range(panel.n):
            shares[at, seat] /= total


@kernel
def _prefer_by_expected_sign(shared, n, n_shown, preferences):
    """E[sign(C_x - C_y)]. Most pages have one click or two, for which it takes one formula."""
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
    """Both halves of the matrix are computed, since to copy one of them takes longer.

    `1 - up - down` depends on the order by rounding, which is that of x < y in both halves.
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
    """P(lead > 0) - P(lead < 0) after two clicks, each of which moves the lead up, not at all, or down."""
    by_one = (stays[1] * ups[0] + ups[1] * stays[0]) - (downs[1] * stays[0] + stays[1] * downs[0])
    return by_one + (ups[1] * ups[0] - downs[1] * downs[0])


@kernel
def _prefer_after_clicks(shared, n, n_shown, preferences):
    """The odds of the leads of all x < y over y, convolved side by side.

    All inner loops run over x from 0 on, since only such loops become vector instructions: from y + 1 on, a
    compiler cannot tell that no index is negative.
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
    """After one click the lead is 1 if x contributed the document, -1 if y did."""
    down = shares[at, y]
    for x in range(y):
        odds[_ROW, x] = down
        odds[_ROW + 1, x] = 1.0 - shares[at, x] - down
        odds[_ROW + 2, x] = shares[at, x]


@kernel
def _move_leads(shares, odds, y, at, n_clicks):
    """One more click: a lead goes up if x contributed the document, down if y did."""
    top, down = _ROW + 2 * n_clicks, shares[at, y]
    for x in range(y):
        odds[top - 1, x] = odds[top, x] = 0.0
    for row in range(top, _ROW - 1, -1):  # a row now stands for a lead that is lower by 1
        for x in range(y):
            up = shares[at, x]
            stay = 1.0 - up - down
            odds[row, x] = down * odds[row, x] + stay * odds[row - 1, x] + up * odds[row - 2, x]


@kernel
def _weigh_leads(shares, odds, y, at, n_clicks, preferences):
    """`_move_leads` for the last click: its leads are not stored, only how often x is ahead and behind."""
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
            for seat in range(n):
                shared.scores[seat] += shared.shares[at, seat]
    prefer_by_difference(shared.scores, n, preferences)


@kernel
def _prefer_by_samples(shared, n, n_shown, n_samples, preferences, users):
    """The mean sign of C_x - C_y over sampled contributors."""
    clear(preferences, n)
    for _ in range(n_samples):
        clear_scores(shared, n)
        for at in range(n_shown):
            if shared.world.page[CLICKED, at]:
                shared.scores[_draw_seat(shared.shares, n, at, users)] += 1.0
        for x in range(n):
            if shared.scores[x] > 0.0:  # only who has a click can win; few have
                for y in range(n):
                    preferences[x, y] += shared.scores[x] > shared.scores[y]
    for x in range(n):
        for y in range(x + 1):
            lead = preferences[x, y] - preferences[y, x]
            preferences[x, y], preferences[y, x] = lead / n_samples, -lead / n_samples


@kernel
def _draw_seat(shares, n, at, users):
    """A contributor of the document, by the seats' shares."""
    target = users.random()
    for seat in range(n - 1):
        target -= shares[at, seat]
        if target < 0.0:
            return seat
    return n - 1


METHOD = Multileaver(
    "probabilistic",
    "a random ranker's soft ranking fills each rank; credit with the rankers left open",
    "Schuth et al., SIGIR 2015",
    make_page,
    prefer,
    Params,
)
