"""Optimized interleaving: every allowed page, and its credits."""

import itertools
import math
from fractions import Fraction


def allowed_pages(left, right):
    """Return all pages whose every prefix unites a prefix of one ranking and a prefix of the other."""
    n = len(left)
    unions = {frozenset(left[:i] + right[:j]) for i in range(n + 1) for j in range(n + 1)}
    return {
        page
        for page in itertools.permutations(sorted({*left, *right}), n)
        if all(frozenset(page[:t]) in unions for t in range(n + 1))
    }


def optimized_credit(left, right, doc, kind):
    a, b = (ranking.index(doc) + 1 if doc in ranking else len(left) + 1 for ranking in (left, right))
    return {"binary": Fraction(sign(b - a)), "linear": Fraction(b - a), "inverse": Fraction(b - a, a * b)}[
        kind
    ]


def openness(left, right, page):
    """Return Radlinski and Craswell's sensitivity of a page, with attention 1 / rank."""
    total = sum(1 / t for t in range(1, len(page) + 1))
    sides = [0.0, 0.0]
    for t, doc in enumerate(page, 1):
        credit = optimized_credit(left, right, doc, "binary")
        if credit:
            sides[credit < 0] += 1 / t / total
    return -sum(w * math.log2(w / sum(sides)) for w in sides if w > 0)


def sign(number):
    return (number > 0) - (number < 0)
