"""Five rankers of MSLR with a Condorcet winner, and bounds of the theory (Zoghi 2017, Figure 7.8)."""

from rankduel.experiments.studies.published.beyond_condorcet.cycle import LATER
from rankduel.experiments.studies.shared.bounds import ALPHA, bound_part
from rankduel.experiments.studies.study import Check, Curves, Measure, Order, Part, Ratio, Report, Runs, Size

WITH_BOUNDS = {
    "rucb": f"rucb(alpha={ALPHA})",
    "merge_rucb": "merge_rucb(variant=paper)",
    "merge_dts": "merge_dts(variant=paper)",
    "ccb": f"ccb(alpha={ALPHA})",
}
THEOREMS = {
    "rucb by Theorem 4.4": "rucb",
    "rucb by Theorem 4.5": "rucb",
    "merge_rucb by Theorem 6.1": "merge_rucb",
    "merge_dts by Theorem 4.1": "merge_dts",
    "ccb by Theorem 7.1": "ccb",
}

PARTS: tuple[Part, ...] = (
    Runs(
        "condorcet5",
        "mslr5",
        ("ccb", "rucb"),
        {"quick": Size(1e6, 1200)},
    ),
    Runs("condorcet5-later", "mslr5", LATER, {"quick": Size(1e6, 20)}),
    Runs("theory5", "mslr5", tuple(WITH_BOUNDS.values()), {"quick": Size(1e6, 20)}),
    bound_part("theory5-bounds", "mslr5", tuple(WITH_BOUNDS), {"quick": 1e6}),
)
CHECKS = (
    *(
        Check(
            f"bounds.{policy}_{theorem.rpartition(' ')[2]}",
            f"{theorem.partition(' by ')[2]}: five arms with a Condorcet winner, alpha = {ALPHA}: the "
            f"regret of {policy} is below its bound",
            Ratio(
                Measure("theory5", WITH_BOUNDS[policy], at=1e6, statistic="max"),
                Measure("theory5-bounds", f"{theorem} @1000000", "value"),
                high=1,
            ),
        )
        for theorem, policy in THEOREMS.items()
    ),
    Check(
        "fig7.8.order",
        "Figure 7.8: with a Condorcet winner, CCB is below RUCB",
        Order(Measure("condorcet5", "ccb", at=1e6), Measure("condorcet5", "rucb", at=1e6), z=3),
        "215 ± 8 and 246 ± 12",
        runs=1200,
    ),
    Check(
        "fig7.8.slightly",
        "Figure 7.8: CCB is only slightly below RUCB",
        Ratio(Measure("condorcet5", "ccb", at=1e6), Measure("condorcet5", "rucb", at=1e6), 0.75, 1),
        ".87",
    ),
    *(
        Check(
            f"fig7.8.{policy}",
            f"with a Condorcet winner: {policy} (not in the figure) / CCB",
            Report(Measure("condorcet5-later", policy), Measure("condorcet5", "ccb")),
        )
        for policy in LATER
    ),
)
FIGURES = (
    Curves(
        "figure7.8",
        "Figure 7.8: five arms with a Condorcet winner",
        "condorcet5",
        beside=("condorcet5-later",),
        published="CCB and RUCB only; CCB has a slight advantage.",
    ),
    Curves(
        "bounds",
        "Regret on five arms with a Condorcet winner, and bounds of the theory",
        "theory5",
        y="log",
        bounds="theory5-bounds",
    ),
)
