"""Worlds of a single query and two rankers, for the tests of interleaving."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
from naive import click_patterns

from rankduel.clickmodels import custom_model
from rankduel.interleave import interleaving, make_world, query_odds
from rankduel.letor_data.rankings import Rankings, positions_of

# Every method and credit with exact odds, as (method, setting, value).
EXACT = (
    ("balanced", "credit", "joachims"),
    ("balanced", "credit", "lerot"),
    ("team_draft", "prefix", "assign"),
    ("team_draft", "prefix", "neutral"),
    ("document_constraints", "type", "1"),
    ("document_constraints", "type", "2"),
    ("document_constraints", "type", "3"),
    ("probabilistic", "credit", "marginal_sign"),
    ("probabilistic", "credit", "assignment"),
    ("probabilistic", "credit", "marginal_bernoulli"),
)
OPTIMIZED = tuple(("optimized", "credit", credit) for credit in ("linear", "inverse", "binary"))


def chosen(case, **more):
    method, setting, value = case
    return interleaving(method, **{setting: value}, **more)


def case_id(case):
    return f"{case[0]}-{case[2]}"


class User:
    """A user for the package and for the naive twin; with Fractions, the twin is exact."""

    def __init__(self, p_click, p_stop, stop="click", attention=(1,)):
        self.p_click, self.p_stop, self.stop, self.attention = p_click, p_stop, stop, attention

    def model(self):
        floats = ([float(p) for p in values] for values in (self.p_click, self.p_stop))
        return custom_model(*floats, self.stop, [float(p) for p in self.attention])

    def patterns(self, labels):
        """Return a function from a page to the probabilities of its click patterns."""
        p_stop = {"first": [1] * len(self.p_stop), "never": [0] * len(self.p_stop)}.get(
            self.stop, self.p_stop
        )
        return lambda page: click_patterns(
            [labels[doc] for doc in page], self.p_click, p_stop, self.attention, self.stop == "any"
        )


def exact_user(p_click, p_stop, *more):
    return User([Fraction(p) for p in p_click], [Fraction(p) for p in p_stop], *more)


# The two-grade users of the literature.
PERFECT = exact_user(("0", "1"), ("0", "0"))
NAVIGATIONAL = exact_user(("0.05", "0.95"), ("0.2", "0.9"))
INFORMATIONAL = exact_user(("0.4", "0.9"), ("0.1", "0.5"))
RANDOM = exact_user(("0.5", "0.5"), ("0", "0"))


def two_rankings(left, right, left_ties=None, right_ties=None):
    """Return rankings of one query by two rankers, with ties as in rankduel.letor_data.ties."""
    order = np.array([left, right], np.int16)
    nothing = [0] * len(left)
    ties = np.array([left_ties or nothing, right_ties or nothing], np.int16)
    offsets, keys = np.array([0, len(left)]), np.zeros(1, np.uint64)
    return Rankings(("one", "two"), offsets, keys, order, positions_of(order, ties, offsets), ties)


def ended_lists(left, right, n_docs):
    """Return rankings of n_docs documents by two lists, which need not contain all of them."""
    orders = [list(dict.fromkeys([*top, *range(n_docs)])) for top in (left, right)]
    return replace(two_rankings(*orders), lengths=np.array([[len(left)], [len(right)]], np.int32))


def small_world(left, right, labels, user, way, length=10, groups=(None, None), **more):
    rankings = two_rankings(left, right, *groups)
    return make_world(rankings, np.array(labels, np.int8), user.model(), way, length=length, **more)


def ended_world(left, right, labels, user, way, length=10, **more):
    """Return a `small_world` of lists that need not contain all documents."""
    rankings = ended_lists(left, right, len(labels))
    return make_world(rankings, np.array(labels, np.int8), user.model(), way, length=length, **more)


def odds(left, right, labels, user, way, length=10, first=0, second=1):
    """Return the odds (loss, tie, win) of the package."""
    world = small_world(left, right, labels, user, way, length)
    return query_odds(world, way, 0, first, second, np.random.default_rng(0))
