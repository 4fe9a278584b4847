"""Families of matrices: against slow twins that enumerate rankings, and by their properties."""

from itertools import combinations

import numpy as np
import pytest
from naive import families as naive

from rankduel.bandits import checked_prefs, condorcet_winner
from rankduel.base.errors import MatrixError, RankduelError
from rankduel.cli.options import problem_name
from rankduel.experiments.matrix.builtin import FAMILIES, MATRICES, is_built_in, make_matrix, parse_matrix
from rankduel.experiments.matrix.preferences import read_preferences
from rankduel.experiments.studies.data.judged import DataSource
from rankduel.experiments.studies.data.problems import open_problem, stand_in_for
from rankduel.experiments.studies.toml import read_study


def matrix(text):
    return make_matrix(parse_matrix(text))


STRENGTHS, UTILITIES, ORDERS = [4, 1, 2.5, 0.3], [0.2, 0.9, 0.0, 0.5], [(0, 1, 2, 3), (2, 3, 1, 0)]
EVEN = [1, 2 / 3, 1 / 3, 0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("btl(strengths=4/1/2.5/0.3)", naive.btl(STRENGTHS)),
        ("btl(strengths=4/1/2.5/0.3)", naive.plackett_luce(STRENGTHS)),
        ("plackett_luce(strengths=4/1/2.5/0.3)", naive.plackett_luce(STRENGTHS)),
        ("plackett_luce(strengths=4/1/2.5/0.3,spread=2)", naive.plackett_luce([w**2 for w in STRENGTHS])),
        ("btl(k=4,spread=3)", naive.btl([np.exp(3 * u) for u in EVEN])),
        ("logistic(utilities=0.2/0.9/0/0.5,spread=4)", naive.logistic([4 * u for u in UTILITIES])),
        ("logistic(k=4)", naive.logistic(EVEN)),
        ("linear(utilities=0.2/0.9/0/0.5)", naive.linear(UTILITIES)),
        ("linear(k=4,spread=0.3)", naive.linear([0.3 * u for u in EVEN])),
        *((f"mallows(k=4,phi={phi})", naive.mallows((0, 1, 2, 3), phi)) for phi in (0, 0.3, 0.5, 0.99, 1)),
        ("gaps(gap=0.2/0.05/0.5,rest=0.3)", naive.gaps([0.2, 0.05, 0.5], 0.3)),
        ("gaps(gap=0.05/0.1/0.4,rest=additive)", naive.gaps([0.05, 0.1, 0.4], "additive")),
        ("gaps(k=4,gap=0.2)", naive.gaps([0.2] * 3, 0.1)),
        ("mixture(orders=0>1>2>3/2>3>1>0)", naive.mixture(ORDERS, [1, 1], 0)),
        ("mixture(orders=0>1>2>3/2>3>1>0,weights=3/1,phi=0.4)", naive.mixture(ORDERS, [3, 1], 0.4)),
        ("mixture(k=4,users=2)", naive.mixture([(0, 1, 2, 3), (2, 3, 0, 1)], [1, 1], 0)),
    ],
)
def test_values_are_those_of_the_slow_twin(text, expected):
    np.testing.assert_allclose(matrix(text), expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_is_valid_described_and_written_as_it_is_read(name):
    family = FAMILIES[name]
    assert family.name == name and family.about and family.formula and family.source
    for text in (name, f"{name}(k=7)"):
        chosen = parse_matrix(text)
        prefs = make_matrix(chosen)
        assert prefs.shape == ((7, 7) if "7" in text else (10, 10)) and str(chosen) == text
        np.testing.assert_allclose(checked_prefs(prefs), prefs, atol=1e-15)
    assert matrix(f"{name}(k=1)").tolist() == [[0.5]]


@pytest.mark.parametrize("phi", [1 - 1e-14, 1 - 1e-9, 1 - 1e-4])
def test_mallows_near_the_uniform_distribution(phi):
    """For distance d, P = 1/2 + (1 - phi)(d + 1/2)/6 up to (1 - phi)^2 d^2; h(d + 1) - h(d) cancels here."""
    distances = np.arange(1, 20)
    found = matrix(f"mallows(k=20,phi={phi!r})")[0, 1:]
    np.testing.assert_allclose(found - 0.5, (1 - phi) * (2 * distances + 1) / 12, rtol=2e-3, atol=1e-15)


ORDERED = [
    *("btl(k=30,spread=4)", "btl(k=30,strengths=random,seed=2)", "logistic(k=30)", "linear(k=30)"),
    *("mallows(k=30,phi=0.9)", "gaps(k=30)", "gaps(gap=0.01/0.02/0.2,rest=additive)"),
    *("linear(k=30,utilities=random)", "mixture(k=30,users=1,phi=0.7)"),
]


@pytest.mark.parametrize("text", ORDERED)
def test_models_with_an_order_are_strongly_transitive(text):
    prefs = matrix(text)
    upper = np.triu_indices(len(prefs), 1)
    assert condorcet_winner(prefs) == 0 and (prefs[upper] > 0.5).all()
    for i, j, k in combinations(range(len(prefs)), 3):
        assert prefs[i, k] >= max(prefs[i, j], prefs[j, k]) - 1e-12


def test_rational_users_whose_majority_has_a_cycle():
    """Condorcet's paradox: three orders, and each arm loses to another in two of three duels."""
    prefs = matrix("mixture(orders=0>1>2/1>2>0/2>0>1)")
    assert condorcet_winner(prefs) == -1
    np.testing.assert_allclose([prefs[0, 1], prefs[1, 2], prefs[2, 0]], 2 / 3)
    np.testing.assert_allclose(matrix("mixture(k=3)"), prefs)
    many = matrix("mixture(k=9)")
    assert condorcet_winner(many) == -1 and many[0, 3] > 0.5 and many[3, 6] > 0.5 and many[6, 0] > 0.5
    assert condorcet_winner(matrix("mixture(k=3,weights=3/1/1)")) == 0  # a majority of one kind decides


def test_some_random_mixtures_have_a_condorcet_winner_and_some_have_none():
    winners = [condorcet_winner(matrix(f"mixture(k=8,orders=random,seed={seed})")) for seed in range(20)]
    assert -1 in winners and max(winners) >= 0


def test_relations_between_families_and_built_in_matrices():
    np.testing.assert_allclose(matrix("btl(k=6,spread=2)"), matrix("logistic(k=6,spread=2)"))
    drawn = [matrix(f"{name}=random,k=6,seed=4)") for name in ("btl(strengths", "logistic(utilities")]
    np.testing.assert_array_equal(*drawn)
    np.testing.assert_allclose(matrix("gaps(k=100,gap=0.25,rest=0.25)"), MATRICES["case-a"].make())
    np.testing.assert_allclose(matrix("linear(k=8,spread=0.7)"), MATRICES["arithmetic"].make())
    np.testing.assert_allclose(matrix("mixture(k=5,users=1,phi=0.3)"), matrix("mallows(k=5,phi=0.3)"))


def test_random_values_depend_on_the_seed_only():
    for text in ("btl(k=5,strengths=random,seed={})", "mixture(k=5,orders=random,seed={})"):
        first, again, other = (matrix(text.format(seed)) for seed in (1, 1, 2))
        np.testing.assert_array_equal(first, again)
        assert (first != other).any()
    three, four = (matrix(f"mixture(k=5,users={n},orders=random,seed=1)") for n in (3, 4))
    np.testing.assert_allclose(
        np.sort(np.unique((4 * four - 3 * three).round(9))), [0, 0.5, 1]
    )  # one more user


def test_extreme_settings_give_probabilities():
    assert matrix("btl(spread=1e6)")[0, 9] == 1 and matrix("btl(spread=0)").tolist() == [[0.5] * 10] * 10
    assert matrix("logistic(utilities=-1e6/1e6)").tolist() == [[0.5, 0], [1, 0.5]]
    prefs = matrix("linear(utilities=1.1/0.1)")  # a difference of 1, up to rounding
    assert prefs.min() >= 0 and prefs.max() <= 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("blt(k=3,spread=0.5)", "no matrix named 'blt'; did you mean 'btl'?"),
        ("cycle(k=3)", "no setting of cycle named 'k'; there are none"),
        ("btl(n=3)", "no setting of btl named 'n'; known: k, spread, strengths, seed"),
        ("btl(k=2001)", "btl: k is 2001; expected at least 0 and at most 2000"),
        ("btl(k=-1)", "btl: k is -1"),
        ("btl(k=2.5)", "btl: k is '2.5'; expected a whole number"),
        ("btl(spread=-1)", "btl: spread is -1"),
        ("btl(seed=-1)", "btl: seed is -1"),
        ("btl(strengths=1/0)", "btl(strengths=1/0): strengths is 1/0; expected numbers above 0"),
        ("btl(strengths=geometrical)", "strengths is 'geometrical'; expected geometric, random, or at most"),
        (
            "btl(strengths=1/nan)",
            "strengths is '1/nan'; expected geometric, random, or at most 2,000 numbers",
        ),
        ("btl(strengths=inf/1)", "strengths is 'inf/1'"),
        ("btl(strengths=" + "1/" * 5000 + "1)", "expected geometric, random, or at most 2,000 numbers"),
        ("btl(k=3,strengths=2/1)", "strengths is given for 2 arms, and k is 3; leave k out"),
        ("logistic(utilities=1//2)", "utilities is '1//2'; expected even, random, or at most"),
        ("linear(spread=1.5)", "the utilities differ by 1.5; expected at most 1"),
        ("mallows(k=0)", "mallows: k is 0; expected at least 1"),
        ("mallows(phi=1.01)", "mallows: phi is 1.01; expected at least 0 and at most 1"),
        ("gaps(gap=0/0.1)", "gap is 0/0.1; expected numbers above 0 and at most 0.5"),
        ("gaps(gap=0.6)", "gap is 0.6; expected numbers above 0 and at most 0.5"),
        ("gaps(rest=0)", "rest is 0; expected additive, or a number above 0"),
        ("gaps(rest=0.1/0.1)", "rest is 0.1/0.1; expected additive, or a number"),
        ("gaps(gap=0.2/0.1,rest=additive)", "expected increasing numbers with rest=additive"),
        ("gaps(k=5,rest=additive)", "expected increasing numbers with rest=additive"),
        ("gaps(k=5,gap=0.1/0.2)", "gap is given for 3 arms, and k is 5"),
        (
            "mixture(orders=0>1>2/0>1)",
            "orders is '0>1>2/0>1'; expected cyclic, random, or orders of all arms",
        ),
        ("mixture(orders=0>0)", "orders is '0>0'"),
        ("mixture(orders=1>2)", "orders is '1>2'"),
        ("mixture(orders=" + "/".join(["0>1"] * 101) + ")", "at most 100 orders"),
        ("mixture(k=3,orders=0>1/1>0)", "orders is given for 2 arms, and k is 3"),
        ("mixture(users=3,orders=0>1/1>0)", "users is 3, and 2 orders are given; leave users out"),
        ("mixture(weights=1/2)", "weights is 1/2; expected 3 numbers above 0"),
        ("mixture(weights=1/0/2)", "weights is 1/0/2; expected 3 numbers above 0"),
        ("mixture(users=101)", "mixture: users is 101; expected at least 0 and at most 100"),
        ("btl(k=3", "expected ',' or ')', found the end"),
        ("btl(k=3)x", "expected nothing after ')'"),
        ("x" * 300, "no matrix named 'xxx"),
        ("x" * 300 + "(k=1)", "no matrix named 'xxx"),
        ("missing(1).txt", "missing(1).txt: there is no such file"),
    ],
)
def test_invalid_settings_are_refused(text, message):
    with pytest.raises(RankduelError) as refused:
        read_preferences(text)
    assert message in str(refused.value) and len(str(refused.value)) < 500


def test_a_family_is_read_like_a_built_in_matrix(tmp_path, monkeypatch):
    preferences = read_preferences(" btl ( k = 4 , spread = 1.0 )")
    assert preferences.settings == {"source": "btl(k=4)"} and len(preferences) == 4
    assert is_built_in("btl") and is_built_in("cycle") and not is_built_in("btl.txt")
    monkeypatch.chdir(tmp_path)
    np.savetxt("a(1).txt", preferences.matrix)  # parentheses in the name of a file
    assert len(read_preferences("a(1).txt")) == 4


def test_run_sets_of_families_have_names_of_their_own():
    assert problem_name(["btl(k=20,spread=0.5)"]) == "btl-k-20-spread-0.5"
    assert problem_name(["mixture(orders=0>1/1>0)"]) == "mixture-orders-0-1-1-0"
    assert len(problem_name(["btl(strengths=" + "1/" * 99 + "1)"])) <= 60


STUDY = """
id = "mine"
title = "t"
source = "s"
question = "q"
data = "built in"
[[runs]]
name = "easy"
problem = "PROBLEM"
policies = ["savage"]
sizes = { quick = { horizon = 100, runs = 1 } }
"""


def test_a_family_as_the_problem_of_a_study(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(STUDY.replace("PROBLEM", "mixture(k=5,users=4)"))
    assert read_study(path).parts[0].problem == "mixture(k=5,users=4)"
    assert stand_in_for("mixture(k=5,users=4)", None) == ""
    opened = open_problem("mixture(k=5,users=4)", DataSource(None, tmp_path), "copeland")
    np.testing.assert_allclose(opened.problem.preferences.matrix, matrix("mixture(k=5,users=4)"), atol=1e-15)
    assert opened.problem.regret == "copeland"
    for problem, message in (("btl(k=3,strengths=1/2)", "leave k out"), ("mallows(phi=2)", "phi is 2")):
        path.write_text(STUDY.replace("PROBLEM", problem))
        with pytest.raises(MatrixError, match=rf"mine\.toml: part 'easy': .*{message}"):
            read_study(path)
