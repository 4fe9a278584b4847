"""Time per duel and its growth with the number of rankers (Li et al. 2020, 6.2, Table 2).

RMED1 and REX3 are the baselines of the authors' public code. MergeDTS is played as in the
paper, and CODE as in that code.

The files of this study:

    times     processor times, and the published days
    claims    claims about the time per duel
"""

from rankduel.experiments.studies.published.timing.claims import CHECKS
from rankduel.experiments.studies.published.timing.times import (
    GROWING,
    NAMES,
    SETS,
    days_for_all,
    days_table,
    growth,
)
from rankduel.experiments.studies.shared.papers import LI_2020, NONE
from rankduel.experiments.studies.study import (
    REPORT,
    Computed,
    Finding,
    Measure,
    Points,
    Size,
    Study,
    Table,
    Use,
)

STUDY = Study(
    id="timing",
    title="Time per duel",
    source="Li, Markov, de Rijke, Zoghi 2020 (TOIS), 6.2, Table 2",
    papers={"": LI_2020, "growth.code": NONE, **{f"{name}.code": NONE for name in SETS}},
    findings=(
        Finding(
            "**DTS need not be slow.** In the paper it takes 65 times as long as MergeDTS with 136 "
            "rankers; updated incrementally, {times.value:.1f} times.",
            {"times": Use("dts_over_merge_dts", REPORT)},
        ),
    ),
    question="How long does a duel take, and how does the time grow with the number of rankers?",
    data="any matrices of 136, 220 and 700 rankers; a total order for the growth",
    parts=(
        Computed("growth", growth),
        *(
            Computed(
                name,
                days_for_all,
                f"{name}-navigational",
                sizes={"quick": Size(1e5, 1), "paper": Size(1e7, 1), "long": Size(1e8, 1)},
            )
            for name in SETS
        ),
    ),
    checks=CHECKS,
    figures=(
        Points(
            "growth",
            "Time per duel against the number of rankers",
            "rankers",
            "microseconds per duel",
            {
                name: {size: Measure("growth", f"{name} {size}", "value") for size in GROWING}
                for name in NAMES
            },
            x="log",
            y="log",
            published="there is no such figure; the text says that the time of merge policies does not "
            "depend on the number of rankers, that of Self-Sparring is linear, and that of DTS quadratic.",
        ),
    ),
    tables=(Table("table2", "Table 2: time for 10^8 duels, as published and here", days_table),),
    minutes={"quick": 0.6, "paper": 21, "long": 212},
)
