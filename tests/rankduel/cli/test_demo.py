"""Test that the demo prints all steps and leaves its files."""

import pytest
from support.helpers import words

from rankduel.experiments.matrix.preferences import read_preferences
from rankduel.experiments.runs.run_set import read_run_sets

pytestmark = pytest.mark.slow


def test_the_demo(rankduel, tmp_path):
    code, out, err = rankduel("demo")
    assert (code, err) == (0, "") and max(map(len, out.splitlines())) <= 80
    assert "BM25, whole document" in out and "134 beats all others" in words(out)
    assert "Live and proxy runs agree" in words(out)
    made = {path.name for path in (tmp_path / "demo").iterdir()}
    assert {"mslr-demo.txt", "team_draft.prefs.parquet", "report.html"} <= made
    assert len(read_preferences(tmp_path / "demo" / "team_draft.prefs.parquet")) == 136
    live, proxy = read_run_sets(tmp_path / "demo" / "records")
    assert (live.settings["mode"], proxy.settings["mode"]) == ("live", "proxy")
    assert live.table["policy"].nunique() == 6
