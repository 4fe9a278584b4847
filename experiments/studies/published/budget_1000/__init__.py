"""The best of 100 items in 1,000 comparisons: nine policies in two cases (Yan 2022, Figure 4.1).

In case A the items have a total order, and the answer should contain the best item. In case B two items are
equal and better than all others, and the answer should contain one or both. A published count is itself
random, so the tolerance is three standard errors of the difference of two counts. The files of this study:

    counts     the policies and their published counts
    answers    runs of the policies
    claims     comparisons of published and measured counts
    table      Figure 4.1: published and measured counts side by side
"""

from functools import partial

from rankduel.experiments.studies.published.budget_1000.answers import answer_contents
from rankduel.experiments.studies.published.budget_1000.claims import CHECKS
from rankduel.experiments.studies.published.budget_1000.counts import CELLS, PROBLEMS, ROWS, RUNS, part_name
from rankduel.experiments.studies.published.budget_1000.table import counts_table
from rankduel.experiments.studies.shared.papers import NONE, YAN_2022
from rankduel.experiments.studies.study import Computed, Finding, Size, Study, Table, Use

SIZE = Size(1000, RUNS)

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
        Table(
            "figure4.1", "Figure 4.1: counts over 1,000 runs, as published and measured here", counts_table
        ),
    ),
    minutes={"quick": 0.7},
)
