"""Measures of one ranking, given as its grades from the top, and their means over all tie breaks."""

import math

from naive.rankings import tie_breaks


def dcg(grades, k=None, gain="exponential", discount="log2"):
    total = 0.0
    for place, grade in enumerate(grades[:k], 1):
        divisor = math.log2(place + 1) if discount == "log2" else 1 if place == 1 else math.log2(place)
        total += (2**grade - 1 if gain == "exponential" else grade) / divisor
    return total


def ndcg(grades, k=None, gain="exponential", discount="log2"):
    ideal = dcg(sorted(grades, reverse=True), k, gain, discount)
    return dcg(grades, k, gain, discount) / ideal if ideal else 0.0


def p(grades, k, rel=1):
    return sum(grade >= rel for grade in grades[:k]) / k


def rbp(grades, k=None, rel=1, p=0.8):
    return sum((1 - p) * p**i for i, grade in enumerate(grades[:k]) if grade >= rel)


def mrr(grades, k=None, rel=1):
    return next((1 / place for place, grade in enumerate(grades[:k], 1) if grade >= rel), 0.0)


def average_precision(grades, k=None, rel=1):
    n_relevant = sum(grade >= rel for grade in grades)
    places = [place for place, grade in enumerate(grades[:k], 1) if grade >= rel]
    return sum(p(grades, place, rel) for place in places) / n_relevant if n_relevant else 0.0


def err(grades, k=None, top=4):
    total, reads_on = 0.0, 1.0
    for place, grade in enumerate(grades[:k], 1):
        satisfied = (2**grade - 1) / 2**top
        total += reads_on * satisfied / place
        reads_on *= 1 - satisfied
    return total


MEASURES = {
    "dcg": dcg,
    "ndcg": ndcg,
    "p": p,
    "rbp": rbp,
    "mrr": mrr,
    "map": average_precision,
    "err": err,
}


def expected_measure(name, grades, scores, **settings):
    """Return the mean of the measure `name` over all orders of tied documents."""
    rankings = [[grades[doc] for doc in order] for order in tie_breaks(scores)]
    return sum(MEASURES[name](ranking, **settings) for ranking in rankings) / len(rankings)
