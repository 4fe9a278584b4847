"""A study with damaged records is an error; `--repair` plays them again."""

import pytest
from support.helpers import words

pytestmark = pytest.mark.kernel

STUDY = """
id = "tiny"
title = "Chance"
source = "nobody"
question = "Does it?"
data = "built in"

[[runs]]
name = "easy"
problem = "cyclic"
policies = ["random_pair"]
sizes = { quick = { horizon = 200, runs = 2 } }
"""


def test_a_study_is_repaired(rankduel, tmp_path):
    (tmp_path / "tiny.toml").write_text(STUDY)
    typed = ("study", "run", "tiny.toml", "--out", "out", "--jobs", "1")
    assert rankduel(*typed)[0] == 0
    record = tmp_path / "out" / "tiny-quick" / "easy" / "random_pair" / "1.parquet"
    good = record.read_bytes()
    record.write_bytes(good[:-1])
    code, _, err = rankduel(*typed)
    assert code == 2 and "easy/random_pair/1.parquet: a damaged record" in words(err) and "--repair" in err
    assert rankduel(*typed, "--repair")[0] == 0 and record.read_bytes() == good
