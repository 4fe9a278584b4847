"""Commands for studies, on a small study in TOML from end to end."""

import json
import re

import pytest
from support.own_study import TOML

from rankduel.experiments.studies import all_studies


@pytest.fixture
def tiny(tmp_path):
    path = tmp_path / "tiny.toml"
    path.write_text(TOML)
    return path


def test_run_check_and_page(rankduel, tiny, tmp_path):
    code, out, err = rankduel("study", "run", tiny, "--out", "kept", "--jobs", 1)
    assert (code, err) == (0, "")
    assert "no estimate" in out
    assert "1 hold, 1 do not hold, 1 skipped; on stand-in data 1 warn" in " ".join(out.split())
    assert "on a synthetic stand-in for mslr-perfect" in " ".join(out.split())
    folder = tmp_path / "kept" / "tiny-quick"
    made = sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.suffix in (".svg", ".json")
    )
    assert made == [
        "checks.json",
        "easy/_settings.json",
        "figures/public-stand-in.svg",
        "figures/regret.svg",
        "public-stand-in/_settings.json",
    ]
    assert (
        json.loads((folder / "public-stand-in" / "_settings.json").read_text())["matrix"]["arms"].count(",")
        == 3
    )
    page = (tmp_path / "kept" / "tiny-quick.html").read_text()
    assert ">warns</span><small>on stand-in data<" in page
    stand_in = (
        "Some parts were run on stand-ins for data that were not found: a synthetic stand-in for mslr-perfect"
    )
    assert page.count(stand_in) == 1

    code, out, err = rankduel("study", "check", tiny, "--out", "kept", "--jobs", 1)
    assert code == 0  # the claim that does not hold has an explanation
    assert "explanation: it is not: it never learns" in " ".join(out.split())
    assert "needs 4,000 duels; this tier has 2,000" in " ".join(out.split())

    code, out, err = rankduel("study", "page", "kept", "-o", "docs/page.md")
    text = (tmp_path / "docs" / "page.md").read_text()
    assert code == 0 and text.count("<br><sub>quick</sub> |") == 4
    assert re.search(r"\* \*\*does not hold\*\*: chance is better\. .* it is not: it never learns\n", text)


def test_saved_runs_are_not_played_again(rankduel, tiny, tmp_path):
    rankduel("study", "run", tiny, "--out", "kept", "--jobs", 1)
    folder = tmp_path / "kept" / "tiny-quick"
    runs = sorted(folder.rglob("*.parquet"))
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in runs}
    verdicts = (folder / "checks.json").read_bytes()
    (folder / "easy" / "savage" / "2.parquet").unlink()  # as after a kill
    rankduel("study", "check", tiny, "--out", "kept", "--jobs", 1)
    again = [path for path in runs if path.stat().st_mtime_ns != before[path][1]]
    assert [path.name for path in again] == ["2.parquet"]
    assert all(path.read_bytes() == before[path][0] for path in runs)
    assert (folder / "checks.json").read_bytes() == verdicts


def test_an_unexplained_failure_ends_in_an_error(rankduel, tiny):
    tiny.write_text(TOML.replace('explanation = "it is not: it never learns"', ""))
    code, out, _ = rankduel("study", "check", tiny, "--out", "kept", "--jobs", 1)
    assert code == 1 and "not explained" in out


def test_the_page_has_the_verdict_of_the_longest_tier(rankduel, tiny, tmp_path):
    for tier in ("quick", "paper"):
        rankduel("study", "run", tiny, "--tier", tier, "--out", "kept", "--jobs", 1)
    rankduel("study", "page", "kept", "-o", "page.md")
    text = (tmp_path / "page.md").read_text()
    assert text.count("<br><sub>paper</sub> |") == 4 and "| skipped<br>" not in text


def test_list_and_show(rankduel):
    code, out, _ = rankduel("study", "list")
    assert code == 0 and all(name in out for name in all_studies())
    for name in ("cycles", "facts"):
        code, out, _ = rankduel("study", "show", name)
        assert code == 0 and f"rankduel study run {name}" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("run",), "expected names of studies, or --all alone"),
        (("run", "cycle"), "did you mean 'cycles'"),
        (("show", "mine.toml"), "there is no such file"),
        (("check", "facts", "--data", "nowhere"), "there is no such folder"),
        (("page", "nowhere"), "no checks in it"),
        (("run", "facts", "./one.toml", "./other.toml"), "./one.toml and ./other.toml have the same id"),
        (
            ("show", "deep.toml"),
            "deep.toml: not TOML that can be read: lists or tables are nested too deeply",
        ),
    ],
)
def test_invalid_commands_are_refused(rankduel, words, message, tmp_path):
    (tmp_path / "one.toml").write_text(TOML)
    (tmp_path / "other.toml").write_text(TOML.replace('id = "tiny"', 'id = "TINY"'))
    (tmp_path / "deep.toml").write_text("id = " + "[" * 20_000)
    code, _, err = rankduel("study", *words)
    assert code == 2 and message in " ".join(err.split())
