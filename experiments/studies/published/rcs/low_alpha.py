"""RCS and RUCB with alpha = 0.1, with which some runs of RUCB fail (Zoghi et al. 2014, Figure 4)."""

from typing import Any

from rankduel.experiments.studies.published.rcs.curves import RCS
from rankduel.experiments.studies.published.rcs.regret import TEN
from rankduel.experiments.studies.study import Between, Check, Curves, Measure, Ratio, Runs, Size

LOW_RUCB, LOW_RCS = "rucb(alpha=0.1,use_b=false)", "rcs(alpha=0.1)"


def _low(policy: str, column: str = "regret", **more: Any) -> Measure:
    return Measure("low-alpha", policy, column, **more)


PARTS = (
    Runs(
        "low-alpha",
        TEN["lex1"],
        (LOW_RUCB, LOW_RCS, RCS),
        {"quick": Size(4e5, 60), "paper": Size(4e5, 300)},
    ),
)
CHECKS = (
    Check(
        "fig4.stuck",
        "with alpha = .1 some RUCB runs (2 of 30) never recommend the best ranker",
        Between(_low(LOW_RUCB, "wrong", at=4e5), 0.01, 0.09),
        "11 of 300",
        runs=300,
    ),
    Check(
        "fig4.rcs_is_right",
        "RCS with alpha = .1 recommends the best ranker in every run",
        Between(_low(LOW_RCS, "wrong", at=4e5, statistic="count"), high=0),
        "0 of 300",
    ),
    Check(
        "fig4.worst_run",
        "with alpha = .1 the worst RUCB run is far above the worst RCS run",
        Ratio(_low(LOW_RUCB, at=4e5, statistic="max"), _low(LOW_RCS, at=4e5, statistic="max"), low=5),
        "19,213 and 1,398",
        runs=300,
    ),
    Check(
        "fig4.linear",
        "the mean regret of RUCB with alpha = .1 keeps growing",
        Ratio(_low(LOW_RUCB, at=4e5), _low(LOW_RUCB, at=2e5), low=1.4),
        runs=300,
    ),
    Check(
        "fig4.flat",
        "the mean regret of RCS with alpha = .1 flattens",
        Ratio(_low(LOW_RCS, at=4e5), _low(LOW_RCS, at=2e5), high=1.3),
    ),
    Check(
        "fig4.twice",
        "with alpha = .1 RCS has almost twice its regret with alpha = .501",
        Ratio(_low(LOW_RCS, at=2e5), _low(RCS, at=2e5), 1.5, 2.6),
        "1.98",
    ),
)
FIGURES = (
    Curves(
        "figure4",
        "Figure 4: alpha = .1",
        "low-alpha",
        x="linear",
        published="means of 30 runs to 400,000 duels, linear axes to a regret of 1,400; RUCB grows "
        "linearly because two runs never settle, RCS flattens.",
    ),
)
