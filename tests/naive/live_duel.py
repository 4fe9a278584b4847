"""A live duel: ties broken in full, the whole page made, then clicks.

`groups` is a ranking with its ties: lists of documents, best first.
"""

import itertools

from naive.balanced import balanced_credit, balanced_pages
from naive.document_constraints import constraints_credit
from naive.optimized import sign
from naive.team_draft import team_credit


def live_lead(rng, first_groups, second_groups, grades, k, method, setting, p_click, p_stop):
    """Play one impression: break ties, make the page, draw clicks, and return the lead."""
    left, right = _shuffled(rng, first_groups), _shuffled(rng, second_groups)
    page, sides, shares = live_page(rng, left, right, k, method)
    clicks = live_clicks(rng, [grades[doc] for doc in page], p_click, p_stop)
    if method == "balanced":
        return balanced_credit(left, right, page, clicks, setting == "lerot")
    if method == "document_constraints":
        return constraints_credit(left, right, page, clicks, int(setting))
    if method == "team_draft" or setting == "assignment":
        return team_credit(sides, clicks)
    return _open_coins_lead([share for share, click in zip(shares, clicks) if click])


def live_page(rng, left, right, k, method):
    """Return (page, side of each document, probability given the page that it is the first side's)."""
    page, sides, shares = [], [], []
    if method in ("balanced", "document_constraints"):
        return list(balanced_pages(left, right, k)[int(rng.random() < 0.5)][1]), sides, shares
    while len(page) < min(k, len(left)):
        if method == "team_draft":
            lead = sides.count(0) - sides.count(1)
            side = int(rng.random() < 0.5) if lead == 0 else int(lead > 0)
            doc = next(doc for doc in (left, right)[side] if doc not in page)
        else:
            side = int(rng.random() < 0.5)
            soft = [
                {doc: rank**-3 for rank, doc in enumerate(ranking, 1) if doc not in page}
                for ranking in (left, right)
            ]
            doc = _drawn(rng, soft[side])
            u, v = (weights[doc] / sum(weights.values()) for weights in soft)
            shares.append(u / (u + v))
        page.append(doc)
        sides.append(side)
    return page, sides, shares


def live_clicks(rng, grades, p_click, p_stop, attention=(1,), any_stop=False):
    clicks = [False] * len(grades)
    for rank, grade in enumerate(grades):
        clicks[rank] = rng.random() < p_click[grade] * attention[min(rank, len(attention) - 1)]
        if (clicks[rank] or any_stop) and rng.random() < p_stop[grade]:
            break
    return clicks


def _shuffled(rng, groups):
    return [group[i] for group in groups for i in (rng.permutation(len(group)) if len(group) > 1 else [0])]


def _drawn(rng, weights):
    docs, running = list(weights), list(itertools.accumulate(weights.values()))
    number = rng.random() * running[-1]
    return next(doc for doc, sum_so_far in zip(docs, running) if sum_so_far > number)


def _open_coins_lead(shares):
    """Return P(D > 0) - P(D < 0), where D sums +1 with these probabilities and -1 otherwise."""
    odds = {0: 1.0}
    for share in shares:
        grown = {}
        for lead, chance in odds.items():
            grown[lead + 1] = grown.get(lead + 1, 0) + chance * share
            grown[lead - 1] = grown.get(lead - 1, 0) + chance * (1 - share)
        odds = grown
    lead = sum(sign(lead) * chance for lead, chance in odds.items())
    return lead if abs(lead) > 1e-12 else 0
