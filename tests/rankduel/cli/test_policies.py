"""Test the commands `rankduel policies` and `rankduel run`."""

import json
from pathlib import Path

import pytest
from support.helpers import words

from rankduel.bandits import POLICIES
from rankduel.base.settings import settings_of
from rankduel.experiments.specs import parse_policy


@pytest.mark.parametrize("more", [[], ["--help"], ["rucb(alpha=0.6)"]])
def test_output_fits_eighty_columns(rankduel, more):
    code, out, err = rankduel("policies", *more)
    assert (code, err) == (0, "") and max(map(len, out.splitlines())) <= 80
    assert "…" not in out and "[/" not in out


def test_every_policy_is_listed_with_source_assumption_and_parameters(rankduel):
    out = words(rankduel("policies")[1])
    for policy in POLICIES.values():
        assert f"{policy.name} {policy.about} {policy.source}" in out
        assert f"assumes: {policy.assumes}; " in out
        for name in settings_of(policy):
            assert name == "horizon" or f"{name}=" in out


@pytest.mark.parametrize("name", POLICIES)
def test_parameters_of_one_policy_are_printed(rankduel, name):
    code, out, err = rankduel("policies", name)
    assert (code, err) == (0, "") and max(map(len, out.splitlines())) <= 80
    for parameter, setting in settings_of(POLICIES[name]).items():
        assert f"{parameter} = " in out and setting.about.split()[0] in out
    for variant in POLICIES[name].variants:
        assert variant in out


def test_json_output(rankduel):
    parsed = json.loads(rankduel("policies", "--json")[1])
    assert [policy["name"] for policy in parsed] == [*POLICIES]
    assert all(policy["source"] and policy["assumes"] for policy in parsed)
    assert {policy["name"]: policy["needs_horizon"] for policy in parsed}["savage"] is True
    assert {policy["name"]: policy["needs_horizon"] for policy in parsed}["rucb"] is False


def test_json_of_one_policy_with_its_settings(rankduel):
    parsed = json.loads(rankduel("policies", "merge_dts(alpha=0.262144, batch=16, c=4e6)", "--json")[1])
    assert parsed["written"] == str(parse_policy("merge_dts(alpha=0.262144,batch=16,c=4e6)"))
    assert parsed["parameters"]["c"]["value"] == 4e6
    assert (
        parsed["parameters"]["partition"]["value"] == parsed["parameters"]["partition"]["default"] == "ceil"
    )
    assert "rucb(alpha=0.6)" in rankduel("policies", "rucb(alpha=0.6)")[1]


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        (["policies", "rucbb"], "no policy named 'rucbb'; did you mean 'rucb'?"),
        (
            ["run", "arxiv6", "--policy", "rucb(alfa=1)"],
            "no setting of rucb named 'alfa'; did you mean 'alpha'?",
        ),
        (["run", "arxiv7", "--policy", "rucb"], "no matrix named 'arxiv7'; did you mean 'arxiv6'?"),
        (["run", "case-b", "--policy", "rucb", "--regret", "condorcet"], "no Condorcet winner"),
        (["run", "arxiv6", "--policy", "rucb", "--regret", "bordo"], "did you mean 'borda'?"),
        (["run", "arxiv6", "--policy", "savage", "--delay", "3"], "needs the outcome of every duel"),
        (
            ["run", "arxiv6", "--policy", "rucb", "--horizon", "1.5"],
            "the horizon is 1.5; expected a whole number",
        ),
        (["run", "arxiv6", "--policy", "rucb", "--runs", "0"], "runs is 0; expected a whole number from 1"),
        (["run", "arxiv6", "--policy", "merge_dts(batch=0)"], "merge_dts: batch is 0; expected"),
        (["run", "arxiv6", "--policy", "merge_dts(alpha=0.4,c=0)"], "alpha"),
    ],
)
def test_mistakes_end_in_one_message(rankduel, typed, message):
    code, out, err = rankduel(*typed)
    assert code == 2 and out == "" and err.startswith("error: ") and message in words(err)
    assert "Traceback" not in err


@pytest.mark.kernel
def test_run_sorts_policies_by_regret(rankduel):
    code, out, err = rankduel(
        "run", "cyclic", "--policy", "random_pair", "--policy", "rucb", "--horizon", "2e4", "--runs", "4"
    )
    assert (code, err) == (0, "") and max(map(len, out.splitlines())) <= 80
    assert "cyclic: 4 arms; after 20,000 duels, 4 runs" in out
    assert out.index("rucb") < out.index("random_pair")


@pytest.mark.kernel
def test_results_do_not_depend_on_other_policies_or_jobs(rankduel):
    def shown(*more):
        out = rankduel("run", "cyclic", "--policy", "rucb", "--horizon", "5000", "--runs", "3", *more)[1]
        return next(line.split()[:-1] for line in out.splitlines() if line.startswith("rucb "))

    assert shown() == shown("--jobs", "1") == shown("--jobs", "3", "--policy", "random_pair")
    assert shown() != shown("--seed", "1")


def test_a_policy_file_is_run_by_the_command(rankduel, tmp_path):
    source = Path(__file__).parents[3] / "bandits" / "policies" / "condorcet" / "random_pair.py"
    (tmp_path / "mine.py").write_text(source.read_text("utf-8"), "utf-8")
    code, _, err = rankduel("run", "arxiv6", "-p", "mine.py", "--horizon", "20", "--runs", "1")
    assert (code, err) == (0, "")
    assert list((tmp_path / "results").rglob("0.parquet"))
