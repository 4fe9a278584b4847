"""Estimates of the time that a tier takes, and `rankduel study run --dry-run`."""

import json
import math
from dataclasses import replace

import pytest
from support.own_study import TOML

from rankduel.cli.shown.estimates import seconds_text, stated_minutes
from rankduel.experiments.studies import all_studies
from rankduel.experiments.studies.estimates import estimates
from rankduel.experiments.studies.play import play_study
from rankduel.experiments.studies.study import Computed, Runs, Size, Study


def values(inputs):
    return {"x": 1.0}


STUDY = Study(
    "s", "t", "s", "q", "d",
    parts=(
        Runs("r", "cyclic", ["random_pair", "savage"], {"quick": Size(100, 2), "long": Size(1000, 5)}),
        Computed("c", values, "cyclic", sizes={"quick": Size(10, 3), "long": Size(20, 6)}),
        Computed("d", values, after=("r",), cached=False),
        Runs("later", "cyclic", ["savage"], {"long": Size(50, 1)}),
    ),
    checks=(),
)  # fmt: skip


def left(tier, out, study=STUDY):
    return {(one.part, one.policy): one for one in estimates(study, tier, out, data=None, real=False)}


def test_without_records_all_runs_are_left_and_no_time_is_known(tmp_path):
    found = left("quick", tmp_path)
    assert list(found) == [("r", "random_pair"), ("r", "savage"), ("c", "")]
    assert [one.runs for one in found.values()] == [2, 2, 1]
    assert all(math.isnan(one.seconds) and one.tier == "" for one in found.values())


def test_times_are_those_of_the_nearest_tier_in_proportion_to_the_duels(tmp_path):
    play_study(STUDY, "quick", tmp_path)
    folder = tmp_path / "s-quick"
    for run, seconds in enumerate((1, 3)):
        (folder / "r" / "savage" / f"_{run}.seconds").write_text(f"{seconds}\n")
        (folder / "r" / "random_pair" / f"_{run}.seconds").write_text("?" if run else "4")
    (folder / "_c.seconds").write_text("7\n")
    assert {one.runs for one in left("quick", tmp_path).values()} == {0}
    found = left("long", tmp_path)
    assert found["r", "savage"][3:] == (1000, 5, pytest.approx(2 * 10), "quick")
    assert found["r", "random_pair"][3:] == (1000, 5, pytest.approx(4 * 10), "quick")
    assert found["c", ""][3:] == (20, 1, pytest.approx(7 * 4), "quick")
    assert found["later", "savage"].runs == 1 and math.isnan(found["later", "savage"].seconds)


def test_runs_of_the_tier_itself_come_first(tmp_path):
    for tier in ("quick", "long"):
        play_study(STUDY, tier, tmp_path)
    run = tmp_path / "s-long" / "r" / "savage"
    (run / "4.parquet").unlink()
    for number in range(4):
        (run / f"_{number}.seconds").write_text("6")
    assert left("long", tmp_path)["r", "savage"][3:] == (1000, 1, 6.0, "long")
    assert left("paper", tmp_path)["r", "savage"].tier == "quick"  # not from a longer tier


def test_values_of_another_version_are_left_to_compute(tmp_path):
    play_study(STUDY, "quick", tmp_path)
    assert left("quick", tmp_path)["c", ""].runs == 0
    parts = [replace(part, version=2) if part.name == "c" else part for part in STUDY.parts]
    assert left("quick", tmp_path, replace(STUDY, parts=parts))["c", ""].runs == 1


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.04, "0.0 s"), (9.94, "9.9 s"), (12.3, "12 s"), (59.4, "59 s"), (59.6, "1 min 0 s"),
        (250, "4 min 10 s"), (3599.6, "1 h 0 min"), (12_000, "3 h 20 min"), (4e6, "1,111 h 7 min"),
    ],
)  # fmt: skip
def test_durations_in_words(seconds, text):
    assert seconds_text(seconds) == text


def test_dry_run_plays_nothing_and_shows_what_is_left(rankduel, tmp_path):
    (tmp_path / "tiny.toml").write_text(TOML)
    words = ("study", "run", "tiny.toml", "--out", "kept", "--jobs", 1)
    code, out, err = rankduel(*words, "--dry-run")
    assert (code, err) == (0, "") and not (tmp_path / "kept").exists()
    assert "?: no run is recorded" in out
    rankduel(*words)
    rows = json.loads(rankduel(*words, "--dry-run", "--tier", "paper", "--json")[1])
    assert [(row["part"], row["policy"], row["runs"], row["tier"]) for row in rows] == [
        ("easy", "savage", 8, "quick"),
        ("easy", "random_pair", 8, "quick"),
        ("public", "random_pair", 2, "quick"),
    ]
    code, out, err = rankduel(*words, "--dry-run", "--tier", "paper")
    assert code == 0 and "?" not in out and "with 1 core: " in out
    assert out.splitlines()[-2].split()[:4] == ["in", "all", "18", "6.42e+04"]
    assert "none" in rankduel(*words, "--dry-run")[1]  # all is done


def test_the_stated_time_is_shown_if_nothing_is_recorded(rankduel):
    out = rankduel("study", "run", "live-vs-proxy", "--tier", "paper", "--jobs", 1, "--dry-run")[1]
    minutes = all_studies()["live-vs-proxy"].minutes["paper"]
    assert f"stated for the whole tier, with 1 core: {seconds_text(60 * minutes)}" in " ".join(out.split())
    assert stated_minutes(all_studies()["facts"], "paper") == all_studies()["facts"].minutes["quick"]
    assert stated_minutes(STUDY, "paper") == 0


def test_several_studies_end_in_one_summary_with_its_time(rankduel, tmp_path):
    (tmp_path / "one.toml").write_text(TOML)
    (tmp_path / "two.toml").write_text(TOML.replace('id = "tiny"', 'id = "small"'))
    words = ("study", "run", "one.toml", "two.toml", "--out", "kept", "--jobs", 1)
    code, out, _ = rankduel(*words)
    out = " ".join(out.split())
    assert code == 0 and "tiny 1 hold, 1 do not hold, 1 skipped; on stand-in data 1 warn (after " in out
    assert "2 studies in " in out and "s: 2 hold, 2 do not hold, 2 skipped; on stand-in data 2 warn" in out
    assert "in all" in rankduel(*words, "--dry-run")[1]
