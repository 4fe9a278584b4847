"""mergeRUCB on a grid of batch sizes and alphas, by number of rankers (Zoghi 2017, 6.4.5, Figure 6.6)."""

from collections.abc import Iterable

import pandas as pd

from rankduel.experiments.studies.study import (
    Between,
    Check,
    Computed,
    Inputs,
    Measure,
    Part,
    Points,
    Runs,
    Size,
    full_name,
)

ALPHAS, BATCHES = (0.71, 0.81, 0.91, 1.01, 1.11, 1.21), (4, 6, 8, 10)
SCALES = tuple(range(10, 131, 10))  # numbers of rankers
SUBSETS = range(10)  # random subsets of each size
FEW = range(2)  # subsets of the quick tier
QUICK = 20  # number of rankers in the quick tier
# Regret of the default / regret of the best setting, from an independent program on one subset each.
KNOWN = {20: 1.13, 60: 1.22, 100: 1.14}


def on_grid(batch: int, alpha: float) -> str:
    # An arm alone in its batch that plays itself would cost so much that the effect of the parameters is
    # hidden.
    return f"merge_rucb(variant=paper,alpha={alpha},batch={batch},single_batch=merge)"


DEFAULT = on_grid(4, 1.01)
LINES = ("best", "default", "worst")


def _name(k: int, subset: int) -> str:
    return f"grid-{k}-{subset}"


def by_setting(inputs: Inputs) -> dict[str, list[float]]:
    """Return final regrets per subset of every setting, and of the best, default and worst on average."""
    table = pd.concat(inputs.tables.values())
    last = table[table["step"] == table["step"].max()]
    regrets = {str(policy): rows["regret"].tolist() for policy, rows in last.groupby("policy", sort=False)}
    means = last.groupby("policy")["regret"].mean()
    default = means[full_name(DEFAULT)]
    return {
        **regrets,
        "best": regrets[str(means.idxmin())],
        "default": regrets[full_name(DEFAULT)],
        "worst": regrets[str(means.idxmax())],
        "default / best": [default / means.min()],
    }


def _runs(k: int, subset: int) -> Runs:
    return Runs(
        _name(k, subset),
        f"mslr-navigational(random={k},seed={subset + 1})",
        [on_grid(batch, alpha) for batch in BATCHES for alpha in ALPHAS],
        {"quick" if k == QUICK and subset in FEW else "paper": Size(1e7, 1)},
    )


def _comparison(name: str, k: int, subsets: Iterable[int], tier: str) -> Computed:
    after = [_name(k, subset) for subset in subsets]
    return Computed(name, by_setting, after=after, sizes={tier: Size(1e7, 1)}, cached=False)


PARTS: tuple[Part, ...] = (
    *(_runs(k, subset) for k in SCALES for subset in SUBSETS),
    _comparison(f"best-{QUICK}-few", QUICK, FEW, "quick"),
    *(_comparison(f"best-{k}", k, SUBSETS, "paper") for k in SCALES),
)


def _close(part: str, k: int, words: str, known: str) -> Check:
    claim = f"thesis: on {k} rankers the default (batches of 4, alpha 1.01) is close to the best{words}"
    return Check(
        f"grid.{part.removeprefix('best-')}",
        claim,
        Between(Measure(part, "default / best", "value"), high=1.5),
        known,
        explanation=CHOSEN_BY_NOISE if k == 40 else "",
    )


CHOSEN_BY_NOISE = (
    "The best of 24 settings is chosen by ten runs each, and has 20.9k; the next best has 25.8k, the default "
    "32.6k. If the best is chosen by five of the subsets, the regret of the default on the other five is 1.5 "
    "times that of the chosen one on average, and .9 to 1.9 times in 95 % of the choices."
)


CHECKS = (
    _close(f"best-{QUICK}-few", QUICK, " (two subsets)", ""),
    *(_close(f"best-{k}", k, "", f"{KNOWN[k]}" if k in KNOWN else "") for k in SCALES),
)
FIGURES = (
    Points(
        "figure6.6",
        "Thesis, Figure 6.6: best, default and worst of 24 settings of mergeRUCB",
        "rankers",
        "cumulative regret after 10^7 duels",
        {line: {k: Measure(f"best-{k}", line, "value") for k in SCALES} for line in LINES},
        y="log",
        published="minimum, maximum and default regret against the number of rankers, logarithmic regret; "
        "the default is close to the minimum throughout.",
    ),
    *(
        Points(
            f"figure6.6-{name}",
            f"mergeRUCB by batch size and alpha, {words}",
            "alpha",
            "cumulative regret after 10^7 duels",
            {
                f"batches of {batch}": {
                    alpha: Measure(f"best-{name}", full_name(on_grid(batch, alpha)), "value")
                    for alpha in ALPHAS
                }
                for batch in BATCHES
            },
            y="log",
        )
        for name, words in (
            (f"{QUICK}-few", f"{QUICK} rankers, two subsets"),
            ("20", "20 rankers"),
            ("100", "100 rankers"),
        )
    ),
)
