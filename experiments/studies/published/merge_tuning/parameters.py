"""Runs by alpha, batch size and C, and the search of section 5.6 for the best of them."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd

from rankduel.experiments.runs.play import play_runs
from rankduel.experiments.studies.published.merge_tuning import grid
from rankduel.experiments.studies.study import Computed, Inputs, Runs, Size, full_name

NAVIGATIONAL = "mslr-navigational"
POWERS, FEW = tuple(range(10)), (0, 4, 6, 8)  # exponents of alpha = 0.8^n, in all tiers and in the quick tier
BATCHES = (2, 4, 8, 16)
CONSTANTS = (4e2, 4e3, 4e4, 4e5, 4e6, 4726908)


def by_alpha(power: int) -> str:
    return f"merge_dts(alpha={0.8**power:.10g},batch=4,c=4726908)"


def by_batch(batch: int) -> str:
    return f"merge_dts(batch={batch})"


def by_constant(c: float) -> str:
    return f"merge_dts(c={c:.10g})"


# Coordinate search of section 5.6: parameters are searched in turn, with the values found or UNTUNED for
# others.
ALPHAS = tuple(0.8**power for power in POWERS)
SEARCHES: Mapping[str, Mapping[str, Sequence[float]]] = {
    "merge_rucb": {"alpha": ALPHAS, "batch": BATCHES, "c": CONSTANTS},
    "dts": {"alpha": ALPHAS},
}
UNTUNED = {"batch": 4.0, "c": 4726908.0}


def search(policy: str, inputs: Inputs) -> dict[str, float]:
    """Return, by parameter, the value with least regret among those that never lose the winner."""
    assert inputs.preferences is not None and inputs.folder is not None
    tried = SEARCHES[policy]
    settings = {name: value for name, value in UNTUNED.items() if name in tried}
    for name, values in tried.items():
        candidates = {_text(policy, {**settings, name: value}): value for value in values}
        how: dict[str, Any] = {"jobs": inputs.jobs, "folder": inputs.folder / name}
        table = play_runs(inputs.preferences, list(candidates), inputs.size.horizon, inputs.size.runs, **how)
        settings[name] = candidates[best_without_failure(table)]
    return settings


def read_off(inputs: Inputs) -> dict[str, float]:
    """Return the result of the search for MergeDTS from the runs of Figure 6.

    There, the parameters that were searched before have their published values.
    """
    tried = {
        "alpha": (
            [f"alpha-{power}" for power in POWERS],
            {by_alpha(power): 0.8**power for power in POWERS},
        ),
        "batch": (["batch"], {by_batch(batch): float(batch) for batch in BATCHES}),
        "c": (["constant"], {by_constant(c): c for c in CONSTANTS}),
    }
    found = {}
    for name, (parts, settings) in tried.items():
        values = {full_name(policy): value for policy, value in settings.items()}
        found[name] = values[best_without_failure(pd.concat([inputs.tables[part] for part in parts]))]
    return found


def _text(policy: str, settings: Mapping[str, float]) -> str:
    return full_name(f"{policy}({','.join(f'{name}={value:.10g}' for name, value in settings.items())})")


def best_without_failure(table: pd.DataFrame) -> str:
    """Return the policy with least mean regret among those with the fewest failures."""
    last = table[table["step"] == table["step"].max()].groupby("policy", sort=False)
    right = last["correct"].mean()
    return str(last["regret"].mean()[right == right.max()].idxmin())


def _sizes(quick: int, paper: int) -> dict[str, Size]:
    return {"quick": Size(1e7, quick), "paper": Size(1e7, paper)}


def _alpha_runs(power: int) -> Runs:
    quick = {"quick": Size(1e7, 4)} if power in FEW else {}
    return Runs(f"alpha-{power}", NAVIGATIONAL, (by_alpha(power),), {**quick, "paper": Size(1e7, 100)})


PARTS = (
    *map(_alpha_runs, POWERS),
    Runs("batch", NAVIGATIONAL, [by_batch(batch) for batch in BATCHES], _sizes(8, 100)),
    Runs("constant", NAVIGATIONAL, [by_constant(c) for c in CONSTANTS], _sizes(6, 100)),
    *(
        Computed(
            f"search-{policy}",
            partial(search, policy),
            NAVIGATIONAL,
            sizes=_sizes(2, runs) | {"long": Size(1e7, 100)},
        )
        for policy, runs in (("merge_rucb", 100), ("dts", 2))
    ),
    Computed(
        "search-merge_dts",
        read_off,
        after=(*(f"alpha-{power}" for power in POWERS), "batch", "constant"),
        sizes={"paper": Size(1e7, 100)},
        cached=False,
    ),
    Runs(
        "alone",
        f"{NAVIGATIONAL}(random=20,seed=1)",
        [grid.DEFAULT, "merge_rucb(variant=paper)"],
        _sizes(8, 40),
    ),
    *grid.PARTS,
)
