"""Final regrets of the batched study, against published curves and against an independent program."""

from collections.abc import Iterator

from rankduel.experiments.studies.published.batched.cases import (
    BTM,
    BY_ARMS,
    BY_BOTH,
    SCOMP2,
    SIX,
    Case,
    Scomp2,
)
from rankduel.experiments.studies.study import Between, Check, Report

# Final regrets of published curves, read off to about 5 percent.
READ_OFF = {"rucb": 620, "rmed1": 250, BTM: 4700}
SCOMP2_READ_OFF = 340
LEVEL = (
    "Cause not found. The level depends on the reading of the printed threshold, which is negative: 400 "
    "runs have means of 2,215 with ln(T K^2), 1,643 with ln T and 540 with ln(K^2), the printed one with "
    "its sign changed. With ln(K^2), 4.5 % of runs lose the winner, with a regret of about 5,000, and the "
    "others have a mean of 329; means of ten runs, as many as published, are between 240 and 1,166 in 90 "
    "% of cases. But on sushi ln(K^2) gives 1,126, ln T 2,887 and ln(T K^2) 4,464, where about 2,200 is "
    "published, so no reading has both levels."
)


def levels_of(case: Case) -> Iterator[Check]:
    """Yield comparisons with the regrets of an independent program, whose standard errors are below 5 %."""
    for policy, known in zip(case.by_e.policies, case.natural):
        measure = case.final(policy)
        label = policy.removeprefix("c2b(").removesuffix(")").replace("=", "").replace(",", "_")
        yield Check(
            f"level.{case.name}.{label}",
            f"{case.title}: {policy} ends at {known:,}{case.known_on}, within 20 %",
            Report(measure) if case.known_on else Between(measure, 0.8 * known, 1.2 * known),
            f"{known:,} by an independent program{case.known_on}",
            real=not case.known_on,
        )


def _curve_level(policy: str, published: float) -> Check:
    name = policy.partition("(")[0]
    return Check(
        f"fig1.six.{name}_level",
        f"{SIX.title}: the curve of {name} ends at {published:,}, within 30 %",
        Between(SIX.final(policy), 0.7 * published, 1.3 * published),
        f"{published:,}",
        published=(published,),
    )


def _scomp2_level(scomp2: Scomp2) -> Check:
    return Check(
        f"fig1.six.scomp2_level{scomp2.mark}",
        f"{SIX.title}: SCOMP2 with threshold {scomp2.threshold} ends at {SCOMP2_READ_OFF} (Batched Dueling "
        "Bandits, ICML 2022, Figure 1), within 30 %",
        Between(SIX.final(scomp2.policy), 0.7 * SCOMP2_READ_OFF, 1.3 * SCOMP2_READ_OFF),
        "2163 ± 87 by an independent program" if scomp2 is BY_BOTH else "",
        published=(SCOMP2_READ_OFF,) if scomp2 is BY_BOTH else (),
        explanation=LEVEL,
    )


CHECKS = (
    *(_curve_level(policy, published) for policy, published in READ_OFF.items()),
    *(_scomp2_level(scomp2) for scomp2 in SCOMP2),
    Check(
        "fig1.six.scomp2_level_arms_right",
        f"{SIX.title}: SCOMP2 with threshold {BY_ARMS.threshold}, mean of the runs that keep the winner",
        Report(SIX.final(BY_ARMS.policy)._replace(only="right")),
        f"{SCOMP2_READ_OFF} published, for all runs",
    ),
)
