"""Preferences from multileaved pages, their error, the commands and the panel of the report."""

import json

import numpy as np
import pandas as pd
import pytest
from support.arenas import arena, exact_preferences, letor
from support.helpers import words
from support.shared_worlds import totals_by
from support.watching import Watching

from rankduel.base.errors import InterleaveError, RankduelError, RecordsError, UsageError
from rankduel.experiments import multileaving as comparing_multileavers
from rankduel.experiments.matrix import shared_pages
from rankduel.experiments.matrix.checkpoint import Checkpoint
from rankduel.experiments.matrix.preferences import preferences_of, read_preferences, write_preferences
from rankduel.experiments.matrix.shared_pages import (
    COLUMNS,
    LOSSES,
    NEGATIVE,
    POSITIVE,
    SQUARES,
    WINS,
    Block,
    blocks,
    evaluation_steps,
    infer_matrix,
    order_of,
    play_impressions,
    random_pairs,
    write_inferred,
)
from rankduel.experiments.multileaving import (
    binary_error,
    compare_multileavers,
    decades,
    error_at,
    error_table,
    impressions_until,
)
from rankduel.experiments.report.multileave import error_chart, headline
from rankduel.experiments.report.page import write_report
from rankduel.experiments.report.paper import Paper, write_figures
from rankduel.experiments.runs.run_set import read_run_sets
from rankduel.experiments.runs.summaries import curves
from rankduel.interleave.multileave import MULTILEAVERS, make_shared_world, multileaving
from rankduel.letor_data.text.writer import write_letor

pytestmark = [pytest.mark.kernel, pytest.mark.compiling]

SOSM = multileaving("sosm")


def summed(pages):
    """Return sums (pairs, COLUMNS) from the (K, K) degrees of every page; the twin of the kernels."""
    degrees = np.array([page[np.triu_indices(len(page), 1)] for page in pages])
    sums = np.zeros((degrees.shape[1], COLUMNS))
    sums[:, WINS], sums[:, LOSSES] = (degrees > 0).sum(axis=0), (degrees < 0).sum(axis=0)
    sums[:, POSITIVE], sums[:, NEGATIVE] = (
        np.maximum(degrees, 0).sum(axis=0),
        np.maximum(-degrees, 0).sum(axis=0),
    )
    sums[:, SQUARES] = (degrees**2).sum(axis=0)
    return sums


@pytest.fixture(scope="module")
def reference():
    """Return the matrix of the arena's rankers by team draft."""
    return preferences_of(np.array([[0.5, 0.6, 0.72], [0.4, 0.5, 0.64], [0.28, 0.36, 0.5]]), "123")


def sums_of_one_pair(wins, losses, up, down, squares):
    return np.array([[wins, losses, up, down, squares]], float)


# --- sums


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sosm", "pairwise"])
def test_sums_match_the_pages(name):
    opened, rankers, method = arena(), np.arange(3), multileaving(name)
    shared = make_shared_world(
        opened.rankings, opened.labels, opened.model, method, opened.length, opened.ties
    )
    users, found, pages = np.random.default_rng(4), np.zeros((3, 3)), []
    for _ in range(300):
        totals_by(name)(shared, rankers, 1, users, found, np.zeros((3, 3)))
        pages.append(found.copy())
    sums = shared_pages.multileaved(opened, method).sums(0, 300, np.random.default_rng(4))
    assert np.allclose(sums, summed(pages), rtol=1e-12)
    assert sums[:, WINS].min() > 0 and sums[:, LOSSES].min() > 0


def test_sums_of_random_degrees_match_the_twin():
    """The kernel runs in plain Python, on pages of four rankers with random degrees, some without clicks."""
    rng, remaining = np.random.default_rng(0), []
    pages = [np.triu(d, 1) - np.triu(d, 1).T for d in rng.choice([-2.5, -1, 0, 0.25, 3], (50, 4, 4))]

    def impression(shared, rankers, n, found, users):
        found[:] = remaining.pop()
        return int(found.any()), 0.0

    remaining += [*pages, *np.zeros((5, 4, 4))]
    sums = shared_pages._multileaved_sums(impression).py_func(None, np.arange(4), 55, rng)
    assert np.allclose(sums, summed(pages), rtol=1e-12)


def test_random_pairs_are_uniform_and_counted_in_their_rows():
    """Each of 6 pairs has 3,000 of 18,000 duels, within 5 standard errors of 50; the lower number wins."""
    seen = []

    def outcome(world, first, second, users):
        seen.append((first, second))
        return 0.3 if first < second else -0.3

    sums = shared_pages._dueled_sums(outcome).py_func(None, 4, 18_000, np.random.default_rng(1))
    assert not sums[:, [LOSSES, NEGATIVE]].any() and (sums[:, WINS] == sums[:, POSITIVE]).all()
    counts = [sum({first, second} == pair for first, second in seen) for pair in ({0, 1}, {0, 2}, {0, 3})]
    counts += [sum({first, second} == pair for first, second in seen) for pair in ({1, 2}, {1, 3}, {2, 3})]
    assert sums[:, WINS].tolist() == counts
    assert np.abs(np.array(counts) - 3000).max() < 250
    assert abs(sum(first < second for first, second in seen) - 9000) < 5 * 67


def test_cycled_queries_continue_in_the_next_block():
    comparison, users = random_pairs(arena(queries="cycle")), np.random.default_rng(2)
    parts = comparison.sums(0, 5, users) + comparison.sums(5, 8, users)
    assert parts.tolist() == comparison.sums(0, 13, np.random.default_rng(2)).tolist()


def test_blocks_end_at_every_evaluation_step():
    for impressions in (1, 7, 12_345):
        found = list(blocks(impressions))
        assert [block.start for block in found] == [0, *(block.end for block in found[:-1])]
        assert found[-1].end == impressions and {*evaluation_steps(impressions)} <= {
            block.end for block in found
        }
    shorter = list(blocks(10_000))
    assert list(blocks(12_345))[: len(shorter)] == shorter


# --- preferences


def test_signs_become_shares():
    pairs = shared_pages._pairs(SOSM, sums_of_one_pair(60, 20, 60, 20, 80), 100, 0.05)
    assert pairs[["wins", "ties", "losses", "n", "p"]].iloc[0].tolist() == [60, 20, 20, 100, 0.7]
    # Squared deviations from 0.7 of 60 ones, 20 halves and 20 zeros sum to 16; the pseudo-value adds 1/4.
    assert pairs["hi"][0] - 0.7 == pytest.approx(1.959964 * np.sqrt(16.25 / 100 / 100))


def test_expected_signs_are_shares_of_pages():
    pairs = shared_pages._pairs(
        multileaving("probabilistic"), sums_of_one_pair(60, 20, 30, 10, 15), 100, 0.05
    )
    assert pairs[["wins", "ties", "losses", "p"]].iloc[0].tolist() == [30, 60, 10, 0.6]


@pytest.mark.parametrize("text", ["pairwise", "optimized", "probabilistic(credit=expected)"])
def test_degrees_without_a_bound_are_votes_of_mean_weight_one(text):
    sums = np.vstack([sums_of_one_pair(10, 30, 360, 40, 9000), sums_of_one_pair(0, 0, 0, 0, 0)])
    sums = np.vstack([sums, sums_of_one_pair(1, 0, 7, 0, 49)])
    pairs = shared_pages._pairs(MULTILEAVERS.parsed(text), sums, 100, 0.05)
    assert pairs[["wins", "ties", "losses"]].to_numpy().tolist() == [[36, 60, 4], [0, 100, 0], [1, 99, 0]]
    assert pairs["p"].tolist() == [0.66, 0.5, 0.505]
    assert np.sign(pairs["p"] - 0.5).tolist() == order_of(sums).tolist() == [1, 0, 1]
    assert (pairs["lo"] < pairs["p"]).all() and (pairs["p"] < pairs["hi"]).all()


def test_a_matrix_holds_the_settings_it_was_made_with():
    made = infer_matrix(arena(), SOSM, 500, seed=3)
    assert made.names == ("1", "2", "3") and (made.pairs["n"] == 500).all()
    assert {"multileave": "sosm", "impressions": 500, "seed": 3}.items() <= made.settings.items()
    assert "interleave" not in made.settings and made.settings["clicks"] == "navigational"


def test_threads_and_interruptions_change_no_byte(tmp_path, monkeypatch):
    whole, cut = tmp_path / "whole.prefs.parquet", tmp_path / "cut.prefs.parquet"
    write_inferred(arena(), SOSM, whole, impressions=5000, jobs=1)
    monkeypatch.setattr(Checkpoint, "is_due", lambda self: True)
    reports = []

    def stop(pages):
        reports.append(pages)
        if len(reports) == 40:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_inferred(arena(), SOSM, cut, impressions=5000, jobs=2, done=stop)
    assert not cut.exists()
    reports_after_resuming = []
    write_inferred(arena(), SOSM, cut, impressions=5000, jobs=2, done=reports_after_resuming.append)
    # Only the last block before the interruption is played again.
    assert sum(reports_after_resuming) == 5000 and reports_after_resuming[0] == sum(reports[:-1]) > 0
    assert cut.read_bytes() == whole.read_bytes()
    assert sorted(tmp_path.iterdir()) == [cut, whole]


def test_a_different_job_does_not_resume_from_the_checkpoint(tmp_path, monkeypatch):
    monkeypatch.setattr(Checkpoint, "is_due", lambda self: True)
    output, reports = tmp_path / "m.prefs.parquet", []
    with pytest.raises(IndexError):
        write_inferred(arena(), SOSM, output, impressions=100, done=lambda pages, left=[1] * 9: left.pop())
    made = write_inferred(arena(), SOSM, output, impressions=100, seed=1, done=reports.append)
    assert reports[0] == 0 and made.pairs.equals(infer_matrix(arena(), SOSM, 100, seed=1).pairs)


# --- error


def test_binary_error_by_hand():
    truth = np.array([0.6, 0.4, 0.9, 0.5, 0.1])
    assert binary_error(np.array([1, -1, 1, 1, -1]), truth) == 0
    assert binary_error(np.array([-1, 1, -1, -1, 1]), truth) == 1
    assert binary_error(np.zeros(5), truth) == 0.5
    assert binary_error(np.array([1, 1, 0, 1, -1]), truth) == (0 + 1 + 0.5 + 0) / 4


def test_a_lead_from_rounding_errors_is_a_tie():
    sums = sums_of_one_pair(3, 1, 0.1 + 0.1 + 0.1, 0.3, 0.1)
    assert sums[0, POSITIVE] != sums[0, NEGATIVE] and order_of(sums).tolist() == [0]


def test_errors_are_evaluated_during_the_run(reference):
    comparison = random_pairs(arena())
    table = error_table(comparison, reference, 20, seed=1, run=2)
    sums = sum(play_impressions(comparison, Block(start, 1), 1, 2) for start in range(12))
    assert table["step"].tolist() == evaluation_steps(20).tolist()
    expected = binary_error(order_of(sums), reference.pairs["p"].to_numpy())
    assert table.set_index("step")["e_bin"][12] == expected
    longer = error_table(comparison, reference, 50, seed=1, run=2)
    assert longer[longer["step"].isin(table["step"])].reset_index(drop=True).equals(table)


def runs_of(*courses, steps=(1, 10, 100)):
    return pd.concat(
        pd.DataFrame({"policy": "a", "run": i, "step": steps, "e_bin": course, "seconds": 1.0})
        for i, course in enumerate(courses)
    )


def test_impressions_until_the_error_stays_below():
    assert impressions_until(runs_of((0.04, 0.2, 0.04)), 0.05) == 100
    assert impressions_until(runs_of((0.04, 0.04, 0.04)), 0.05) == 1
    assert impressions_until(runs_of((0.04, 0.04, 0.05)), 0.05) == np.inf
    three = runs_of((0.5, 0.0, 0.0), (0.5, 0.5, 0.0), (0.5, 0.5, 0.5))
    assert impressions_until(three, 0.05) == 100 and error_at(three, 10) == pytest.approx((1 / 3, 1 / 6))
    assert np.isnan(error_at(runs_of((0.5, 0.5, 0.5)), 10)[1])


@pytest.mark.parametrize(
    ("impressions", "expected"), [(50, [50]), (100, [100]), (101, [100, 101]), (10_000, [100, 1000, 10_000])]
)
def test_decades(impressions, expected):
    assert decades(impressions) == expected


# --- comparing


def records(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*.parquet")}


def test_recorded_runs_are_not_repeated(reference, tmp_path, monkeypatch):
    one, two, reports = tmp_path / "one", tmp_path / "two", []
    table = compare_multileavers(arena(), ["sosm"], reference, 200, 3, folder=one)
    assert table["policy"].unique().tolist() == ["sosm", "random pairs, team_draft"]
    compare_multileavers(
        arena(), [SOSM], reference, 200, 3, jobs=2, folder=two, watch=Watching(runs=reports.append)
    )
    assert records(one) == records(two) and sum(reports) == 2 * 3 * 200
    (two / "sosm" / "1.parquet").unlink()
    compare_multileavers(arena(), ["sosm"], reference, 200, 3, folder=two)
    assert records(one) == records(two)
    monkeypatch.setattr(comparing_multileavers, "error_table", None)  # all runs are recorded
    again = compare_multileavers(arena(), ["sosm"], reference, 200, 3, folder=one)
    assert again.drop(columns="seconds").equals(table.drop(columns="seconds"))
    with pytest.raises(RecordsError, match="horizon is 200 there and 300 now"):
        compare_multileavers(arena(), ["sosm"], reference, 300, 3, folder=one)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"methods": []}, "no multileaving method is given"),
        ({"methods": ["sosm", "sosm(tau=3)"]}, "sosm is given twice"),
        ({"runs": 0}, "runs is 0; expected a whole number from 1"),
        ({"impressions": 0.5}, "impressions is 0.5; expected a whole number from 1"),
        ({"impressions": float("nan")}, "impressions is nan"),
        ({"impressions": "many"}, "impressions is many; expected a whole number from 1"),
        ({"reference": preferences_of(np.full((3, 3), 0.5), "abc")}, "for 3 rankers, a, b, c, and the data"),
        ({"reference": preferences_of(np.full((3, 3), 0.5), "123")}, "all pairs tie in the matrix"),
    ],
)
def test_invalid_comparisons_are_refused(reference, changes, message):
    arguments = {"methods": ["sosm"], "reference": reference, "impressions": 10, "runs": 1} | changes
    with pytest.raises(RankduelError, match=message):
        compare_multileavers(arena(), **arguments)


def test_invalid_inference_is_refused():
    with pytest.raises(UsageError, match="alpha is 1; expected"):
        infer_matrix(arena(), SOSM, 10, alpha=1)
    with pytest.raises(UsageError, match="impressions is 1000000000000000.0; expected"):
        infer_matrix(arena(), SOSM, 1e15)
    with pytest.raises(UsageError, match="only the ranker '2' is chosen; expected at least two"):
        infer_matrix(arena(rankers="2"), SOSM, 10)
    with pytest.raises(InterleaveError, match="random_impression_redraw"):
        infer_matrix(arena(ties="random_impression_redraw"), SOSM, 10)


# --- commands


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "few.txt"
    write_letor(letor(), path)
    return path


def test_methods_are_listed(rankduel):
    code, out, err = rankduel("multileavers")
    assert (code, err) == (0, "") and max(map(len, out.splitlines())) <= 80
    output = words(out)
    for method in MULTILEAVERS.values():
        assert f"{method.name} {method.about} {method.source}" in output
    assert "credit = pairwise | expected | sampled tau = 3" in output
    for example in output.partition("Examples ")[2].split():
        assert str(MULTILEAVERS.parsed(example)) == example
    listed = json.loads(rankduel("multileavers", "--json")[1])["methods"]
    assert [method["name"] for method in listed] == list(MULTILEAVERS)
    about = "documents are drawn in proportion to rank^-tau"
    assert listed[3]["settings"] == {"tau": {"default": 3.0, "about": about, "from": 0.0, "to": 50.0}}


def test_a_matrix_from_shared_pages(rankduel, data):
    words_typed = ("matrix", data, "--multileave", "sosm", "--impressions", "2e3", "-o", "m.prefs.parquet")
    code, out, err = rankduel(*words_typed, "-k", 5)
    assert (code, err) == (0, "")
    assert (
        "2,000 pages of sosm, navigational user: 3 pairs estimated from pages that all rankers share"
        in words(out)
    )
    made = read_preferences("m.prefs.parquet")
    assert made.settings["impressions"] == 2000
    assert made.pairs["p"].min() > 0.55  # the nearest pair has 0.615, more than 7 standard errors above


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--multileave", "sosn"], "did you mean 'sosm'?"),
        (["--multileave", "sosm", "--duels", "5"], "--duels is for pages of two rankers"),
        (["--multileave", "sosm", "--interleave", "team_draft"], "--interleave is for pages of two rankers"),
        (["--multileave", "sosm", "--prior", "lerot"], "--prior is for pages of two rankers"),
        (["--multileave", "sosm", "--impressions", "many"], "'many' is no number; expected one such as"),
        (["--impressions", "100"], "give --multileave too, or use --duels"),
    ],
)
def test_invalid_matrix_commands_are_refused(rankduel, data, options, message):
    code, _, err = rankduel("matrix", data, "-o", "m.prefs.parquet", *options)
    assert code == 2 and message in words(err)


def test_methods_compared_and_reported(rankduel, data, reference, tmp_path):
    write_preferences(reference, tmp_path / "given.prefs.parquet")
    options = ("multileave", data, "--method", "sosm", "--impressions", "500", "--runs", "2", "-k", 5)
    options += ("--matrix", tmp_path / "given.prefs.parquet")
    code, out, err = rankduel(*options, "--interleave", "team_draft", "--name", "few", "--out", "results")
    assert (code, err) == (0, "") and max(map(len, out.splitlines())) <= 80
    output = words(out)
    assert "3 rankers, navigational user, 3 pairs to order, 2 runs per method; reference:" in output
    assert "method 100 500 sosm" in output
    assert "next: rankduel report results" in output
    studies = read_run_sets("results")
    assert studies[0].settings["command"].startswith("rankduel multileave")
    write_report(studies, tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "3 pairs to order, 500 impressions, 2 runs of each method." in page
    assert (
        headline(studies[0].table).partition(":")[0] in page and "<td>random pairs, team_draft</td>" in page
    )
    assert '"few-e-bin":{' in page
    names = [path.name for path in write_figures(studies, tmp_path / "figures", Paper(kind="svg"))]
    assert names == ["few-e-bin.svg", "few-e-bin.tex"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--method", "sosm", "--method", "sosm"], "sosm is given twice"),
        (["--method", "sosm", "--impressions", "-1"], "impressions is -1.0; expected a whole number"),
        (["--method", "sosm", "--preset", "lerot"], "random_impression_redraw"),
        (["--method", "sosm", "--runs", "0"], "--runs"),
    ],
)
def test_invalid_comparison_commands_are_refused_before_any_work(rankduel, data, tmp_path, options, message):
    code, _, err = rankduel("multileave", data, *options)
    assert code == 2 and message in words(err.replace("│", ""))
    assert not (tmp_path / "results").exists()


# --- the panel of the report


def test_the_headline():
    good, bad = runs_of((0.5, 0.2, 0.02), (0.5, 0.05, 0.04)), runs_of((0.5, 0.5, 0.3)).assign(policy="b")
    text = headline(pd.concat([bad, good]))
    assert "After 100 impressions, a has the fewest pairs in the wrong order: 3.0 ± 1.0 %." in text
    assert text.endswith("a was the first to stay below 10 %, after 10 impressions.")
    text = headline(pd.concat([bad, bad.assign(policy="c")]))
    assert "b and c have the fewest pairs in the wrong order: 30.0 %." in text
    assert text.endswith("No method stayed below 10 %.")


def test_the_chart_is_valid_for_single_runs_and_odd_names():
    found = pd.concat([runs_of((0.5, 0.2, 0.0)), runs_of((0.5, 0.5, 0.0)).assign(policy='<b>"(x=1)')])
    chart = error_chart(curves(found, "e_bin"))
    chart.to_dict()  # validates the chart
    assert chart.description.endswith('At the end: a 0.0%; <b>"(x=1) 0.0%.')


# --- the order that methods find


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "impressions", "runs"),
    [
        ("sosm", 5000, 20),
        ("team_draft", 5000, 20),
        ("probabilistic", 5000, 20),
        ("probabilistic(credit=expected,ranker=rounds)", 5000, 20),
        ("pairwise", 5000, 20),
        ("optimized", 1000, 3),
    ],
)
def test_methods_find_the_order(reference, text, impressions, runs):
    """All pairs are at least 6 standard errors from a tie at the end, so no run has a wrong pair.

    A sign error would make all pairs wrong. After one impression more than a quarter are wrong, measured with
    standard errors of about 0.055 (optimized: 0.11).
    """
    assert np.abs(reference.matrix - exact_preferences(arena()).matrix).max() < 0.01
    table = compare_multileavers(arena(), [text], reference, impressions, runs, jobs=2)
    of_method = table[table["policy"] == str(MULTILEAVERS.parsed(text))]
    assert error_at(of_method, impressions)[0] == 0 and impressions_until(of_method, 0.01) < 500
    assert error_at(of_method, 1)[0] > 0.05


@pytest.mark.slow
def test_random_pairs_have_larger_errors(reference):
    """Three pairs share the impressions, so E_bin at 30 is larger by 0.15, with standard errors of 0.02."""
    table = compare_multileavers(arena(), ["sosm"], reference, 30, 100, jobs=2)
    groups = table.groupby("policy", sort=False)
    (shared, error), (pairs, pairs_error) = (error_at(runs, 30) for _, runs in groups)
    assert pairs - shared > 4 * np.hypot(error, pairs_error)
