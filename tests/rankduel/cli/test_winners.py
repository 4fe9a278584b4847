"""Test the command `rankduel winners`."""

import io
import json

import numpy as np
import pandas as pd
import pytest
from support.helpers import words

from rankduel.experiments.matrix.builtin import MATRICES
from rankduel.experiments.matrix.preferences import Preferences, preferences_of, write_preferences

pytestmark = pytest.mark.kernel


def with_intervals(matrix, half_width, names=None):
    """Return the preferences with intervals of this half-width for every pair."""
    preferences = preferences_of(matrix, names)
    pairs = preferences.pairs
    pairs = pairs.assign(
        lo=(pairs["p"] - half_width).clip(0, 1), hi=(pairs["p"] + half_width).clip(0, 1), method="simulated"
    )
    return Preferences(preferences.names, pairs, {"clicks": "navigational"})


@pytest.mark.parametrize("name", MATRICES)
def test_output_fits_eighty_columns(rankduel, name):
    code, out, err = rankduel("winners", name, "--subsets", "--samples", 500, "--overlap-samples", 2)
    assert (code, err) == (0, "") and max(map(len, out.splitlines())) <= 80
    assert "…" not in out and "[/" not in out and f"rankduel matrix show {name}" in out


def test_help_fits_eighty_columns(rankduel):
    code, out, _ = rankduel("winners", "--help")
    assert code == 0 and max(map(len, out.splitlines())) <= 80


def test_output_for_a_matrix_with_a_condorcet_winner(rankduel):
    out = words(rankduel("winners", "arxiv6", "--subsets")[1])
    for message in (
        "arxiv6 (rankers: 6, pairs: 15)",
        "Condorcet 0 Copeland 0; beats 5, loses to 0 Borda 0; beats a random other",
        "von Neumann 0",
        "3 1 3 0.4820 0.1623 0.4600",  # a tie is neither a win nor a loss
        "of 0 +0.0400 against 3, the closest; median +0.0500, mean +0.0720, largest +0.1100",
        "total order no, because of 1 tied pair; otherwise there is one",
        "3-cycles 0 of 20 triples (0.00%)",
        "gamma infinite: no factor is large enough; 1.25 for triples with the Condorcet winner",
        "Confidence for these queries unknown: the matrix has no intervals",
        "Subsets of the rankers (share of subsets, by their size)",
        "3 0.95000 0.80000",
    ):
        assert message in out


def test_output_for_a_matrix_without_a_condorcet_winner(rankduel):
    out = words(rankduel("winners", "multisol")[1])
    for message in (
        "Condorcet none: no ranker beats all others",
        "Copeland 0, 1, 2; each beats 3, loses to 1",
        "a lottery that no ranker beats: 0 (0.333), 1 (0.333), 2 (0.333)",
        "Smith set 0, 1, 2: the smallest group whose members beat all others",
        "total order none",
        "3-cycles 1 of 10 triples (10.00%)",
    ):
        assert message in out
    assert "Smith set all rankers: no smaller group beats the rest" in words(rankduel("winners", "gap")[1])
    assert "total order yes: 0 > 1 > 2 > 3 > 4 > ... (8 in all)" in words(
        rankduel("winners", "arithmetic")[1]
    )
    assert "not unique; each of 0, 1 is in some unbeaten lottery" in words(rankduel("winners", "case-b")[1])


def test_copeland_winners_may_lose_to_different_numbers(rankduel, tmp_path):
    # 0 beats 1 and ties 2; 1 beats 2; 2 beats no ranker: 0 and 1 have one win, and 1 also has a loss.
    np.save(tmp_path / "m.npy", [[0.5, 0.6, 0.5], [0.4, 0.5, 0.6], [0.5, 0.4, 0.5]])
    assert "Copeland 0, 1; each beats 1, loses to 0 to 1" in words(rankduel("winners", "m.npy")[1])


def test_long_lists_are_shortened(rankduel):
    out = rankduel("winners", "case-a", "--top", 3)[1]
    assert "Rankers (by Copeland score, first 3 of 100)" in out
    listed = out.split("Rankers (by")[1].split("\n\n")[0].splitlines()
    assert [line.split()[0] for line in listed[2:]] == ["0", "1", "2"]


def test_json_output(rankduel):
    code, out, _ = rankduel("winners", "mslr5-cycle", "--json", "--subsets")
    output = json.loads(out)
    assert code == 0 and output["n_rankers"] == 5 and output["settings"] == {"source": "mslr5-cycle"}
    assert output["winners"]["condorcet"] == [] and output["winners"]["copeland"] == ["0", "1", "2"]
    assert output["cycles"] == 1 and output["triples"] == 10 and output["tied_pairs"] == 0
    assert output["total_order"] is None and output["weak_order"] is None
    assert (output["gamma"], output["gamma_best"]) == ("inf", None)
    assert [ranker["beats"] for ranker in output["rankers"]] == [3, 3, 3, 1, 0]
    assert sum(ranker["von_neumann"] for ranker in output["rankers"]) == pytest.approx(1)
    assert {check["property"] for check in output["transitivity"]} == {"SST", "MST", "WST", "STI"}
    assert [row["size"] for row in output["subsets"]] == [2, 3, 4, 5]
    assert output["subsets"][1]["condorcet"] == 0.9 and output["subsets"][1]["exact"] is True
    assert output["condorcet_certain"] and output["total_order_certain"] and output["undecided_pairs"] == []


def test_selection_of_rankers_by_name(rankduel):
    output = json.loads(rankduel("winners", "arxiv6", "--rankers", "3-5,1", "--json")[1])
    assert [ranker["ranker"] for ranker in output["rankers"]] == ["1", "3", "4", "5"]
    assert output["winners"]["condorcet"] == ["1"]


def test_selection_of_rankers_by_name_or_index(rankduel, tmp_path):
    matrix = MATRICES["thesis4"].make()
    write_preferences(preferences_of(matrix, ["bm25", "tf", "idf", "pagerank"]), tmp_path / "t.prefs.parquet")
    for chosen in ("idf, bm25", "2,0", "2,bm25"):
        output = json.loads(rankduel("winners", "t.prefs.parquet", "--rankers", chosen, "--json")[1])
        assert [ranker["ranker"] for ranker in output["rankers"]] == ["bm25", "idf"]


def test_the_table_of_rankers(rankduel):
    code, out, err = rankduel("winners", "arxiv6", "--rankers", "3-5,1", "--csv")
    assert (code, err) == (0, "")
    table = pd.read_csv(io.StringIO(out))
    assert list(table.columns) == [
        "ranker", "beats", "loses_to", "borda", "random_walk", "von_neumann", "against_first"
    ]  # fmt: skip
    assert table["ranker"].tolist() == [1, 3, 4, 5] and table["beats"].tolist() == [3, 1, 1, 0]


@pytest.fixture
def by_query(tmp_path):
    """Write a matrix of three rankers in which the first wins on four queries and most samples of them."""
    made = preferences_of(
        np.array([[0.5, 0.6, 0.7], [0.4, 0.5, 0.5], [0.3, 0.5, 0.5]]), ["bm25", "tf", "idf"]
    )
    values = made.pairs["p"].to_numpy()[:, None] + np.array([-0.3, 0.1, 0.1, 0.1])
    counts = {"wins": [24.0, 28, 20], "ties": 0.0, "losses": [16.0, 12, 20], "n": 40, "method": "exact"}
    pairs = made.pairs.assign(**counts)
    path = tmp_path / "few.prefs.parquet"
    write_preferences(Preferences(made.names, pairs, {}, values.astype(np.float32)), path)
    return path.name


def test_the_winner_and_its_confidence(rankduel, by_query):
    out = words(rankduel("winners", by_query, "--resamples", 500)[1])
    assert (
        "bm25 wins: it beats both others over these queries this is exact over queries like these it" in out
    )
    assert "Confidence for similar queries (wins in 500 resamples of the 4 queries)" in out
    assert "Pairs (win, tie, loss: shares of n duels, or of n queries if exact)" in out
    assert "bm25 tf 60.00% 0.00% 40.00% 40 0.6000 exact" in out
    output = json.loads(rankduel("winners", by_query, "--resamples", 500, "--json")[1])
    shares = {ranker["ranker"]: ranker for ranker in output["resampled_queries"]["rankers"]}
    # Query 0 drawn k of 4 times moves all pairs by 0.1 - 0.1 k: bm25 beats tf unless k is 2 or more.
    assert output["verdict"]["winners"] == ["bm25"] and 0.6 < shares["bm25"]["condorcet"] < 0.9
    table = pd.read_csv(io.StringIO(rankduel("winners", by_query, "--resamples", 500, "--csv")[1]))
    assert table["resampled_condorcet"].tolist() == [shares[name]["condorcet"] for name in table["ranker"]]
    other = json.loads(rankduel("winners", by_query, "--resamples", 500, "--seed", 1, "--json")[1])
    assert other["resampled_queries"]["rankers"] != output["resampled_queries"]["rankers"]


def test_a_matrix_of_one_ranker(rankduel):
    code, out, err = rankduel("winners", "arxiv6", "--rankers", "2", "--subsets")
    assert (code, err) == (0, "") and "(rankers: 1, pairs: 0)" in out and "Condorcet    2" in out
    assert json.loads(rankduel("winners", "arxiv6", "--rankers", "2", "--json")[1])["gamma_best"] == 1


def test_certain_results_are_reported(rankduel, tmp_path):
    write_preferences(with_intervals(MATRICES["arithmetic"].make(), 0.04), tmp_path / "sure.prefs.parquet")
    out = words(rankduel("winners", "sure.prefs.parquet")[1])
    assert "undecided 0 of 28 pairs (interval contains 1/2) Condorcet certain Copeland certain" in out
    assert "total order certain 3-cycles 0 certain" in out
    assert "0 wins: it beats all 7 others over these queries this holds despite simulation error" in out


def test_results_that_depend_on_undecided_pairs_are_reported(rankduel, tmp_path):
    write_preferences(with_intervals(MATRICES["arithmetic"].make(), 0.07), tmp_path / "open.prefs.parquet")
    out = words(rankduel("winners", "open.prefs.parquet")[1])
    # Neighbours differ by 0.05: seven pairs are open, one of them the first place.
    assert "undecided 7 of 28 pairs" in out
    assert "0 leads: it is ahead of all 7 others over these queries it depends on 2 undecided pairs" in out
    assert "Condorcet depends on 2 undecided pairs; possible: 0, 1" in out
    assert "total order depends on 7 undecided pairs" in out
    output = json.loads(rankduel("winners", "open.prefs.parquet", "--json")[1])
    assert not output["condorcet_certain"] and output["condorcet_possible"] == ["0", "1"]
    assert output["undecided_pairs"] == [[str(i), str(i + 1)] for i in range(7)]
    assert output["total_order_certain"] is False


def test_the_certain_absence_of_a_winner_is_reported(rankduel, tmp_path):
    write_preferences(with_intervals(MATRICES["multisol"].make(), 0.05), tmp_path / "none.prefs.parquet")
    out = words(rankduel("winners", "none.prefs.parquet")[1])
    assert (
        "Condorcet certain that there is none Copeland certain total order certain that there is none "
        "3-cycles 1 certain" in out
    )


def test_the_confidence_of_the_intervals_is_reported(rankduel, tmp_path):
    for settings, message in (
        ({"alpha": 0.05, "decide": None}, "(all intervals hold together with probability 0.95)"),
        ({"alpha": 0.05, "decide": 0.01}, "(all intervals hold together with probability 0.99)"),
        ({}, "Confidence for these queries undecided"),
    ):
        made = with_intervals(MATRICES["gap"].make(), 0.05)
        write_preferences(Preferences(made.names, made.pairs, settings), tmp_path / "a.prefs.parquet")
        assert message in words(rankduel("winners", "a.prefs.parquet")[1])


def test_exact_probabilities_need_no_intervals(rankduel, tmp_path):
    preferences = preferences_of(MATRICES["gap"].make())
    exact = Preferences(preferences.names, preferences.pairs.assign(method="exact"), {})
    write_preferences(exact, tmp_path / "exact.prefs.parquet")
    assert "Confidence for these queries all probabilities are exact" in words(
        rankduel("winners", "exact.prefs.parquet")[1]
    )


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        (["arxiv7"], "no matrix named 'arxiv7'; did you mean 'arxiv6'?"),
        (["absent.npy"], "absent.npy: there is no such file"),
        (["arxiv6", "--rankers", "1,9"], "no ranker named '9'"),
        (["arxiv6", "--rankers", "1,1"], "ranker '1' is given twice"),
        (["arxiv6", "--rankers", ","], "no rankers are given; expected at least one"),
        (["arxiv6", "--top", "0"], "--top is 0; expected a whole number from 1"),
        (
            ["arxiv6", "--subsets", "--samples", "0"],
            "the number of samples is 0; expected a whole number of 1 or more",
        ),
        (["arxiv6", "--resamples", "0"], "resamples is 0; expected a whole number from 1"),
        (["arxiv6", "--json", "--csv"], "--json and --csv are both given; expected one of them"),
        (["bad.npy"], "bad.npy: entry (0, 1) is 0.9 (its mirror is 0.4)"),
    ],
)
def test_mistakes_end_in_one_message(rankduel, tmp_path, typed, message):
    np.save(tmp_path / "bad.npy", [[0.5, 0.9], [0.4, 0.5]])
    code, out, err = rankduel("winners", *typed)
    assert code == 2 and out == "" and err.startswith("error: ") and message in words(err)


def test_bounds_on_the_regret(rankduel):
    out = rankduel("winners", "arxiv6", "--bounds", "1e6")[1]
    assert max(map(len, out.splitlines())) <= 80
    assert "rucb 8.34e+04 expected Zoghi 2017, Theorem 4.5" in words(out)
    assert "ccb two rankers tie likely Zoghi 2017, Theorem 7.1" in words(out)
    assert "likely holds with probability 1 - 1e-06" in words(out)
    out = rankduel("winners", "mslr5-cycle", "--bounds", "1e6", "--alpha", "0.51")[1]
    assert "ccb 10^486 likely Zoghi 2017, Theorem 7.1" in words(out)
    found = json.loads(rankduel("winners", "arxiv6", "--bounds", "1e6", "--json")[1])["bounds"]
    assert [row["policy"] for row in found] == ["rucb", "rucb", "merge_rucb", "merge_dts", "ccb"]
    code, _, err = rankduel("winners", "arxiv6", "--alpha", "0.51")
    assert code == 2 and "--alpha is for bounds on the regret: add --bounds, or leave it out" in words(err)
