"""Which methods are fair to users who ignore relevance: the table of the guide, by exact enumeration.

Such a user clicks some set of places whatever documents stand there. A method is fair if then either ranker
wins with the same probability, for every set of places.
"""

import itertools
from fractions import Fraction
from pathlib import Path

import naive
import pytest

from rankduel.interleave.methods import optimized

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "interleaving.md"
PAGES = (1, 2, 3, 4)  # lengths

WAYS = [
    ("team_draft", "prefix", "assign"),
    ("team_draft", "prefix", "neutral"),
    ("probabilistic", "credit", "assignment"),
    ("probabilistic", "credit", "marginal_bernoulli"),
    ("probabilistic", "credit", "marginal_sign"),
    ("exploitative", "rate", "0.1"),
    ("balanced", "credit", "joachims"),
    ("balanced", "credit", "lerot"),
    ("document_constraints", "type", "1"),
    ("document_constraints", "type", "2"),
    ("document_constraints", "type", "3"),
    ("optimized", "credit", "linear"),
    ("optimized", "credit", "inverse"),
    ("optimized", "credit", "binary"),
]


def lists_of(n, left):
    """Yield all lists of n documents of `left` and others, up to the names of the others."""
    for ranking in itertools.permutations(range(len(left) + n), n):
        others = [doc for doc in ranking if doc not in left]
        if others == list(range(len(left), len(left) + len(others))):
            yield ranking


THREE, FOUR = (0, 1, 2), (0, 1, 2, 3)
PAIRS = {
    "the same documents": [(FOUR, right) for right in itertools.permutations(FOUR)],
    "as many documents": [(THREE, right) for right in lists_of(3, THREE) if {*right} != {*THREE}],
    "fewer documents": [(FOUR, right) for n in (1, 2, 3) for right in lists_of(n, FOUR) if right != FOUR[:n]],
    "its own beginning": [(FOUR, FOUR[:n]) for n in (1, 2, 3)],
}


def optimized_bias(left, right, k, credit):
    """Return the bias by set of clicked places, for the distribution over pages that the package uses."""
    n = min(k, len(left), len(right))
    left, right = left[:n], right[:n]
    plan = optimized.plan(left, right, optimized.Credit[credit.upper()])
    pages = [tuple(page) for page in plan.pages.tolist()]
    chances = [Fraction(chance).limit_denominator(10**5) for chance in plan.chances]
    worth = [[naive.optimized_credit(left, right, doc, credit) for doc in page] for page in pages]
    assert sum(chances) == 1
    if not plan.relaxed:
        for credits in zip(*worth):
            assert sum(chance * one for chance, one in zip(chances, credits)) == 0
    bias = {}
    for clicks in itertools.product((False, True), repeat=n):
        leads = [sum(itertools.compress(credits, clicks)) for credits in worth]
        bias[clicks] = sum(chance * naive.sign(lead) for chance, lead in zip(chances, leads))
    return bias


def bias_of(left, right, k, method, setting):
    if method == "optimized":
        return optimized_bias(left, right, k, setting)
    return naive.bias_by_clicks(left, right, k, method, setting)


def row_of(way):
    method, name, setting = way
    found = [
        max(abs(one) for pair in pairs for k in PAGES for one in bias_of(*pair, k, method, setting).values())
        for pairs in PAIRS.values()
    ]
    assert all(isinstance(bias, int | Fraction) for bias in found)
    cells = [
        f"`{method}({name}={setting})`",
        *("fair" if bias == 0 else f"{float(bias):.3f}" for bias in found),
    ]
    return f"| {' | '.join(cells)} |"


def table_of_the_guide():
    lines = GUIDE.read_text(encoding="utf-8").splitlines()
    start = lines.index(f"| method | {' | '.join(PAIRS)} |") + 2
    return list(itertools.takewhile(lambda line: line.startswith("|"), lines[start:]))


def test_the_guide_has_the_methods():
    assert len(table_of_the_guide()) == len(WAYS)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: f"{way[0]}-{way[2]}")
def test_the_guide_has_the_largest_bias(way):
    assert row_of(way) in table_of_the_guide()
