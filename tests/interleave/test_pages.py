"""Pages of two plain lists: their distribution, and the credit of clicks."""

import collections
import functools
import itertools
import re
from fractions import Fraction

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2
from support.small_worlds import RANDOM, small_world, two_rankings

from rankduel.base.errors import ClickModelError, InterleaveError
from rankduel.base.settings import settings_of
from rankduel.clickmodels import click_model
from rankduel.interleave import METHODS, PRESETS, interleaved_page, interleaving, make_world, preset
from rankduel.interleave.methods import optimized

pytestmark = pytest.mark.kernel

LEFT, RIGHT = (0, 1, 2, 3), (1, 2, 3, 0)
N_PAGES = 1000
TEAMS = {"first": 0, "second": 1, "none": None}


# --- distribution of pages


def without_sides(pages):
    return [(chance, page, None) for chance, page, _ in pages]


def plan(left, right, k, credit):
    """Return pages with the probabilities of the package's plan; exact/test_dispatch.py tests the plan."""
    made = optimized.plan(left[:k], right[:k], interleaving("optimized", credit=credit).code("credit"))
    return [
        (chance, tuple(page), (None,) * len(page)) for page, chance in zip(made.pages.tolist(), made.chances)
    ]


FREQUENCIES = [
    ("balanced", {}, lambda *duel: without_sides(naive.balanced_pages(*duel))),
    ("document_constraints", {}, lambda *duel: without_sides(naive.balanced_pages(*duel))),
    ("team_draft", {}, naive.team_draft_pages),
    ("team_draft", {"prefix": "neutral"}, lambda *duel: naive.team_draft_pages(*duel, True)),
    ("probabilistic", {}, naive.probabilistic_pages),
    ("probabilistic", {"tau": 1}, lambda *duel: naive.probabilistic_pages(*duel, 1)),
    ("exploitative", {"rate": 0.25}, lambda *duel: naive.probabilistic_pages(*duel, 3, Fraction(1, 4))),
    ("exploitative", {"rate": 0}, lambda *duel: naive.probabilistic_pages(*duel, 3, Fraction(0))),
    ("optimized", {}, lambda *duel: plan(*duel, "linear")),
    ("optimized", {"credit": "inverse"}, lambda *duel: plan(*duel, "inverse")),
]


def id_of(value):
    return "" if callable(value) else str(value)


DUELS = [(LEFT, RIGHT, 4), ((4, 0, 3, 1, 2), (4, 2, 0, 3, 1), 3)]


def chi_square_p_value(seen, expected):
    """Return the p-value of a chi-square test; rare categories are merged."""
    n = sum(seen.values())
    common = [key for key, chance in expected.items() if chance * n >= 5]
    rare = n * float(sum(chance for key, chance in expected.items() if key not in common))
    rows = [(seen[key], float(expected[key] * n)) for key in common]
    if rare > 0:
        rows.append((n - sum(count for count, _ in rows), max(rare, 1)))
    return chi2.sf(sum((count - mean) ** 2 / mean for count, mean in rows), max(1, len(rows) - 1))


@pytest.mark.parametrize("left, right, k", DUELS)
@pytest.mark.parametrize("method, more, enumerate_pages", FREQUENCIES, ids=id_of)
def test_page_frequencies_match_enumeration(method, more, enumerate_pages, left, right, k):
    configured, expected = interleaving(method, **more), collections.Counter()
    for chance, page, side in enumerate_pages(left, right, k):
        expected[page, side] += chance
    assert float(sum(expected.values())) == pytest.approx(1)
    seen = collections.Counter()
    n_pages = N_PAGES // 4 if method == "optimized" else N_PAGES  # each page solves a linear programme
    for seed in range(n_pages):
        page = interleaved_page(left, right, configured, k, seed)
        teams = tuple(TEAMS[team] for team in page.teams)
        seen[tuple(page.docs), None if method in ("balanced", "document_constraints") else teams] += 1
    assert {key for key in seen if not expected[key]} == set()
    assert chi_square_p_value(seen, expected) > 1e-6


def test_the_chi_square_test_detects_one_draw_for_two_ranks():
    """The test has power: one random draw per round instead of one per rank is rejected."""
    expected = {
        (page, assignments): chance for chance, page, assignments in naive.probabilistic_pages(LEFT, RIGHT, 4)
    }
    rounds = {
        key: 4 * p if key[1][0] == 1 - key[1][1] and key[1][2] == 1 - key[1][3] else 0
        for key, p in expected.items()
    }
    seen = collections.Counter({key: round(N_PAGES * float(p)) for key, p in rounds.items()})
    assert chi_square_p_value(seen, expected) < 1e-6


# --- properties of every page

every_method = pytest.mark.parametrize(
    "configured",
    [
        interleaving(name, **{setting: value})
        for name, method in METHODS.items()
        for setting, about in settings_of(method).items()
        for value in (about.choices or ((1, 2, 3) if setting == "type" else ()))
    ],
    ids=str,
)
rankings = st.integers(1, 7).flatmap(lambda n: st.tuples(*[st.permutations(range(n))] * 2))
seeds = st.integers(0, 2**32 - 1)


@every_method
def test_a_page_holds_distinct_documents_of_the_rankings(configured):
    @settings(max_examples=30)
    @given(rankings, st.integers(1, 9), seeds)
    def check(two, length, seed):
        page = interleaved_page(*two, configured, length, seed)
        assert len(page.docs) == len(set(page.docs)) == len(page.teams) == min(length, len(two[0]))
        assert set(page.docs) <= set(two[0])
        again = interleaved_page(*two, configured, length, seed)
        assert (again.docs, again.teams) == (page.docs, page.teams)
        verdict = page.credit([0] * len(page.docs))
        assert verdict == ("tie", 0.0)

    check()


@settings(max_examples=100)
@given(rankings, st.integers(1, 7), seeds)
def test_each_pick_is_the_best_remaining_document(two, length, seed):
    page = interleaved_page(*two, "team_draft", length, seed)
    for rank, (doc, team) in enumerate(zip(page.docs, page.teams)):
        assert doc == next(d for d in two[TEAMS[team]] if d not in page.docs[:rank])
    assert abs(page.teams.count("first") - page.teams.count("second")) == len(page.docs) % 2


@settings(max_examples=100)
@given(rankings, st.integers(1, 7), seeds)
def test_every_prefix_of_a_balanced_page_is_a_union_of_prefixes(two, length, seed):
    page = interleaved_page(*two, "balanced", length, seed)
    depths = range(len(two[0]) + 1)
    balanced_depths = [(i, j) for i in depths for j in depths if abs(i - j) <= 1]
    for n in range(1, len(page.docs) + 1):
        assert any({*page.docs[:n]} == {*two[0][:i], *two[1][:j]} for i, j in balanced_depths)


# --- credit


@functools.cache
def all_assignments(left, right, k, rate=Fraction(1, 2)):
    return naive.assignments_by_page(naive.probabilistic_pages(left, right, k, 3, rate))


def twin_lead(configured, left, right, page, clicks, assignments):
    docs, teams = tuple(page.docs), tuple(TEAMS[team] for team in page.teams)
    if configured.name == "balanced":
        return naive.balanced_credit(left, right, docs, clicks, configured.get("credit") == "lerot")
    if configured.name == "document_constraints":
        return naive.constraints_credit(left, right, docs, clicks, int(configured.get("type")))
    if configured.name == "optimized":
        k = len(docs)
        worth = [naive.optimized_credit(left[:k], right[:k], doc, configured.get("credit")) for doc in docs]
        return sum(itertools.compress(worth, clicks))
    if configured.name == "team_draft" or configured.get("credit") == "assignment":
        counted = sum(click for click, team in zip(clicks, teams) if team is not None)
        return Fraction(naive.team_credit(teams, clicks), max(1, counted))
    chance, given_page = assignments[docs]
    loss, _, win = naive.marginal_odds(given_page, clicks)
    if configured.get("weighting") == "corrected":
        rate = Fraction(configured.get("rate")).limit_denominator(1000)
        return (win - loss) * chance / all_assignments(left, right, len(docs), rate)[docs][0]
    return win - loss


@every_method
@pytest.mark.parametrize("left, right, k", DUELS)
def test_credit_matches_the_twin_for_all_clicks(configured, left, right, k):
    if configured.get("credit") in ("marginal_bernoulli", "marginal_sampled"):
        configured = interleaving("probabilistic", credit=configured.get("credit"), samples=40_000)
    assignments = all_assignments(left, right, k)
    pages = {
        tuple(page.docs): page
        for page in (interleaved_page(left, right, configured, k, seed) for seed in range(6))
    }
    for page in pages.values():
        for clicks in itertools.product((False, True), repeat=k):
            expected = float(twin_lead(configured, left, right, page, clicks, assignments))
            verdict = page.credit(clicks)
            if configured.get("credit") == "marginal_bernoulli":
                assert abs(verdict.lead) == (1 if any(clicks) else 0)
                continue
            # 5 standard errors of 40,000 samples with a standard deviation of at most 1
            tolerance = 0.025 if configured.get("credit") == "marginal_sampled" else 1e-12
            assert verdict.lead == pytest.approx(expected, abs=tolerance)
            sign = (verdict.lead > 0) - (verdict.lead < 0)
            assert verdict.winner == {1: "first", 0: "tie", -1: "second"}[sign]
            if tolerance < 0.01 and abs(expected) < 1e-12:
                assert verdict.lead == 0


def test_bernoulli_credit_wins_with_the_marginal_probability():
    page = interleaved_page(LEFT, RIGHT, interleaving("probabilistic", credit="marginal_bernoulli"), 4, 3)
    _, assignments = naive.assignments_by_page(naive.probabilistic_pages(LEFT, RIGHT, 4))[tuple(page.docs)]
    clicks, n = (1, 0, 1, 1), 4000
    loss, _, win = naive.marginal_odds(assignments, clicks)
    wins = sum(page.credit(clicks).winner == "first" for _ in range(n))
    assert wins / n == pytest.approx(float(1 + win - loss) / 2, abs=5 * 0.5 / n**0.5)  # 5 s.e.


@pytest.mark.parametrize(
    "clicked",
    [[0, 1, 1], [False, True, True], np.array([0, 1, 1]), np.array([0, 1, 1], bool), ["a", "c"], ("c", "a")],
    ids=repr,
)
def test_clicks_are_flags_or_documents(clicked):
    left, right = ("a", "b", "c"), ("b", "c", "a")
    pages = (interleaved_page(left, right, "team_draft", seed=seed) for seed in range(50))
    page = next(page for page in pages if page.docs == ["b", "a", "c"] and page.teams[2] == "first")
    assert page.credit(clicked) == ("first", 1.0)


def test_documents_may_be_numbers():
    page = interleaved_page([7, 8, 9], [9, 8, 7], "team_draft", seed=0)
    assert page.credit(page.docs[:1]) == page.credit(np.array(page.docs[:1])) == page.credit([1, 0, 0])


# --- printed forms of methods and their settings


def parsed(text):
    name, inside = re.fullmatch(r"(\w+)(?:\((.*)\))?", text).groups()
    return interleaving(name, **dict(pair.split("=") for pair in (inside or "").split(",") if pair))


@every_method
def test_the_printed_form_can_be_parsed(configured):
    assert parsed(str(configured)) == configured


@given(st.floats(0, 50), st.integers(1, 10**7), st.floats(0, 1))
def test_printed_numbers_keep_every_digit(tau, samples, rate):
    for configured in (
        interleaving("probabilistic", tau=tau, samples=samples),
        interleaving("exploitative", rate=rate),
    ):
        assert parsed(str(configured)) == configured


def test_only_changed_settings_are_printed():
    assert str(interleaving("probabilistic")) == "probabilistic"
    assert (
        str(interleaving("probabilistic", tau=2, credit="assignment"))
        == "probabilistic(credit=assignment,tau=2)"
    )
    assert interleaving("document_constraints", type=2) == interleaving("document_constraints", type="2")


@pytest.mark.parametrize("name", PRESETS)
def test_presets_make_worlds(name):
    settings = preset(name)
    small_world(LEFT, RIGHT, (0, 1, 0, 1), RANDOM, settings.pop("interleaving"), 4, **settings)


def test_an_unknown_preset_gets_a_suggestion():
    with pytest.raises(InterleaveError, match="no preset named 'lerott'; did you mean 'lerot'"):
        preset("lerott")


# --- errors

BAD_LISTS = [
    ([], [], {}, "nothing to interleave: the rankings are empty"),
    ("aab", "aba", {}, "a ranking holds a document twice: 'a' at ranks 1 and 2"),
    ("ab", "aa", {}, "a ranking holds a document twice: 'a' at ranks 1 and 2"),
    (
        "ab",
        "ac",
        {"method": interleaving("exploitative", rate=0)},
        "exploitative(rate=0): some lists end before others, and with a rate of 0 documents that the second "
        "ranker alone lists are never shown; choose a rate between 0 and 1, or another method, such as "
        "'probabilistic' or 'team_draft'",
    ),
    ("ab", "ba", {"length": 0}, "a page must have at least 1 document, not 0"),
    ("ab", "ba", {"length": -3}, "a page must have at least 1 document, not -3"),
    (
        "ab",
        "ba",
        {"method": "teamdraft"},
        "no interleaving method named 'teamdraft'; did you mean 'team_draft'?",
    ),
    (range(15), range(15), {"method": "optimized"}, "optimized pages have at most 14 documents, not 15"),
]


@pytest.mark.parametrize("left, right, more, message", BAD_LISTS)
def test_invalid_lists_are_refused(left, right, more, message):
    with pytest.raises(InterleaveError, match=f"^{re.escape(message)}$"):
        interleaved_page(list(left), list(right), **more)


@pytest.mark.parametrize(
    "clicked, message", [(["z"], "'z' was clicked but is not on the page"), ([0, 1], "0 was clicked")]
)
def test_invalid_clicks_are_refused(clicked, message):
    with pytest.raises(InterleaveError, match=re.escape(message)):
        interleaved_page("abc", "bca", seed=0).credit(clicked)


BAD_SETTINGS = [
    ("xyz", {}, "no interleaving method named 'xyz'; known: balanced, document_constraints, "),
    ("team_draft", {"prefx": "neutral"}, "no setting of team_draft named 'prefx'; did you mean 'prefix'?"),
    ("team_draft", {"tau": 3}, "no setting of team_draft named 'tau'; known: prefix"),
    ("team_draft", {"prefix": "none"}, "team_draft: prefix is 'none'; expected assign or neutral"),
    (
        "balanced",
        {"credit": "marginal_sign"},
        "balanced: credit is 'marginal_sign'; expected joachims or lerot",
    ),
    (
        "document_constraints",
        {"type": 4},
        "document_constraints: type is 4; expected at least 1",
    ),
    ("probabilistic", {"tau": -1}, "probabilistic: tau is -1; expected at least 0 and at most 50"),
    ("probabilistic", {"tau": 51}, "probabilistic: tau is 51; expected at least 0 and at most 50"),
    ("probabilistic", {"tau": "nan"}, "probabilistic: tau is 'nan'; expected a number"),
    ("probabilistic", {"tau": "three"}, "probabilistic: tau is 'three'; expected a number"),
    ("probabilistic", {"tau": None}, "probabilistic: tau is 'None'; expected a number"),
    (
        "probabilistic",
        {"samples": 0},
        "probabilistic: samples is 0; expected at least 1 and at most 1e+07",
    ),
    (
        "probabilistic",
        {"samples": 2.5},
        "probabilistic: samples is '2.5'; expected a whole number",
    ),
    ("exploitative", {"rate": 1.5}, "exploitative: rate is 1.5; expected at least 0 and at most 1"),
    ("exploitative", {"rate": -0.1}, "exploitative: rate is -0.1; expected at least 0 and at most 1"),
]


@pytest.mark.parametrize("name, more, message", BAD_SETTINGS)
def test_invalid_settings_are_refused(name, more, message):
    with pytest.raises(InterleaveError, match="^" + re.escape(message)):
        interleaving(name, **more)


BAD_WORLDS = [
    ({"length": 0}, InterleaveError, "a page must have at least 1 document, not 0"),
    ({"labels": [0, 1]}, InterleaveError, "2 labels for rankings of 4 documents"),
    (
        {"labels": [0, 1, 2, 0]},
        ClickModelError,
        "the data have grade 2, but the click model has grades 0 to 1 only",
    ),
    (
        {"tied_duels": "coins"},
        InterleaveError,
        "no way to settle tied duels named 'coins'; did you mean 'coin'?",
    ),
    ({"queries": "unform"}, InterleaveError, "no choice of queries named 'unform'; did you mean 'uniform'?"),
    *(
        (
            {"queries": queries},
            InterleaveError,
            "query weights must be 1 numbers that are not negative and not all 0",
        )
        for queries in ([1, 2], [-1], [0], [float("nan")], [float("inf")], [])
    ),
]


@pytest.mark.parametrize("changes, error, message", BAD_WORLDS)
def test_invalid_worlds_are_refused(changes, error, message):
    changes = dict(changes)
    labels = np.array(changes.pop("labels", [0, 1, 0, 1]), np.int8)
    with pytest.raises(error, match=re.escape(message)):
        make_world(
            two_rankings(LEFT, RIGHT), labels, click_model("random", 2), interleaving("balanced"), **changes
        )
