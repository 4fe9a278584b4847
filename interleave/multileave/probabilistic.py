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
"""

from interleave.multileave.crowd import (
    TIED,
    alone,
    clear,
    clear_scores,
    document_at,
    next_in_round,
    prefer_by_difference,
    rank_of,
    rank_page,
)
from interleave.probabilistic import _is_among as is_among
from interleave.probabilistic import _is_worn as is_worn
from interleave.probabilistic import last_click, rest
from interleave.world import (
    CLICKED,
    CREDIT,
    DOC,
    RANK,
    SAMPLES,
    TEAM,
    TOTAL,
    VARIANT,
    WEIGHT,
    inlined,
    kernel,
)

IID, ROUNDS = 0, 1  # World.rules[VARIANT]
PAIRWISE, EXPECTED, SAMPLED = range(3)  # World.rules[CREDIT]
_ROW = 2  # Crowd.odds: two rows of zeros, then the odds of the leads -c, ..., c after c clicks


@kernel
def make_page(crowd, panel, length, users):
    page = crowd.world.page
    for at in range(length):
        if crowd.world.rules[VARIANT] == IID:
            seat = int(users.random() * panel.n)
        else:
            seat = next_in_round(crowd.round, panel.n, at, users)
        rank = _draw_rank(crowd, panel, at, seat, users)
        page[DOC, at], page[TEAM, at] = document_at(crowd, panel, seat, rank, users), seat


@inlined
def _draw_rank(crowd, panel, at, seat, users):
    """A rank that a seat has left, with probability proportional to its weight."""
    page, weights = crowd.world.page, crowd.world.weights
    mass = weights[TOTAL, panel.n_docs - 1]
    for shown in range(at):
        page[RANK + seat, shown] = rank_of(crowd, panel, seat, page[DOC, shown], users)
        mass -= weights[WEIGHT, page[RANK + seat, shown]]
    target = users.random() * _unworn(crowd, panel, seat, at, mass)
    last = 0
    for rank in range(panel.n_docs):  # down the ranks not yet shown until their weight exceeds the target
        if not is_among(page, at, seat, rank):
            last = rank
            target -= weights[WEIGHT, rank]
            if target < 0.0:
                break
    return last  # rounding can leave a crumb of the target


@inlined
def _unworn(crowd, panel, seat, at, mass):
    """The mass that a seat has left, summed afresh where taking documents away left only rounding errors."""
    if is_worn(crowd.world, panel, at, mass):
        return rest(crowd.world, alone(panel, seat), seat, at)
    return mass


@kernel
def prefer(crowd, panel, length, preferences, users):
    last = last_click(crowd.world, length)
    rank_page(crowd, panel, last, users)
    _share_documents(crowd, panel, last)
    credit = crowd.world.rules[CREDIT]
    if credit == PAIRWISE:
        _prefer_by_expected_sign(crowd.world.page, crowd.shares, crowd.odds, panel.n, last, preferences)
    elif credit == EXPECTED:
        _prefer_by_expected_clicks(crowd, panel.n, last, preferences)
    else:
        n_samples = crowd.world.rules[SAMPLES]
        _prefer_by_samples(crowd, panel.n, last, n_samples, preferences, users)


@kernel
def _share_documents(crowd, panel, n_shown):
    """For each document: the chance of every seat to have contributed it, given the page."""
    page, weights, shares = crowd.world.page, crowd.world.weights, crowd.shares
    for seat in range(panel.n):
        mass = weights[TOTAL, panel.n_docs - 1]
        for at in range(n_shown):
            weight = weights[WEIGHT, page[RANK + seat, at]]
            mass = _unworn(crowd, panel, seat, at, mass)
            shares[at, seat] = weight / mass
            mass -= weight
    for at in range(n_shown):
        total = 0.0
        for seat in range(panel.n):
            total += shares[at, seat]
        for seat in range(panel.n):
            shares[at, seat] /= total


@kernel
def _prefer_by_expected_sign(page, shares, odds, n, n_shown, preferences):
    """E[sign(C_x - C_y)]: the odds of x's leads over all later seats, convolved side by side."""
    for x in range(n):
        preferences[x, x] = 0.0
        for y in range(x + 1, n):
            odds[_ROW, y] = 1.0
        n_clicks = 0
        for at in range(n_shown):
            if page[CLICKED, at]:
                n_clicks += 1
                _move_leads(shares, odds, n, x, at, n_clicks)
        for y in range(x + 1, n):
            degree = 0.0
            for lead in range(1, n_clicks + 1):
                degree += odds[_ROW + n_clicks + lead, y] - odds[_ROW + n_clicks - lead, y]
            preferences[x, y] = degree if abs(degree) > TIED else 0.0
            preferences[y, x] = -preferences[x, y]


@inlined
def _move_leads(shares, odds, n, x, at, n_clicks):
    """One more click: a lead goes up if x contributed the document, down if y did."""
    top = _ROW + 2 * n_clicks
    for y in range(x + 1, n):
        odds[top - 1, y] = odds[top, y] = 0.0
    for row in range(top, _ROW - 1, -1):  # a row now stands for a lead that is lower by 1
        for y in range(x + 1, n):
            up, down = shares[at, x], shares[at, y]
            stay = 1.0 - up - down
            odds[row, y] = down * odds[row, y] + stay * odds[row - 1, y] + up * odds[row - 2, y]


@inlined
def _prefer_by_expected_clicks(crowd, n, n_shown, preferences):
    clear_scores(crowd, n)
    for at in range(n_shown):
        if crowd.world.page[CLICKED, at]:
            for seat in range(n):
                crowd.scores[seat] += crowd.shares[at, seat]
    prefer_by_difference(crowd.scores, n, preferences)


@inlined
def _prefer_by_samples(crowd, n, n_shown, n_samples, preferences, users):
    """The mean sign of C_x - C_y over sampled contributors."""
    clear(preferences, n)
    for _ in range(n_samples):
        clear_scores(crowd, n)
        for at in range(n_shown):
            if crowd.world.page[CLICKED, at]:
                crowd.scores[_draw_seat(crowd.shares, n, at, users)] += 1.0
        for x in range(n):
            if crowd.scores[x] > 0.0:  # only who has a click can win; few have
                for y in range(n):
                    preferences[x, y] += crowd.scores[x] > crowd.scores[y]
    for x in range(n):
        for y in range(x + 1):
            lead = preferences[x, y] - preferences[y, x]
            preferences[x, y], preferences[y, x] = lead / n_samples, -lead / n_samples


@inlined
def _draw_seat(shares, n, at, users):
    """A contributor of the document, by the seats' shares."""
    target = users.random()
    for seat in range(n - 1):
        target -= shares[at, seat]
        if target < 0.0:
            return seat
    return n - 1
