"""The batched study on more random subsets of 30 rankers, as those of the paper are not published."""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from rankduel.experiments.studies.published.batched.cases import (
    BARE_MORE,
    BTM,
    BY_ARMS,
    BY_BOTH,
    BY_HORIZON,
    C2B,
    MORE,
    MSLR,
    POLICIES,
    SEED,
    YAHOO,
    Case,
)
from rankduel.experiments.studies.published.batched.claims import (
    COMPARABLE_TO_RMED1,
    COMPARABLE_TO_RUCB,
    RADIUS,
    THRESHOLD,
)
from rankduel.experiments.studies.study import (
    Between,
    Check,
    Computed,
    Inputs,
    Measure,
    Part,
    Report,
    Runs,
    Size,
    full_name,
)

DRAWN = (MSLR, YAHOO)
SEEDS = tuple(range(1, 11))  # the runs of SEED are those of the curves


class RegretRatio(NamedTuple):
    """A ratio of the final regrets of two policies, and the range that the paper claims."""

    top: str
    bottom: str
    low: float
    high: float


RATIOS: Mapping[str, RegretRatio] = {
    "C2B / BTM": RegretRatio(C2B, BTM, 0.0, 0.4),
    "C2B / RUCB": RegretRatio(C2B, "rucb", *COMPARABLE_TO_RUCB),
    "C2B / SCOMP2": RegretRatio(C2B, BY_BOTH.policy, 0.0, 1.0),
    "C2B / SCOMP2, ln T": RegretRatio(C2B, BY_HORIZON.policy, 0.0, 1.0),
    "C2B / SCOMP2, ln(K^2)": RegretRatio(C2B, BY_ARMS.policy, 0.0, 1.0),
    "C2B+6 / RUCB": RegretRatio(MORE, "rucb", 0.0, 1.0),
    "C2B+6 / RMED1": RegretRatio(MORE, "rmed1", *COMPARABLE_TO_RMED1),
    "C2B+6 without radius / RUCB": RegretRatio(BARE_MORE, "rucb", 0.0, 1.0),
    "C2B+6 without radius / RMED1": RegretRatio(BARE_MORE, "rmed1", *COMPARABLE_TO_RMED1),
}


def _sizes(case: Case) -> dict[str, Size]:
    return {"quick": Size(case.horizon, 2), "paper": Size(case.horizon, 20)}


def _runs(case: Case, seed: int) -> Runs:
    """Return the runs on one more random subset of the rankers of a case."""
    problem = case.problem.replace(f"seed={SEED}", f"seed={seed}")
    return Runs(f"{case.name}-{seed}", problem, POLICIES, _sizes(case))


def over_draws(inputs: Inputs) -> dict[str, list[float]]:
    """Return ratios of mean final regrets, one per random subset, and whether each is in its range."""
    ratios: dict[str, list[float]] = {name: [] for name in RATIOS}
    for table in inputs.tables.values():
        last = table[table["step"] == table["step"].max()]
        mean = last.groupby("policy")["regret"].mean()
        for name, compared in RATIOS.items():
            ratios[name].append(mean[full_name(compared.top)] / mean[full_name(compared.bottom)])
    inside = {
        f"{name}, in range": [float(compared.low <= ratio <= compared.high) for ratio in ratios[name]]
        for name, compared in RATIOS.items()
    }
    return ratios | inside


def _over_draws(case: Case) -> Computed:
    after = [case.name, *(f"{case.name}-{seed}" for seed in SEEDS if seed != SEED)]
    return Computed(f"{case.name}-draws", over_draws, after=after, sizes=_sizes(case), cached=False)


PARTS: tuple[Part, ...] = (
    *(_runs(case, seed) for case in DRAWN for seed in SEEDS if seed != SEED),
    *(_over_draws(case) for case in DRAWN),
)


def _checks(case: Case) -> Iterator[Check]:
    """Yield for each claim in how many of the random subsets it holds, and the mean ratio of regrets.

    Claims about Yahoo are reported, as the paper finds a large difference there.
    """
    for name, compared in RATIOS.items():
        low, high = compared.low, compared.high
        label = re.sub(r"\W+", "_", name.replace("+", "plus")).strip("_").lower()
        ratio = Measure(f"{case.name}-draws", name, "value")
        yield Check(
            f"draws.{case.name}.{label}",
            f"{case.title}, {len(SEEDS)} random subsets: mean of {name}",
            Report(ratio) if case is YAHOO else Between(ratio, low, high),
            explanation=THRESHOLD if "SCOMP2" in name else RADIUS,
        )
        yield Check(
            f"draws.{case.name}.{label}_in_range",
            f"{case.title}: share of random subsets in which {name} is from {low:g} to {high:g}",
            Report(Measure(f"{case.name}-draws", f"{name}, in range", "value")),
        )


CHECKS = tuple(check for case in DRAWN for check in _checks(case))
