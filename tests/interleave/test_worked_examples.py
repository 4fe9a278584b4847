"""The running example in fractions: two rankings of four documents, all numbers by enumeration.

The rankings are 0123 and 1230; documents 0 and 3 are relevant.
"""

import itertools
import random
from fractions import Fraction

import naive
import numpy as np
import pytest
from support.small_worlds import INFORMATIONAL, NAVIGATIONAL, PERFECT, RANDOM, chosen, odds

from rankduel.interleave import interleaved_page, interleaving
from rankduel.interleave.methods import optimized

LEFT, RIGHT = (0, 1, 2, 3), (1, 2, 3, 0)
LABELS = (1, 0, 0, 1)
PATTERNS = tuple(itertools.product((0, 1), repeat=4))
SIGN = {1: "+", 0: "0", -1: "-"}


def bits(text):
    return tuple(map(int, text))


def leads(credit):
    """Return {click pattern: sign of its lead as '+', '0' or '-'}."""
    return {"".join(map(str, clicks)): SIGN[np.sign(credit(clicks))] for clicks in PATTERNS}


def page_of(docs, configured, teams=None):
    """Draw pages until one has the documents `docs` and, if given, the teams."""
    pages = (interleaved_page(LEFT, RIGHT, configured, len(docs), seed) for seed in range(1000))
    return next(page for page in pages if page.docs == list(docs) and teams in (None, page.teams))


def checked_leads(docs, configured, twin):
    """Assert that the package and the twin have the same leads for all click patterns, and return them."""
    page, expected = page_of(docs, configured), leads(twin)
    assert leads(lambda clicks: page.credit(clicks).lead) == expected
    return expected


# --- balanced

HEADS = "1000 0100 0010 0001 1100 1010 1001 0110 0101 0011 1110 1101 1011 0111 1111".split()


@pytest.mark.kernel
@pytest.mark.parametrize(
    "page, row",
    [((0, 1, 2, 3), "+ - - - 0 0 0 - - - 0 0 0 - 0"), ((1, 0, 2, 3), "- + - - 0 - - 0 0 - 0 0 - 0 0")],
)
def test_balanced_outcomes(page, row):
    found = checked_leads(page, "balanced", lambda clicks: naive.balanced_credit(LEFT, RIGHT, page, clicks))
    assert found == dict(zip(HEADS, row.split())) | {"0000": "0"}


def test_balanced_has_two_pages():
    assert [page for _, page, _ in naive.balanced_pages(LEFT, RIGHT, 4)] == [(0, 1, 2, 3), (1, 0, 2, 3)]


def test_lerots_balanced_credit_differs_in_80_of_768_cases():
    n = differ = 0
    for right in itertools.permutations(range(4)):
        for _, page, _ in naive.balanced_pages(LEFT, right, 4):
            for clicks in PATTERNS:
                one, other = (naive.balanced_credit(LEFT, right, page, clicks, lerot) for lerot in (0, 1))
                n, differ = n + 1, differ + (np.sign(one) != np.sign(other))
    assert (differ, n) == (80, 768)


@pytest.mark.kernel
def test_the_smallest_case_where_lerots_balanced_credit_differs():
    left, right = (0, 1, 2), (1, 2, 0)
    for credit, lead in (("joachims", 0), ("lerot", 1)):
        pages = (
            interleaved_page(left, right, interleaving("balanced", credit=credit), seed=s) for s in range(50)
        )
        page = next(page for page in pages if page.docs == [0, 1, 2])
        assert np.sign(page.credit([1, 1, 0]).lead) == lead


# --- team draft


def with_team_letters(pages):
    return sorted((page, "".join("AB-"[2 if t is None else t] for t in teams), p) for p, page, teams in pages)


TEAM_DRAFT = [
    (LEFT, RIGHT, 4, False, "0123 ABAB, 0123 ABBA, 1023 BAAB, 1023 BABA"),
    (LEFT, RIGHT, 3, False, "012 ABA, 012 ABB, 102 BAA, 102 BAB"),
    ((0, 1, 2), (0, 2, 1), 3, False, "012 BAA, 012 BAB, 021 ABA, 021 ABB"),
    ((0, 1, 2), (0, 2, 1), 3, True, "012 -AB, 021 -BA"),
]


@pytest.mark.kernel
@pytest.mark.parametrize("left, right, k, neutral, expected", TEAM_DRAFT)
def test_team_draft_pages(left, right, k, neutral, expected):
    rows = [row.split() for row in expected.split(", ")]
    enumerated = with_team_letters(naive.team_draft_pages(left, right, k, neutral))
    assert enumerated == [(bits(page), teams, Fraction(1, len(rows))) for page, teams in rows]
    configured = interleaving("team_draft", prefix="neutral" if neutral else "assign")
    pages = [interleaved_page(left, right, configured, k, seed) for seed in range(60)]
    letters = {"first": "A", "second": "B", "none": "-"}
    seen = {("".join(map(str, p.docs)), "".join(letters[t] for t in p.teams)) for p in pages}
    assert seen == set(map(tuple, rows))


# --- document constraints

FIRST_MINUS = "0001 0010 0011 0100 0101 0110 0111"
OTHERS = "1000 1001 1010 1011 1100 1101 1110"
SECOND_MINUS, SECOND_PLUS = "0001 0010 0011 1001 1010 1011", "0100 0101 0110 0111"
CONSTRAINTS = [
    ("0123", 1, FIRST_MINUS, ""),
    ("0123", 2, FIRST_MINUS, "1000 1001 1010 1011"),
    ("0123", 3, FIRST_MINUS, OTHERS),
    ("1023", 1, SECOND_MINUS, SECOND_PLUS),
    ("1023", 2, SECOND_MINUS + " 1000", SECOND_PLUS + " 1100 1101"),
    ("1023", 3, SECOND_MINUS + " 1000", SECOND_PLUS + " 1100 1101 1110"),
]


@pytest.mark.kernel
@pytest.mark.parametrize("page, kind, minus, plus", CONSTRAINTS)
def test_document_constraints_outcomes(page, kind, minus, plus):
    def twin(clicks):
        return naive.constraints_credit(LEFT, RIGHT, bits(page), clicks, kind)

    found = checked_leads(bits(page), interleaving("document_constraints", type=kind), twin)
    assert [pattern for pattern in found if found[pattern] == "-"] == sorted(minus.split())
    assert [pattern for pattern in found if found[pattern] == "+"] == sorted(plus.split())


# --- probabilistic

PAGES = """
0123 24813702/99788815 64/65 251/558 320/671
1023 8591544207/47006097775 1/9 19648/21467 320/671
1203 759036744/6715156825 1/9 2456/51569 448/583
0132 97220898/1097676965 64/65 251/558 135/239
1032 33661951893/517067075525 1/9 19648/21467 135/239
1230 4683113496/73866725075 1/9 2456/51569 7/327
0213 63363027/1003590368 64/65 16064/24353 224/467
1302 26070471/909128924 1/9 8289/124705 243/271
2013 55286729/1945595124 8/35 116416/118387 224/467
1320 22414833/909128924 1/9 8289/124705 9/233
2103 7456888/319352735 8/35 1819/17587 448/583
0312 26903643/1254487960 64/65 6777/9233 243/523
2130 46007592/3512880085 8/35 1819/17587 7/327
3012 108913181/13423429800 27/91 15768/16019 243/523
3102 12707461/2147748768 27/91 1971/18035 243/271
3120 10925603/2147748768 27/91 1971/18035 9/233
0231 135681/27124064 64/65 16064/24353 28/37
0321 5504187/1254487960 64/65 6777/9233 72/107
2031 118387/52583652 8/35 116416/118387 28/37
3021 22282429/13423429800 27/91 15768/16019 72/107
2310 29125117/31615920765 8/35 1819/6491 65/641
3210 161532/186436525 27/91 73/324 65/641
2301 24036173/31615920765 8/35 1819/6491 520/529
3201 133308/186436525 27/91 73/324 520/529
"""
SHORT = """
01 10576332/31362199
10 281689974/1136411155
12 200500272/1136411155
02 8547903/125448796
13 12121326/227282231
21 1969744/54044309
20 1657418/54044309
03 3240783/125448796
31 328237/29829844
30 1457729/149149220
23 90874/54044309
32 58968/37287305
"""


def by_page(k, tau=3, left=LEFT, right=RIGHT):
    return naive.assignments_by_page(naive.probabilistic_pages(left, right, k, tau))


def test_probabilistic_pages_and_posteriors():
    pages = by_page(4)
    rows = [row.split() for row in PAGES.split("\n") if row]
    assert len(rows) == len(pages) == 24
    for name, chance, *posteriors in rows:
        found, assignments = pages[bits(name)]
        assert found == Fraction(chance)
        shares = [naive.posterior(assignments, rank) for rank in range(4)]
        assert shares == [*map(Fraction, posteriors), Fraction(1, 2)]


def test_probabilistic_pages_of_two():
    rows = dict(row.split() for row in SHORT.split("\n") if row)
    assert {bits(page): Fraction(p) for page, p in rows.items()} == {p: c for p, (c, _) in by_page(2).items()}


@pytest.mark.kernel
def test_a_single_click_earns_the_posterior():
    """With one click the marginal outcome is 2 q - 1, so the leads give the posteriors of the kernel."""
    configured = interleaving("probabilistic")
    pages = {
        tuple(page.docs): page
        for page in (interleaved_page(LEFT, RIGHT, configured, seed=s) for s in range(300))
    }
    assert len(pages) >= 12
    rows = {bits(row.split()[0]): row.split()[2:] for row in PAGES.split("\n") if row}
    for docs, page in pages.items():
        for rank, q in enumerate([*rows[docs], "1/2"]):
            lead = page.credit([at == rank for at in range(4)]).lead
            assert lead == pytest.approx(float(2 * Fraction(q) - 1), abs=1e-9)


@pytest.mark.kernel
def test_values_that_lerots_tests_assert():
    left, right = (1, 3, 2, 0), (0, 1, 3, 2)
    pages = by_page(4, 3, left, right)
    assert float(pages[1, 0, 3, 2][0]) == pytest.approx(0.182775, abs=5e-7)
    chance, assignments = pages[left]
    assert float(chance * assignments[0, 0, 0, 0]) == pytest.approx(0.026261, abs=5e-7)
    for docs, outcome in (((1, 0, 3, 2), 0.777778), ((0, 1, 3, 2), -0.969231)):
        shown = (interleaved_page(left, right, "probabilistic", seed=s) for s in range(100))
        page = next(page for page in shown if tuple(page.docs) == docs)
        assert page.credit([1, 0, 0, 0]).lead == pytest.approx(outcome, abs=5e-7)
        loss, _, win = naive.marginal_odds(pages[docs][1], (1, 0, 0, 0))
        assert float(win - loss) == pytest.approx(outcome, abs=5e-7)


# --- bias under random clicks

SINGLE = [tuple(int(at == rank) for at in range(4)) for rank in range(4)]


def one_click(page):
    return {clicks: Fraction(1, 4) for clicks in SINGLE}


def half_clicks(page):
    return {clicks: Fraction(1, 16) for clicks in PATTERNS}


BIASES = [
    ("balanced", "joachims", Fraction(-1, 2), Fraction(-3, 8)),
    ("document_constraints", "1", Fraction(-1, 2), Fraction(-9, 32)),
    ("document_constraints", "3", Fraction(-1, 2), 0),
    ("team_draft", "assign", 0, 0),
    ("probabilistic", "assignment", 0, 0),
    ("probabilistic", "marginal_bernoulli", 0, 0),
    ("probabilistic", "marginal_sign", Fraction(-236759551989842939, 1364287683577618800), None),
]


@pytest.mark.parametrize("method, setting, single, half", BIASES)
def test_bias_under_random_clicks(method, setting, single, half):
    for patterns, expected in ((one_click, single), (half_clicks, half)):
        loss, tie, win = naive.interleaving_odds(LEFT, RIGHT, 4, method, setting, patterns)
        assert loss + tie + win == 1
        if expected is None:
            assert float(win - loss) == pytest.approx(-0.036322, abs=5e-7)
        else:
            assert win - loss == expected
    if single:
        assert setting != "marginal_sign" or float(single) == pytest.approx(-0.17354, abs=5e-6)


def test_the_mean_marginal_outcome_is_fair():
    for patterns in (one_click, half_clicks):
        mean = Fraction(0)
        for page, (chance, assignments) in by_page(4).items():
            for clicks, p in patterns(page).items():
                loss, _, win = naive.marginal_odds(assignments, clicks)
                mean += chance * p * (win - loss)
        assert mean == 0


# --- optimized

OPENNESS = {(0, 1, 2, 3): 0.998846, (1, 0, 2, 3): 0.795040, (1, 2, 0, 3): 0.634310, (1, 2, 3, 0): 0.529361}
PLANS = [
    (4, "linear", "1/4 1/4 1/4 1/4", 0.739389),
    (4, "inverse", "2/5 18/55 19/110 1/10", 0.822232),
    (2, "linear", "1/3 1/3 1/3", 0.918296 * 2 / 3),
    (2, "inverse", "3/7 13/35 1/5", 0.918296 * 28 / 35),
    (2, "binary", "1/2 1/2 0", 0.918296),
]
CODES = {
    "linear": optimized.Credit.LINEAR,
    "inverse": optimized.Credit.INVERSE,
    "binary": optimized.Credit.BINARY,
}


def test_optimized_allows_four_pages():
    assert naive.allowed_pages(LEFT, RIGHT) == set(OPENNESS) == {*optimized._allowed_pages(LEFT, RIGHT)}
    for page, value in OPENNESS.items():
        assert naive.openness(LEFT, RIGHT, page) == pytest.approx(value, abs=5e-7)


@pytest.mark.parametrize("k, credit, chances, value", PLANS)
def test_optimized_plans(k, credit, chances, value):
    left, right = LEFT[:k], RIGHT[:k]
    pages = sorted(naive.allowed_pages(left, right))
    expected = dict(zip(pages, map(Fraction, chances.split())))
    for rank in range(k):
        worth = [p * naive.optimized_credit(left, right, page[rank], credit) for page, p in expected.items()]
        assert sum(worth) == 0
    made = optimized.plan(left, right, CODES[credit])
    found = dict(zip(map(tuple, made.pages.tolist()), made.chances))
    assert not made.relaxed
    assert [found.get(page, 0.0) for page in pages] == pytest.approx(
        [float(expected[p]) for p in pages], abs=1e-9
    )
    assert made.sensitivity == pytest.approx(value, abs=1e-6)


def test_optimized_credits():
    worth = {kind: [naive.optimized_credit(LEFT, RIGHT, doc, kind) for doc in LEFT] for kind in CODES}
    assert worth["linear"] == [3, -1, -1, -1]
    assert worth["inverse"] == [Fraction(3, 4), Fraction(-1, 2), Fraction(-1, 6), Fraction(-1, 12)]
    for kind, values in worth.items():
        found = optimized._document_credits(LEFT, RIGHT, CODES[kind])
        assert [found[doc] for doc in LEFT] == pytest.approx([float(v) for v in values], abs=1e-15)


def test_binary_credit_is_not_feasible():
    made = optimized.plan(LEFT, RIGHT, optimized.Credit.BINARY)
    assert made.relaxed
    # The credit is 1 for document 0 and -1 for the others: pages sum to -2, so |means| sum to 2 or more.
    assert made.unfairness == pytest.approx(np.abs(made.chances @ made.credits).sum(), abs=1e-8)
    assert made.unfairness == pytest.approx(2.0, abs=1e-8)


@pytest.mark.slow
def test_linear_and_inverse_credits_are_always_feasible_and_binary_often_not():
    draw = random.Random(5)
    for length in (3, 4, 5, 6, 8):
        relaxed = dict.fromkeys(CODES, 0)
        for _ in range(150):
            left, right = (tuple(draw.sample(range(length), length)) for _ in range(2))
            for kind, code in CODES.items():
                relaxed[kind] += optimized.plan(left, right, code).relaxed
        assert relaxed["linear"] == relaxed["inverse"] == 0
        assert 5 <= relaxed["binary"] <= 110


# --- exploitative


def test_exploitative_mixtures_and_weights():
    left, right, page = (1, 3, 2, 0), (0, 1, 3, 2), (1, 0, 3, 2)
    half, tenth = Fraction(1, 2), Fraction(1, 10)
    for rate, expected in (
        (half, {1: "0.36", 0: "0.30", 3: "0.20", 2: "0.14"}),
        (tenth, {1: "0.456", 3: "0.232", 2: "0.156", 0: "0.156"}),
    ):
        pages = naive.assignments_by_page(naive.probabilistic_pages(left, right, 1, 1, rate))
        assert {doc: chance for (doc,), (chance, _) in pages.items()} == {
            doc: Fraction(p) for doc, p in expected.items()
        }
    for rate, chance in ((half, 0.090916), (tenth, 0.073752)):
        found = naive.assignments_by_page(naive.probabilistic_pages(left, right, 4, 1, rate))[page][0]
        assert float(found) == pytest.approx(chance, abs=5e-7)


@pytest.mark.kernel
@pytest.mark.parametrize("weighting, lerot", [("biased", 0.029049), ("corrected", 0.035810)])
def test_exploitative_outcomes(weighting, lerot):
    """Lerot divides by 2^4 and has the opposite sign."""
    left, right = (1, 3, 2, 0), (0, 1, 3, 2)
    configured = interleaving("exploitative", tau=1, rate=0.1, weighting=weighting)
    shown = (interleaved_page(left, right, configured, seed=seed) for seed in range(500))
    page = next(page for page in shown if page.docs == [1, 0, 3, 2])
    assert -page.credit([0, 1, 0, 0]).lead / 16 == pytest.approx(lerot, abs=5e-7)


# --- odds: win, tie, loss

USERS = {"perfect": PERFECT, "navigational": NAVIGATIONAL, "informational": INFORMATIONAL, "random": RANDOM}
ODDS = """
perfect balanced-joachims 0 1 0
perfect document_constraints-1 1/2 1/2 0
perfect document_constraints-3 1 0 0
perfect team_draft-assign 1/2 1/2 0
perfect probabilistic-marginal_sign 0.863297428 0 0.136702572
perfect probabilistic-assignment 0.419712408 0.496307337 0.083980255
perfect optimized-linear 1 0 0
perfect optimized-inverse 1 0 0
navigational balanced-joachims 1340659/1600000 175351/1600000 8399/160000
navigational document_constraints-1 361/800 401043/800000 37957/800000
navigational document_constraints-3 590691/625000 48013/20000000 8399/160000
navigational team_draft-assign 72485209/80000000 5131397/80000000 1191697/40000000
navigational probabilistic-marginal_sign 0.801016278 0.035181332 0.163802390
navigational probabilistic-assignment 0.731776800 0.060529088 0.207694112
navigational optimized-linear 118241047/160000000 48013/20000000 41374849/160000000
navigational optimized-inverse 344792791/400000000 48013/20000000 54246949/400000000
informational balanced-joachims 1881/5000 2547/5000 143/1250
informational document_constraints-1 27/100 15917/25000 2333/25000
informational document_constraints-3 103689/125000 7011/125000 143/1250
informational team_draft-assign 38451/62500 33687/125000 14411/125000
informational probabilistic-marginal_sign 0.687475274 0.029021987 0.283502738
informational probabilistic-assignment 0.536357320 0.197287851 0.266354828
informational optimized-linear 4437/6250 7011/125000 29249/125000
informational optimized-inverse 5356737/6875000 7011/125000 566329/3437500
random balanced-joachims 1/16 1/2 7/16
random document_constraints-1 1/8 15/32 13/32
random document_constraints-3 7/16 1/8 7/16
random team_draft-assign 5/16 3/8 5/16
random probabilistic-marginal_sign 0.419338961 1/8 0.455661039
random probabilistic-assignment 93/256 35/128 93/256
random optimized-linear 7/16 1/8 7/16
random optimized-inverse 7/16 1/8 7/16
"""
SETTINGS = {"balanced": "credit", "team_draft": "prefix", "document_constraints": "type"}


@pytest.mark.kernel
@pytest.mark.parametrize(
    "row", [row.split() for row in ODDS.split("\n") if row], ids=lambda row: "-".join(row[:2])
)
def test_odds_of_the_example(row):
    user_name, method_and_setting, *expected = row
    method, value = method_and_setting.split("-")
    user, configured = USERS[user_name], chosen((method, SETTINGS.get(method, "credit"), value))
    found = odds(LEFT, RIGHT, LABELS, user, configured, 4)[::-1]
    tolerance = 1e-9 if any("." in number for number in expected) else 1e-12
    if method == "optimized":
        tolerance = 1e-9  # tolerance of the solver
    assert found == pytest.approx([float(Fraction(number)) for number in expected], abs=tolerance)
    if method != "optimized":
        twin = naive.interleaving_odds(LEFT, RIGHT, 4, method, value, user.patterns(LABELS))[::-1]
        assert found == pytest.approx([float(share) for share in twin], abs=1e-12)
        for share, number in zip(twin, expected):
            assert share == Fraction(number) or ("." in number and abs(share - Fraction(number)) < 1e-9)
