"""Claims about the time per duel."""

from collections.abc import Iterator

from rankduel.experiments.studies.published.timing.times import DAYS, SETS
from rankduel.experiments.studies.shared.policies import MERGE_DTS_CODE
from rankduel.experiments.studies.study import Between, Check, Measure, Report


def _slope(name: str) -> Measure:
    return Measure("growth", f"{name} slope", "value")


def _code_checks() -> Iterator[Check]:
    """Yield the times of MergeDTS as in the authors' public code, relative to the paper's MergeDTS."""
    yield Check(
        "growth.code",
        "growth of the time per duel of MergeDTS by the authors' public code with the number of rankers",
        Report(_slope(MERGE_DTS_CODE)),
        "not in the source",
    )
    for name, rankers in SETS.items():
        yield Check(
            f"{name}.code",
            f"{rankers} rankers: time of MergeDTS by the authors' public code / by the paper",
            Report(Measure(name, MERGE_DTS_CODE, "value"), Measure(name, "merge_dts", "value")),
            "not in the source",
        )


CHECKS = (
    Check(
        "growth.self_sparring",
        "the time per duel of Self-Sparring grows linearly with the number of rankers",
        Report(_slope("self_sparring")),
        "slope 1; the implementation here need not visit all rankers",
    ),
    Check(
        "growth.dts",
        "the time per duel of DTS grows with the square of the number of rankers",
        Report(_slope("dts")),
        "slope 2; the implementation here updates incrementally, so the slope may be smaller",
    ),
    *(
        Check(
            f"growth.{name}",
            f"{name}: time per duel does not depend on the number of rankers",
            Between(_slope(name), -0.2, 0.4),
            "order of M^2 per duel",
        )
        for name in ("merge_dts", "merge_rucb")
    ),
    Check(
        "dts_over_merge_dts",
        "136 rankers: DTS takes 65 times as long as MergeDTS",
        Report(Measure("mslr", "dts", "value"), Measure("mslr", "merge_dts", "value")),
        "65 (5.23 and .08 days); DTS updates incrementally here",
    ),
    *(
        Check(
            f"{name}.{policy}",
            f"{rankers} rankers: {policy} takes {DAYS[policy][place]} days for 10^8 duels",
            Report(Measure(name, policy, "value")),
            f"{DAYS[policy][place]}",
        )
        for place, (name, rankers) in enumerate(SETS.items())
        for policy in DAYS
    ),
    *_code_checks(),
)
