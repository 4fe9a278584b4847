"""Agreement of winner notions on subsets, against single subsets; the command, charts and study."""

import itertools
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from support.helpers import words
from support.small_matrices import matrices, square

from rankduel.base.errors import MatrixError, UsageError
from rankduel.base.streams import stream
from rankduel.experiments.matrix.builtin import MATRICES
from rankduel.experiments.matrix.preferences import preferences_of
from rankduel.experiments.report.charts.points import binned_shares, bubble_chart, line_chart
from rankduel.experiments.studies.checks import Results, run_checks
from rankduel.experiments.studies.pages.figures import draw, points_table
from rankduel.experiments.studies.published.facts import STUDY as FACTS
from rankduel.experiments.studies.published.facts.subsets import public_facts
from rankduel.experiments.studies.published.winner_notions import STUDY as WINNER_NOTIONS
from rankduel.experiments.studies.published.winner_notions.claims import USERS, table_7_1
from rankduel.experiments.studies.published.winner_notions.subsets import overlaps
from rankduel.experiments.studies.study import HOLDS, REPORT, Bubbles, Inputs, Measure, Size
from rankduel.experiments.winners import overlaps as overlaps_module
from rankduel.experiments.winners.notions import (
    best,
    borda_scores,
    copeland_losses,
    copeland_scores,
    random_walk,
    von_neumann,
)
from rankduel.experiments.winners.overlaps import (
    CONTAINED,
    LOSSES,
    PAIRS,
    WINNERS,
    pooled,
    usual_overlap_sizes,
    winner_overlaps,
)
from rankduel.experiments.winners.subsets import subset_shares

pytestmark = pytest.mark.kernel


def noisy(size, noise, seed=0):
    """Return a matrix from utilities with noise on every pair, and some ties."""
    rng = np.random.default_rng(seed)
    upper = [
        0.5 + 0.2 * np.tanh((j - i) / size + noise * rng.normal())
        for i, j in itertools.combinations(range(size), 2)
    ]
    matrix = square(upper, size)
    matrix[0, 1] = matrix[1, 0] = matrix[2, 5] = matrix[5, 2] = 0.5
    return matrix


def tables_from_single_matrices(matrix, subsets):
    """Return both tables of one size, computed by the functions for a single matrix."""
    rows = []
    for arms in subsets:
        part = matrix[np.ix_(arms, arms)]
        winners = [
            set(best(copeland_scores(part))),
            set(von_neumann(part).support),
            set(best(borda_scores(part))),
            set(best(random_walk(part))),
        ]
        row = [bool(one & other) for one, other in itertools.combinations(winners, 2)]
        lost = max(copeland_losses(part)[winner] for winner in winners[0])
        rows.append([*row, winners[0] <= winners[1], len(winners[0]), lost])
    *shared, n_winners, n_losses = zip(*rows)
    shares = {name: np.mean(column) for name, column in zip((*PAIRS, CONTAINED), shared)}
    counts = {(WINNERS, c): n_winners.count(c) / len(rows) for c in set(n_winners)}
    return shares, counts | {(LOSSES, c): n_losses.count(c) / len(rows) for c in set(n_losses)}


def assert_matches_single_matrices(found, matrix, size, subsets):
    shared = found.shared[found.shared["size"] == size]
    counts = found.counts[found.counts["size"] == size]
    assert (shared["subsets"] == len(subsets)).all() and (counts["subsets"] == len(subsets)).all()
    shares, expected = tables_from_single_matrices(matrix, subsets)
    assert dict(zip(shared["notions"], shared["share"])) == pytest.approx(shares, abs=1e-12)
    assert dict(zip(zip(counts["number"], counts["count"]), counts["share"])) == pytest.approx(expected)


@settings(max_examples=12)
@given(matrices(5))
def test_all_subsets_of_few_rankers(matrix):
    sizes = range(1, len(matrix) + 1)
    found = winner_overlaps(matrix, sizes, samples=10)
    assert found.shared["exact"].all() and found.counts["exact"].all()
    for size in sizes:
        subsets = list(itertools.combinations(range(len(matrix)), size))
        assert_matches_single_matrices(found, matrix, size, subsets)


@pytest.mark.parametrize("noise", [0.2, 3.0])  # mostly Condorcet winners; mostly large top cycles
def test_drawn_subsets(noise):
    matrix, sizes = noisy(24, noise), (3, 7, 22)
    found = winner_overlaps(matrix, sizes, samples=20, seed=4)
    assert not found.shared["exact"].any()
    for size in sizes:
        rng = stream(4, "winner notions", size)
        subsets = [rng.permutation(24)[:size] for _ in range(20)]
        assert_matches_single_matrices(found, matrix, size, subsets)


def test_the_lottery_of_a_top_cycle_is_computed_once(monkeypatch):
    solved = []

    def counting(matrix):
        solved.append(len(matrix))
        return von_neumann(matrix)

    monkeypatch.setattr(overlaps_module, "von_neumann", counting)
    # Three winners in a cycle that beat 40 other rankers, which have a total order.
    upper = [0.6 if (i, j) != (0, 2) else 0.4 for i, j in itertools.combinations(range(43), 2)]
    found = winner_overlaps(square(upper, 43), range(3, 43), samples=50)
    assert len(solved) == 1
    # A subset has a top cycle if it contains all three.
    cyclic = found.counts[(found.counts["number"] == WINNERS) & (found.counts["count"] == 3)]
    assert cyclic["share"].sum() > 10 and (pooled(found.shared)["share"].iloc[0] == 1.0)


def test_the_block_size_changes_nothing(monkeypatch):
    matrix = noisy(24, 1.0)
    whole = winner_overlaps(matrix, [3, 20], samples=30)
    monkeypatch.setattr(overlaps_module, "_ENTRIES", 1000)
    for one, other in zip(whole, winner_overlaps(matrix, [3, 20], samples=30)):
        pd.testing.assert_frame_equal(one, other)


def test_results_depend_on_the_seed_only():
    matrix = noisy(16, 0.3)
    found = winner_overlaps(matrix, samples=20, seed=1)
    for one, other in zip(found, winner_overlaps(matrix, samples=20, seed=1, jobs=2)):
        pd.testing.assert_frame_equal(one, other)
    alone = winner_overlaps(matrix, [12], samples=20, seed=1).shared
    part_of_all = found.shared[found.shared["size"] == 12].reset_index(drop=True)
    pd.testing.assert_frame_equal(alone, part_of_all)
    assert not found.shared.equals(winner_overlaps(matrix, samples=20, seed=2).shared)


def test_pooling_gives_sizes_equal_weight():
    rows = [(3, 100, False, 1, 0.8), (3, 100, False, 2, 0.2), (4, 50, False, 1, 0.5), (4, 50, False, 3, 0.5),
            (5, 2, True, 1, 0.5), (5, 2, True, 2, 0.5)]  # fmt: skip
    table = pd.DataFrame(rows, columns=["size", "subsets", "exact", "count", "share"]).assign(number=WINNERS)
    found = pooled(table)
    assert found["count"].tolist() == [1, 2, 3]
    assert found["share"].tolist() == pytest.approx([0.6, 0.7 / 3, 0.5 / 3])
    small, large = 0.16 / 100, 0.25 / 50  # variances; 0 for exact shares
    errors = [(small + large) ** 0.5 / 3, small**0.5 / 3, large**0.5 / 3]
    assert found["standard_error"].tolist() == pytest.approx(errors)


def test_drawn_shares_agree_with_exact_shares():
    """The shares agree within 4.5 of the standard errors in the tables."""
    matrix = noisy(11, 0.5)
    exact = pooled(winner_overlaps(matrix, [5, 6], samples=500).shared)
    drawn = pooled(winner_overlaps(matrix, [5, 6], samples=400).shared)
    assert not exact["standard_error"].any() and (drawn["standard_error"] > 0).sum() >= 5
    difference = (drawn["share"] - exact["share"]).abs()
    assert (difference <= 4.5 * drawn["standard_error"] + 1e-12).all()


def test_default_sizes():
    assert list(usual_overlap_sizes(5)) == [3, 4]
    assert list(usual_overlap_sizes(136)) == list(range(3, 136))
    assert len(usual_overlap_sizes(700)) == 28
    with pytest.raises(MatrixError, match="3 rankers; expected at least 4: "):
        winner_overlaps(MATRICES["thesis4"].make()[:3, :3])


@pytest.mark.parametrize(
    ("sizes", "samples", "message"),
    [([0], 10, "subset size is 0; expected a whole number from 1 to 4"), ([5], 10, "from 1 to 4"),
     ([2.5], 10, "subset size is 2.5"), ([3], 0, "the number of samples is 0; expected a whole number")],
)  # fmt: skip
def test_invalid_subsets_are_refused(sizes, samples, message):
    with pytest.raises(UsageError, match=message):
        winner_overlaps(MATRICES["thesis4"].make(), sizes, samples)


# --- the command


def test_the_command_states_the_subsets_and_shares(rankduel):
    out = words(rankduel("winners", "mslr5-cycle", "--subsets")[1])
    assert "Notions with a common winner (shares of all subsets of 3 to 4 rankers)" in out
    found = winner_overlaps(MATRICES["mslr5-cycle"].make())
    for row in pooled(found.shared).to_dict("records")[:-1]:
        assert f"{row['notions']} {row['share']:.2%}" in out
    # One of ten triples is the cycle, and two of five quadruples contain it.
    assert "Copeland winners 1 in 75.00%, 3 in 25.00%; at most 3" in out
    assert "losses of each winner 0 in 75.00%, 1 in 25.00%; at most 1" in out
    out = words(rankduel("winners", "arithmetic", "--subsets", "--overlap-samples", 40)[1])
    assert "shares of up to 40 subsets of each size, 3 to 7, ± one standard error" in out


def test_too_few_rankers_to_compare(rankduel):
    some = ("winners", "arxiv6", "--rankers", "0-2", "--subsets")
    code, out, err = rankduel(*some)
    assert (code, err) == (0, "") and "takes 4 rankers or more, and there are 3" in words(out)
    assert json.loads(rankduel(*some, "--json")[1])["overlaps"] is None
    code, out, err = rankduel(*some, "--figures", "charts")
    assert code == 2 and out == "" and "arxiv6: 3 rankers; --figures draws subsets" in words(err)


def test_json_and_charts(rankduel, tmp_path):
    options = ("winners", "arithmetic", "--subsets", "--figures", "charts")
    code, out, err = rankduel(*options, "--json")
    result = json.loads(out)
    assert (code, err) == (0, "") and [row["size"] for row in result["subsets"]] == list(range(1, 9))
    assert len(result["overlaps"]["shared"]["by_size"]) == 5 * 7
    assert [row["count"] for row in result["overlaps"]["counts"]["pooled"]] == [1, 0]  # a total order
    assert all(row["share"] == 1 for row in result["overlaps"]["shared"]["pooled"][:1])
    made = sorted((tmp_path / "charts").iterdir())
    assert [path.name for path in made] == ["copeland-losses.svg", "copeland-winners.svg", "subsets.svg"]
    before = [path.read_bytes() for path in made]
    assert all(b"rankers in the subset" in svg for svg in before)
    out = rankduel(*options)[1]
    assert "wrote charts/subsets.svg" in out and [path.read_bytes() for path in made] == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--figures", "charts"], "add --subsets, or leave --figures out"),
        (
            ["--subsets", "--overlap-samples", "0"],
            "the number of samples is 0; expected a whole number of 1 or more",
        ),
    ],
)
def test_invalid_commands_are_refused(rankduel, options, message):
    code, out, err = rankduel("winners", "arxiv6", *options)
    assert code == 2 and out == "" and message in words(err)


# --- charts


def test_bubbles_of_binned_sizes_are_means():
    rows = [(1, 1, 1.0), (2, 1, 0.5), (2, 2, 0.5), (3, 1, 0.25), (3, 3, 0.75), (4, 1, 1.0)]
    frame = pd.DataFrame(rows, columns=["x", "y", "share"])
    binned = binned_shares(frame, most=2)
    assert binned[["x", "y", "from", "to", "share"]].to_numpy().tolist() == [
        [1.5, 1, 1, 2, 0.75], [1.5, 2, 1, 2, 0.25], [3.5, 1, 3, 4, 0.625], [3.5, 3, 3, 4, 0.375]
    ]  # fmt: skip
    difference = binned_shares(frame, most=4)
    assert difference[["x", "y", "share"]].to_numpy().tolist() == [list(map(float, row)) for row in rows]
    assert (difference["from"] == difference["to"]).all()


@pytest.mark.parametrize(("n", "title"), [(5, "size"), (60, "size (means over up to 3 neighbouring values)")])
def test_titles_state_the_binning(n, title):
    chart = bubble_chart(pd.DataFrame({"x": range(n), "y": 1, "share": 1.0}), "size", "winners").to_dict()
    assert chart["layer"][0]["encoding"]["x"]["title"] == title


def test_lines_of_many_points_have_no_dots():
    def layers(n):
        frame = pd.DataFrame({"policy": "a", "x": range(n), "mean": 1.0, "low": 1.0, "high": 1.0})
        return len(line_chart(frame, "x", "y").layer)

    assert (layers(40), layers(41)) == (3, 2)


# --- the studies


def inputs_of(matrix, samples):
    return Inputs(preferences_of(matrix), Size(1, samples), {}, 1)


@pytest.fixture(scope="module")
def played():
    """Compute both parts of the study on small matrices; the navigational part has more subsets."""
    values = {
        "informational": overlaps(inputs_of(noisy(12, 0.6), 100)),
        "navigational": overlaps(inputs_of(noisy(12, 0.2), 400)),
    }
    return Results({}, values, {})


def test_values_of_the_study_match_the_tables(played):
    matrix = noisy(12, 0.6)
    inner = pooled(winner_overlaps(matrix, samples=100).shared)
    counts = winner_overlaps(matrix, range(1, 13), samples=100).counts
    found = played.values["informational"]
    assert [found[name] for name in inner["notions"]] == pytest.approx((100 * inner["share"]).tolist())
    assert found["most Copeland winners"] == counts.loc[counts["number"] == WINNERS, "count"].max() > 1
    for number, name in ((WINNERS, "1 Copeland winners"), (LOSSES, "0 losses")):
        chosen = counts[(counts["number"] == number) & (counts["count"] == int(name[0]))]
        assert found[name] == pytest.approx(100 * chosen["share"].sum() / 12)
    assert sum(found.get(f"{count} losses", 0.0) for count in range(12)) == pytest.approx(100)
    assert found["1 Copeland winners in 1"] == 1.0 and "2 Copeland winners in 1" not in found


def test_checks_of_the_study(played):
    records = {record.id: record for record in run_checks(WINNER_NOTIONS, played)}
    for part in USERS:
        assert records[f"winner-notions.{part}.few_winners"].verdict == HOLDS
    assert records["winner-notions.navigational.1_winners"].verdict == REPORT
    found = records["winner-notions.informational.1_winners"]
    assert found.value == played.values["informational"]["1 Copeland winners"]
    assert found.expr.endswith("in [78.9, 80.9]")
    assert sum("informational" in name and name.endswith(("_winners", "_losses")) for name in records) == 11


def test_table_and_figures_of_the_study(played):
    study = WINNER_NOTIONS
    table = table_7_1({"navigational": played.values["navigational"]})
    assert table["published"].tolist() == [99.94, 51.49, 56.15, 77.66, 82.11, 94.81, 94.2]
    assert table["here, informational"].isna().all() and table["here, navigational"].between(0, 100).all()
    assert len(study.figures) == 5
    bubbles = [figure for figure in study.figures if isinstance(figure, Bubbles)]
    assert len(bubbles) == 4
    for figure in bubbles:
        shown = points_table(figure, played)
        assert shown.groupby("x")["mean"].sum().tolist() == pytest.approx([1.0] * 12)
        assert {m.part for line in figure.lines.values() for m in line.values()} <= set(USERS)
        drawn = draw(study, figure, played).to_dict()["layer"][0]["encoding"]
        assert drawn["y"]["scale"]["domain"] == [shown["policy"].min() - 0.5, shown["policy"].max() + 0.5]
        assert draw(study, figure, Results({}, {part: {} for part in USERS}, {})) is None
    marked = draw(study, bubbles[0], played._replace(stand_ins={"informational": "a stand-in"}))
    assert marked.title == "on a stand-in"


def test_curves_of_the_facts_have_every_size():
    matrix = noisy(12, 0.3)
    values = public_facts(inputs_of(matrix, 50))
    shares = subset_shares(matrix, range(1, 13), samples=50)
    for name, column in (("winner", "condorcet"), ("order", "total_order")):
        assert [values[f"{name} in {size}"] for size in range(1, 13)] == shares[column].tolist()
    least = shares["condorcet"].min()
    assert values["fewest winners"] == least == values[f"winner in {values['fewest winners at']}"] < 1
    subsets = [figure for figure in FACTS.figures if figure.name.startswith("subsets-")]
    assert len(subsets) == 4
    for figure in subsets:
        part = figure.name.removeprefix("subsets-")
        last = 135 if part.endswith("cdc") else 136
        for line, name in (("Condorcet winner", "winner"), ("total order", "order")):
            assert list(figure.lines[line]) == list(range(1, last + 1))
            assert figure.lines[line][7] == Measure(part, f"{name} in 7", "value")
