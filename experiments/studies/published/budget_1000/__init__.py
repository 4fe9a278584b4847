"""The best of 100 items in 1,000 comparisons: nine policies in two cases (Yan 2022, Figure 4.1).

In case A the items have a total order, and the answer should contain the best item. In case B two items are
equal and better than all others, and the answer should contain one or both. A published count is itself
random, so the tolerance is three standard errors of the difference of two counts. The files of this study:

    counts     the policies and their published counts
    answers    runs of the policies
    claims     comparisons of published and measured counts
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

import pandas as pd

from rankduel.experiments.studies.published.budget_1000.answers import answer_contents
from rankduel.experiments.studies.published.budget_1000.claims import CHECKS
from rankduel.experiments.studies.published.budget_1000.counts import (
    CELLS,
    FIGURE,
    PROBLEMS,
    ROWS,
    RUNS,
    part_name,
)
from rankduel.experiments.studies.shared.papers import NONE, YAN_2022
from rankduel.experiments.studies.study import Computed, Finding, Size, Study, Table, Use

SIZE = Size(1000, RUNS)


def figure(values: Mapping[str, Mapping[str, Any]]) -> pd.DataFrame:
    """Return a table of published and measured counts; policies that the tier lacks are left out."""
    rows = []
    for name, case in CELLS:
        found = values.get(part_name(name, case))
        if name in FIGURE and found is not None:
            row, runs = ROWS[name], len(found["one"])
            published = row.cases[case]
            rows.append(
                {
                    "case": case,
                    "method": row.method,
                    "one best item": published.one,
                    "one best item, here": int(RUNS * sum(found["one"]) / runs),
                    "both best items": "" if published.both is None else str(published.both),
                    "both best items, here": int(RUNS * sum(found["both"]) / runs),
                    "comparisons": _range(published.comparisons),
                    "comparisons, here": _range(found["comparisons"]),
                    "most judgments of a pair": _range(published.judgments or ()),
                    "most judgments of a pair, here": _range(found["judgments"]),
                    "items in answers": "" if published.items is None else str(published.items[0]),
                    "items in answers, here": int(RUNS * sum(found["items"]) / runs),
                }
            )
    return pd.DataFrame(rows)


def _range(values: Any) -> str:
    if not len(values):
        return ""
    low = int(min(values))
    high = int(max(values))
    return f"{low}" if low == high else f"{low}-{high}"


STUDY = Study(
    id="budget-1000",
    title="The best of 100 items in 1,000 comparisons",
    source="Yan 2022 (thesis, University of Waterloo), chapter 4, Figure 4.1",
    papers={"": YAN_2022, "A.parwis_shuffled.": NONE, "B.parwis_shuffled.": NONE},
    findings=(
        Finding(
            "**A tournament beats bandits on a small budget.** In 1,000 comparisons of 100 ordered items "
            "SELECT finds the best item in {select.value:.0f} of 1,000 runs (715 published), prefBest in "
            "{prefbest.value:.0f} (502), MergeDTS in {merge.value:.0f} (108).",
            {
                "select": Use("A.select.one"),
                "prefbest": Use("A.prefbest.one"),
                "merge": Use("A.merge_dts.one"),
            },
        ),
    ),
    question="Which policies find the best items with few comparisons?",
    data="built in",
    parts=tuple(
        Computed(
            part_name(name, case),
            partial(answer_contents, ROWS[name], case),
            PROBLEMS[case],
            sizes={"quick": SIZE},
        )
        for name, case in CELLS
    ),
    checks=CHECKS,
    tables=(
        Table("figure4.1", "Figure 4.1: counts over 1,000 runs, as published and measured here", figure),
    ),
    minutes={"quick": 0.7},
)
