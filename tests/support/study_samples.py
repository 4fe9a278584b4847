"""Studies with made-up results for tests."""

import json

import pandas as pd

from rankduel.experiments.studies.checks import Results, run_checks
from rankduel.experiments.studies.play import Played
from rankduel.experiments.studies.study import FAILS, HOLDS, SKIPPED, WARNS, Curves, Runs, Size, Study, Table
from rankduel.experiments.studies.toml import read_study
from rankduel.experiments.studies.verdicts import Record
from support.run_set_samples import made_up_table

TOML = """
id = "mine"
title = {title}
source = {source}
question = {question}
data = {data}

[[runs]]
name = "easy"
problem = "arithmetic"
policies = ["rucb"]
sizes = {{ quick = {{ horizon = 100, runs = 2 }} }}

[[checks]]
id = "below"
claim = {claim}
reference = {known}
explanation = {why}
between = {{ value = {{ part = "easy", policy = "rucb" }}, high = 0 }}

[[curves]]
name = "regret"
title = {figure}
part = "easy"
"""


def played_study(folder, text):
    """Return a study with every element of a page, and `text` in every string that is not a file name."""
    study = Study(
        id=f"mine{text}",
        title=f"title{text}",
        source=f"source{text}",
        question=f"question{text}",
        data=f"data{text}",
        parts=(Runs("p", "cycle", ("rucb",), {"quick": Size(100, 2)}),),
        checks=(),
        figures=(Curves("regret", f"figure{text}", "p"),),
        tables=(Table("table", f"table{text}", lambda values: pd.DataFrame({f"column{text}": [text]})),),
    )
    results = Results({"p": made_up_table((f"rucb{text}",), 100)}, {}, {"p": f"stand-in{text}"})
    records = [record(HOLDS, text), record(FAILS, text), record(WARNS, text, text), record(SKIPPED, text)]
    return Played(study, "quick", results, records, folder / "figures")


def record(verdict, text, stand_in=""):
    numbers = (1.0, 2.0, 3, 3, 1.0, 0.5, 2.0)
    words = (f"claim{text}", f"known{text}", stand_in, f"reason{text}")
    return Record(f"s.{verdict}", f"test{text}", *numbers, verdict, *words)


def played_toml(folder, text):
    """Return a study from a TOML file with `text` in every free string; its claim does not hold."""
    words = ("title", "source", "question", "data", "claim", "known", "why", "figure")
    folder.mkdir(parents=True, exist_ok=True)
    quoted = {word: json.dumps(f"{word}{text}") for word in words}
    (folder / "mine.toml").write_text(TOML.format(**quoted), "utf-8")
    study = read_study(folder / "mine.toml")
    results = Results({"easy": made_up_table(study.parts[0].policies, 100)}, {}, {})
    return Played(study, "quick", results, run_checks(study, results), folder / "figures")
