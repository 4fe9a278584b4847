"""Claims about the parameters of MergeDTS."""

from typing import Any

from rankduel.experiments.studies.published.merge_tuning import grid
from rankduel.experiments.studies.published.merge_tuning.parameters import (
    BATCHES,
    CONSTANTS,
    by_alpha,
    by_batch,
    by_constant,
)
from rankduel.experiments.studies.study import Between, Check, Measure, Order, Ratio, Report

# Failures in 100 runs by exponent: least and most that pass the test, and published.
FAILURES = {9: (3, 20, 10), 8: (0, 12, 4), 7: (0, 5, 1), 6: (0, 2, 0)}
FOUND = {
    "merge_dts": {"alpha": 0.8**6, "batch": 16, "c": 4e6},
    "merge_rucb": {"alpha": 0.8**6, "batch": 8, "c": 4e5},
    "dts": {"alpha": 0.8**7},
}


def alpha_measure(power: int, **more: Any) -> Measure:
    return Measure(f"alpha-{power}", by_alpha(power), at=1e7, **more)


def constant_measure(c: float, **more: Any) -> Measure:
    return Measure("constant", by_constant(c), at=1e7, **more)


CHECKS = (
    Check(
        "alpha.third",
        "alpha = .8^4 has about a third of the regret of alpha = 1",
        Ratio(alpha_measure(4, only="right"), alpha_measure(0, only="right"), 0.28, 0.5),
        ".415 (44,389 and 107,077)",
    ),
    *(
        Check(
            f"alpha.failures_{power}",
            f"alpha = .8^{power}: the winner is eliminated in {published} of 100 runs",
            Between(alpha_measure(power, column="wrong", statistic="count"), low, high),
            f"{published} published",
            runs=100,
        )
        for power, (low, high, published) in FAILURES.items()
    ),
    *(
        Check(
            f"alpha.{less}_below_{more}",
            f"alpha = .8^{less} has less regret than .8^{more}",
            Order(alpha_measure(less, only="right"), alpha_measure(more, only="right"), z=3),
            runs=0 if (more, less) == (0, 4) else 20,
        )
        for more, less in ((0, 4), (4, 6), *zip(range(7), range(1, 8)))
    ),
    *(
        Check(
            f"batch.{larger}",
            f"M = {larger} has less regret than M = {smaller}",
            Order(
                Measure("batch", by_batch(larger), at=1e7, only="right"),
                Measure("batch", by_batch(smaller), at=1e7, only="right"),
            ),
            "54,099, 26,880, 18,094, 14,751 for M = 2, 4, 8, 16",
            runs=20,
        )
        for smaller, larger in zip(BATCHES, BATCHES[1:])
    ),
    Check(
        "constant.safe",
        "C = 4e6 is the smallest C without failures",
        Between(constant_measure(4e6, column="wrong", statistic="count"), high=1),
        "0 of 60",
        runs=100,
    ),
    Check(
        "constant.risky",
        "with C = 400 the winner is sometimes eliminated",
        Between(constant_measure(4e2, column="wrong", statistic="count"), 1, 15),
        "3 of 60",
        runs=100,
    ),
    *(
        Check(
            f"constant.best_run_{larger:g}",
            f"the regret of the best run grows with C: from {smaller:g} to {larger:g}",
            Ratio(
                constant_measure(larger, statistic="min"), constant_measure(smaller, statistic="min"), low=1
            ),
            "7.2k, 7.7k, 8.4k, 10.5k, 11.2k",
            runs=60,
        )
        for smaller, larger in zip(CONSTANTS, CONSTANTS[1:5])
    ),
    Check(
        "constant.all_runs",
        "a larger C increases the regret: 4e6 is above 400 (runs that keep the winner)",
        Order(constant_measure(4e2, only="right"), constant_measure(4e6, only="right"), z=3),
    ),
    Check(
        "alone",
        "mergeRUCB: an arm alone in its batch plays itself (the default here) / its batch is merged",
        Report(Measure("alone", "merge_rucb(variant=paper)"), Measure("alone", grid.DEFAULT)),
        "not in the source",
    ),
    *(
        Check(
            f"search.{policy}_{name}",
            f"5.6: the search for {policy} ends at {name} = {value:.7g}",
            Report(Measure(f"search-{policy}", name, "value")),
            f"{value:.7g}",
        )
        for policy, settings in FOUND.items()
        for name, value in settings.items()
    ),
    *grid.CHECKS,
    *(
        Check(
            f"constant.fails_{c:g}",
            f"6.7: C = {c:g} leads to failures, as 4e6 is the smallest C that does not",
            Between(constant_measure(c, column="wrong", statistic="count"), 1, 15),
            "3, 2 and 1 of 60 for C = 4e3, 4e4 and 4e5",
            runs=100,
        )
        for c in CONSTANTS[1:4]
    ),
)
