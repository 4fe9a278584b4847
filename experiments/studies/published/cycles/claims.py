"""Claims about policies on Cycle, Cycle2, Cyclic and four arms of the thesis."""

from collections.abc import Iterator
from typing import Any

from rankduel.experiments.studies.shared.policies import MERGE_DTS_CODE
from rankduel.experiments.studies.study import Between, Check, Measure, Order, Ratio, Report

HARDEST, LIKELIEST = "rmed1(variant=chang-li)", "rmed1"
# A batch of one arm is merged with another, instead of playing the arm against itself, which is
# uninformative.
MERGING = "merge_rucb(single_batch=merge)"
MISLED = ("rucb", "rcs(alpha=0.51)", "dts", "self_sparring")


def _in(part: str, policy: str, at: float = 0, **more: Any) -> Measure:
    return Measure(part, policy, at=at, **more)


def _merging(policy: str) -> Measure:
    """Return the mean over runs that keep the winner; the others have linear regret and are counted apart."""
    return Measure("cycle-merge", policy, at=1e6, only="right")


def _code_checks() -> Iterator[Check]:
    """Yield the claims about MergeDTS, with MergeDTS as in the authors' public code."""
    yield Check(
        "cycle.code.self_sparring",
        "Cycle: Self-Sparring has an order of magnitude more regret than MergeDTS by the authors' code",
        Ratio(_in("cycle", "self_sparring", 1e7), _in("cycle", MERGE_DTS_CODE, 1e7), low=8),
        runs=5,
    )
    yield Check(
        "cycle.code.rmed1",
        "Cycle: RMED1 is below MergeDTS, both by the authors' code",
        Order(_in("cycle", HARDEST, 1e6), _in("cycle", MERGE_DTS_CODE, 1e6), z=4),
        runs=40,
    )
    yield Check(
        "cycle2.code.rmed1",
        "Cycle2: RMED1 is above MergeDTS, both by the authors' code, by medians",
        Order(
            _in("cycle2", MERGE_DTS_CODE, 1e7, statistic="median"),
            _in("cycle2", HARDEST, 1e7, statistic="median"),
            z=2,
        ),
        runs=20,
    )
    yield Check(
        "cycle2.code.self_sparring",
        "Cycle2: Self-Sparring is below MergeDTS by the authors' code",
        Order(_in("cycle2", "self_sparring", 1e7), _in("cycle2", MERGE_DTS_CODE, 1e7)),
        runs=12,
    )
    for part in ("cycle", "cycle2"):
        yield Check(
            f"{part}.code",
            f"{part.title()}: MergeDTS by the authors' public code / by the paper",
            Report(_in(part, MERGE_DTS_CODE), _in(part, "merge_dts")),
            "not in the source",
        )


CHECKS = (
    Check(
        "cycle.self_sparring",
        "Cycle: Self-Sparring has an order of magnitude more regret than MergeDTS",
        Ratio(_in("cycle", "self_sparring", 1e7), _in("cycle", "merge_dts", 1e7), low=8),
        "23.8",
        runs=5,
    ),
    Check(
        "cycle.self_sparring_early",
        "Cycle: Self-Sparring has an order of magnitude more regret than MergeDTS, after 10^6 duels already",
        Ratio(_in("cycle", "self_sparring", 1e6), _in("cycle", "merge_dts", 1e6), low=8),
        "14",
        runs=5,
    ),
    Check(
        "cycle.merge_rucb",
        "Cycle: mergeRUCB is slightly below MergeDTS",
        Order(_merging("merge_rucb"), _merging("merge_dts"), z=3),
        "161 ± 26 and 250 ± 25",
        runs=1000,
    ),
    Check(
        "cycle.rmed1",
        "Cycle: RMED1 (as in the paper's code) is below MergeDTS",
        Order(_in("cycle", HARDEST, 1e6), _in("cycle", "merge_dts", 1e6), z=4),
        "11.9 ± 1.7 and 250 ± 25 after 10^7",
    ),
    Check(
        "cycle.rmed1_of_its_own_paper",
        "Cycle: RMED1 as in its own paper (Komiyama et al. 2015), relative to MergeDTS",
        Report(_in("cycle", LIKELIEST), _in("cycle", "merge_dts")),
        "above it: 663 ± 124 and 250 ± 25 after 10^7",
    ),
    *(
        Check(
            f"cycle.{name}",
            f"Cycle: {name} is far above MergeDTS",
            Ratio(_in("cycle", policy, 1e7), _in("cycle", "merge_dts", 1e7), low=3),
            f"{known} ± {error} and 250 ± 25",
        )
        for name, policy, known, error in (
            ("dts", "dts(variant=published)", 2706, 202),
            ("rex3", "rex3(variant=chang-li)", 3379, 324),
        )
    ),
    *(
        Check(
            f"cycle.{policy}_settles",
            f"Cycle: {policy} has eliminated all arms but one within 10^6 duels",
            Between(_in("cycle", policy, 1e6, column="survivors", statistic="max"), high=1),
        )
        for policy in ("merge_dts", "merge_rucb")
    ),
    *(
        Check(
            f"cycle.{policy}_is_right",
            f"Cycle: {policy} hardly ever eliminates the winner",
            Between(_in("cycle", policy, 1e6, column="wrong"), high=0.025),
            "no failure in 40 runs",
            runs=40,
        )
        for policy in ("merge_dts", "merge_rucb")
    ),
    Check(
        "cycle2.self_sparring",
        "Cycle2: Self-Sparring is below MergeDTS",
        Order(_in("cycle2", "self_sparring", 1e7), _in("cycle2", "merge_dts", 1e7)),
        "775 ± 32 and 1184 ± 82",
        runs=12,
    ),
    Check(
        "cycle2.rmed1",
        "Cycle2: RMED1 (as in the paper's code) is above MergeDTS, by medians, as its tail is heavy",
        Order(
            _in("cycle2", "merge_dts", 1e7, statistic="median"),
            _in("cycle2", HARDEST, 1e7, statistic="median"),
            z=2,
        ),
        "6019 ± 1439 and 1184 ± 82 (means)",
        runs=20,
    ),
    Check(
        "cycle2.rmed1_of_its_own_paper",
        "Cycle2: RMED1 as in its own paper (Komiyama et al. 2015), relative to MergeDTS",
        Report(_in("cycle2", LIKELIEST), _in("cycle2", "merge_dts")),
        "below it: 964 ± 49 and 1184 ± 82 after 10^7",
    ),
    Check(
        "cycle2.merge_rucb",
        "Cycle2: mergeRUCB is above MergeDTS, if a batch of one arm is merged with another batch",
        Report(_in("cycle2", MERGING), _in("cycle2", "merge_dts")),
        "1501 ± 78 and 1184 ± 82",
    ),
    Check(
        "cycle2.merge_rucb_alone",
        "Cycle2: mergeRUCB is above MergeDTS, if an arm alone in its batch plays itself, the default here",
        Report(_in("cycle2", "merge_rucb"), _in("cycle2", "merge_dts")),
    ),
    *_code_checks(),
    Check(
        "cyclic.rmed2",
        "Komiyama et al. 2015: on Cyclic RMED2 is far below RMED1",
        Ratio(_in("cyclic", "rmed2", 1e5), _in("cyclic", "rmed1", 1e5), high=0.4),
        "14.0 ± 0.4 and 68.8 ± 1.3",
    ),
    *(
        Check(
            f"thesis4.{policy.partition('(')[0]}",
            f"Four arms with different Borda and Condorcet winners: {policy} finds the Condorcet winner",
            Between(_in("thesis4", policy, 1e6, column="correct"), low=0.95),
            "all of 40 runs",
            runs=40,
        )
        for policy in MISLED
    ),
)
