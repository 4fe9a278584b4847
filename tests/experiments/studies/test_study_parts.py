"""Values that studies compute from runs, on made-up records, and the selection of parts."""

import numpy as np
import pandas as pd
import pytest

from rankduel.base.errors import MatrixError
from rankduel.experiments.matrix.builtin import MATRICES
from rankduel.experiments.matrix.preferences import preferences_of
from rankduel.experiments.studies.data.judged import DataSource
from rankduel.experiments.studies.data.problems import open_problem, stand_in_for
from rankduel.experiments.studies.play import count_runs, parts_to_play
from rankduel.experiments.studies.published import k_scan, merge_tuning
from rankduel.experiments.studies.published.beyond_condorcet import two_winners
from rankduel.experiments.studies.published.merge_tuning import grid
from rankduel.experiments.studies.study import Computed, Inputs, Runs, Size, Study, full_name

ONE = {"quick": Size(100, 3)}


def inputs(tables=None, **more):
    return Inputs(None, Size(100, 2), tables or {}, 1, **more)


def records(regrets, wrong=()):
    """Return records from {policy: final regrets}; policies in `wrong` lose the winner in their first run."""
    return pd.DataFrame(
        [
            {"policy": policy, "run": run, "step": step, "regret": value * share, "correct": ok}
            for policy, values in regrets.items()
            for run, value in enumerate(values)
            for step, share in ((10, 0.5), (100, 1.0))
            for ok in [not (policy in wrong and run == 0)]
        ]
    )


def no_values(inputs):
    return {}


STUDY = Study(
    id="mixed",
    title="Some data are there",
    source="none",
    question="Which parts?",
    data="",
    parts=(
        Runs("built-in", "cycle", ("savage", "random_pair"), ONE),
        Runs("absent", "mslr-perfect", ("savage",), ONE),
        Computed("from-built-in", no_values, after=("built-in",)),
        Computed("from-both", no_values, after=("built-in", "absent")),
        Computed("from-that", no_values, after=("from-both",)),
        Computed("of-documents", no_values, "letor(rankers=1-5)"),
        Computed("of-nothing", no_values),
    ),
    checks=(),
)


def test_with_real_parts_that_need_stand_ins_are_left_out():
    chosen = parts_to_play(STUDY, "quick", None, real=True)
    assert [part.name for part, _ in chosen] == ["built-in", "from-built-in", "of-nothing"]
    assert count_runs(chosen) == 2 * 3 + 1 + 1


def test_a_part_is_real_if_its_file_exists(tmp_path):
    (tmp_path / "mslr_perfect.txt").touch()
    chosen = parts_to_play(STUDY, "quick", tmp_path, real=True)
    assert [part.name for part, _ in chosen] == [
        part.name for part in STUDY.parts if part.name != "of-documents"
    ]


def test_without_real_all_parts_are_played():
    assert len(parts_to_play(STUDY, "quick", None, real=False)) == len(STUDY.parts)


def test_a_search_selects_the_least_regret_among_the_fewest_failures():
    found = {"risky": [1.0, 1.0], "good": [3.0, 3.0], "safe": [9.0, 1.0]}
    assert merge_tuning.best_without_failure(records(found, wrong=["risky"])) == "good"
    assert merge_tuning.best_without_failure(records(found)) == "risky"
    assert merge_tuning.best_without_failure(records(found, wrong=list(found))) == "risky"


def test_a_search_fixes_the_parameters_found_before(monkeypatch, tmp_path):
    """The regret is least at alpha .5 and batches of 2; batches are searched with the alpha found before."""
    calls = []

    def played(preferences, policies, horizon, runs, **how):
        calls.append((list(policies), how["folder"].name))
        return records({p: [1.0 + ("alpha=0.5" not in p) + ("batch=2" not in p)] for p in policies})

    monkeypatch.setattr(merge_tuning, "run", played)
    monkeypatch.setattr(merge_tuning, "SEARCHES", {"merge_rucb": {"alpha": (1.0, 0.5), "batch": (2, 8)}})
    made = inputs(folder=tmp_path)._replace(preferences=object())
    assert merge_tuning.search("merge_rucb", made) == {"alpha": 0.5, "batch": 2}
    first, second = calls
    assert first[1] == "alpha" and all("batch=4" in policy for policy in first[0])
    assert second[1] == "batch" and all("alpha=0.5" in policy for policy in second[0])


def test_the_search_for_merge_dts_uses_the_runs_of_its_figure():
    def regrets(policies, best):
        return {full_name(policy): [1.0 if policy == best else 2.0] for policy in policies}

    by_alpha, by_batch = merge_tuning.by_alpha, merge_tuning.by_batch
    risky = full_name(by_alpha(9))
    tables = {f"alpha-{p}": records(regrets([by_alpha(p)], by_alpha(6))) for p in merge_tuning.POWERS}
    tables |= {
        "alpha-9": records({risky: [0.0]}, wrong=[risky]),
        "batch": records(regrets(map(by_batch, merge_tuning.BATCHES), by_batch(8))),
        "constant": records(
            regrets(map(merge_tuning.by_constant, (4e2, 4e3)), merge_tuning.by_constant(4e3))
        ),
    }
    assert merge_tuning.read_off(inputs(tables)) == {"alpha": 0.8**6, "batch": 8, "c": 4e3}


def test_the_grid_is_averaged_over_subsets():
    default, other, third = (full_name(grid.on_grid(*s)) for s in ((4, 1.01), (8, 1.01), (4, 0.71)))
    tables = {
        "grid-20-0": records({default: [10.0], other: [1.0], third: [30.0]}),
        "grid-20-1": records({default: [20.0], other: [19.0], third: [50.0]}),
    }
    found = grid.by_setting(inputs(tables))
    assert (found["best"], found["default"], found["worst"]) == ([1, 19], [10, 20], [30, 50])
    assert found["default / best"] == [pytest.approx(1.5)]


def test_noise_is_compared_subset_by_subset():
    merge, rcs = k_scan.MERGE, k_scan.RCS
    finals = {
        ("clicks40-0", "perfect"): (2.0, 1.0),
        ("clicks40-0", "informational"): (4.0, 5.0),
        ("clicks40-1", "perfect"): (1.0, 2.0),
        ("clicks40-1", "informational"): (3.0, 4.0),
    }
    tables = {f"{s}-{user}": records({merge: [m], rcs: [r]}) for (s, user), (m, r) in finals.items()}
    tables |= {f"{s}-navigational": tables[f"{s}-perfect"] for s in ("clicks40-0", "clicks40-1")}
    found = k_scan.noise(inputs(tables))
    assert found["merge_rucb"] == [2, 3] and found["rcs"] == [5, 2]
    assert found["rcs suffers more than merge_rucb"] == [1, 0]
    assert found["rcs, informational"] == [5, 4]


ORDER = np.array([[0.5, 0.6, 0.7], [0.4, 0.5, 0.9], [0.3, 0.1, 0.5]])


def test_a_problem_may_be_a_file_in_the_data_folder_or_the_current_folder(tmp_path, monkeypatch):
    data = tmp_path / "data"
    data.mkdir()
    np.savetxt(data / "mine.txt", ORDER)
    monkeypatch.chdir(tmp_path)
    np.save("here.npy", ORDER)
    for name in ("mine.txt", "here.npy"):
        opened = open_problem(name, DataSource(data, tmp_path))
        np.testing.assert_allclose(opened.problem.preferences.matrix, ORDER, rtol=1e-15)
        assert opened.stand_in == ""
    part = open_problem("mine.txt(random=2,seed=1)", DataSource(data, tmp_path))
    assert len(part.problem.preferences) == 2
    with pytest.raises(MatrixError, match=r"else\.txt: there is no such file"):
        open_problem("else.txt", DataSource(data, tmp_path))


def test_a_subset_by_all_users_is_real_only_if_all_matrices_are(tmp_path):
    text = "mslr-navigational(random=5,seed=1,users=all)"
    for user in ("navigational", "perfect"):
        (tmp_path / f"mslr_{user}.txt").touch()
        assert "mslr-informational" in stand_in_for(text, tmp_path)
    (tmp_path / "mslr_informational.txt").touch()
    assert stand_in_for(text, tmp_path) == ""


def test_shape_of_two_copeland_winners():
    """Arms 0 and 1 beat all but one: 0 beats 1 and loses to 9, so 1 loses to 0 only."""
    prefs = MATRICES["two-winners32"].make()
    names = tuple(str(3 + 4 * arm) for arm in range(32))
    found = two_winners.shape(inputs()._replace(preferences=preferences_of(prefs, names)))
    numbers = {"rankers": 32, "winners": 2, "beaten": 30, "least gap": 0.1}
    assert found == pytest.approx({**numbers, "winner": 3, "other": 7, "beats winner": 39})
    ordered = two_winners.shape(inputs()._replace(preferences=preferences_of(ORDER)))
    assert ordered == {"rankers": 3, "winners": 1, "beaten": 2}
