"""The search for parameters and the grid of mergeRUCB, on made-up records."""

import pytest
from support.study_records import records

from rankduel.experiments.studies.published.merge_tuning import grid, parameters
from rankduel.experiments.studies.study import Inputs, Size, full_name


def inputs(tables=None, **more):
    return Inputs(None, Size(100, 2), tables or {}, 1, **more)


def test_a_search_selects_the_least_regret_among_the_fewest_failures():
    found = {"risky": [1.0, 1.0], "good": [3.0, 3.0], "safe": [9.0, 1.0]}
    assert parameters.best_without_failure(records(found, wrong=["risky"])) == "good"
    assert parameters.best_without_failure(records(found)) == "risky"
    assert parameters.best_without_failure(records(found, wrong=list(found))) == "risky"


def test_a_search_fixes_the_parameters_found_before(monkeypatch, tmp_path):
    """The regret is least at alpha .5 and batches of 2; batches are searched with the alpha found before."""
    calls = []

    def played(preferences, policies, horizon, runs, **how):
        calls.append((list(policies), how["folder"].name))
        return records({p: [1.0 + ("alpha=0.5" not in p) + ("batch=2" not in p)] for p in policies})

    monkeypatch.setattr(parameters, "play_runs", played)
    monkeypatch.setattr(parameters, "SEARCHES", {"merge_rucb": {"alpha": (1.0, 0.5), "batch": (2, 8)}})
    made = inputs(folder=tmp_path)._replace(preferences=object())
    assert parameters.search("merge_rucb", made) == {"alpha": 0.5, "batch": 2}
    first, second = calls
    assert first[1] == "alpha" and all("batch=4" in policy for policy in first[0])
    assert second[1] == "batch" and all("alpha=0.5" in policy for policy in second[0])


def test_the_search_for_merge_dts_uses_the_runs_of_its_figure():
    def regrets(policies, best):
        return {full_name(policy): [1.0 if policy == best else 2.0] for policy in policies}

    by_alpha, by_batch = parameters.by_alpha, parameters.by_batch
    risky = full_name(by_alpha(9))
    tables = {f"alpha-{p}": records(regrets([by_alpha(p)], by_alpha(6))) for p in parameters.POWERS}
    tables |= {
        "alpha-9": records({risky: [0.0]}, wrong=[risky]),
        "batch": records(regrets(map(by_batch, parameters.BATCHES), by_batch(8))),
        "constant": records(regrets(map(parameters.by_constant, (4e2, 4e3)), parameters.by_constant(4e3))),
    }
    assert parameters.read_off(inputs(tables)) == {"alpha": 0.8**6, "batch": 8, "c": 4e3}


def test_the_grid_is_averaged_over_subsets():
    default, other, third = (full_name(grid.on_grid(*s)) for s in ((4, 1.01), (8, 1.01), (4, 0.71)))
    tables = {
        "grid-20-0": records({default: [10.0], other: [1.0], third: [30.0]}),
        "grid-20-1": records({default: [20.0], other: [19.0], third: [50.0]}),
    }
    found = grid.by_setting(inputs(tables))
    assert (found["best"], found["default"], found["worst"]) == ([1, 19], [10, 20], [30, 50])
    assert found["default / best"] == [pytest.approx(1.5)]
