"""Ongoing regret of RCS and RUCB on ten rankers (Zoghi et al. 2014, Figure 3)."""

from rankduel.experiments.studies.published.rcs.curves import RCS, RUCB, plateau
from rankduel.experiments.studies.study import (
    Between,
    Check,
    Computed,
    Curves,
    Measure,
    Order,
    Ratio,
    Report,
    Runs,
    Size,
)

RUCB_B = "rucb(alpha=0.501)"  # also keeps a set B with a likely best arm
BASES = {"lex1": 1, "lex0": 0}  # the source does not state whether features are numbered from 1 or 0
# The public matrix of Yahoo is Set 1. Set 2 has no public matrix.
TEN = {
    **{name: f"mslr-perfect(lex=10,base={base})" for name, base in BASES.items()},
    "yahoo1": "yahoo-perfect(lex=10,base=1)",
}


def _checks(name: str, about: str, known: str, best: str) -> tuple[Check, ...]:
    rucb = Measure(f"ongoing-{name}", RUCB)
    rcs = Measure(f"ongoing-{name}", RCS)

    def of(value: str) -> Measure:
        return Measure(f"plateau-{name}", value, "value")

    return (
        Check(
            f"fig3.{name}.order", f"{about}: RCS has less regret than RUCB", Order(rcs, rucb, z=5), known, 20
        ),
        Check(
            f"fig3.{name}.third",
            f"{about}: RCS has about a third less regret than RUCB",
            Ratio(rcs, rucb, 0.5, 0.75),
            known,
        ),
        Check(
            f"fig3.{name}.plateau",
            f"{about}: the final regrets of RUCB and RCS differ by about 200",
            Between(of("difference"), 120, 320),
            "200 published; 168 (lex1), 266 (lex0)",
        ),
        Check(
            f"fig3.{name}.comparisons",
            f"{about}: RUCB makes roughly 2000 more comparisons with suboptimal rankers than RCS",
            Between(of("more comparisons"), 1000, 4000),
            "2000 published, from the difference of 200 and a winning probability of about .6",
        ),
        Check(
            f"fig3.{name}.variance",
            f"{about}: the variance between runs is similar: ratio of the standard deviations of RCS and "
            "RUCB",
            Between(of("deviation ratio"), 0.5, 2),
            "'similar' published",
        ),
        Check(
            f"fig3.{name}.best_run",
            f"{about}: the best RUCB run is above the mean of RCS",
            Ratio(rucb._replace(statistic="min"), rcs, low=1),
            best,
        ),
        Check(
            f"fig3.{name}.second_version",
            f"{about}: regret of RUCB with its set B",
            Report(Measure(f"ongoing-{name}", RUCB_B)),
            "465 ± 6 (lex1)",
        ),
    )


RUNS = tuple(
    Runs(
        f"ongoing-{name}",
        problem,
        (RUCB, RUCB_B, RCS),
        {"quick": Size(5e4, 90)},  # as published; the best run of more runs would be lower
    )
    for name, problem in TEN.items()
)
PLATEAUS = tuple(
    Computed(f"plateau-{name}", plateau, after=(f"ongoing-{name}",), cached=False) for name in TEN
)
CHECKS = (
    *_checks("lex1", "MSLR, features numbered from 1", "457 ± 6 and 289 ± 7", "348 and 289"),
    *_checks("lex0", "MSLR, features numbered from 0", "594 ± 10 and 328 ± 7", "440 and 328"),
    *_checks("yahoo1", "Yahoo Set 1", "", ""),
)
FIGURES = tuple(
    Curves(
        f"figure3-{name}",
        f"Figure 3: ongoing regret ({name})",
        f"ongoing-{name}",
        x="linear",
        published="means of 90 runs to 50,000 duels, linear axes to a regret of 600 (Yahoo Set 1: "
        "500); both curves flatten, RCS about a third lower.",
    )
    for name in TEN
)
