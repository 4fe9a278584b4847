"""Runs of RUCB, SAVAGE and BTM, and how soon each finds the winner."""

from math import log

import numpy as np
import pandas as pd

from rankduel.experiments.studies.shared.bounds import bound_part
from rankduel.experiments.studies.shared.curves import first_step
from rankduel.experiments.studies.study import Computed, Inputs, Part, Runs, Size

RUCB = "rucb(alpha=0.51)"
TOLD = {"SAVAGE": "savage", "BTM": "beat_the_mean(gamma=1)"}  # policies that are told the horizon
SIZES = (16, 32, 64)  # numbers of rankers
LAST = {"quick": 1_000_000, "paper": 4_500_000}
HORIZONS = tuple(base * 10**power for power in (3, 4, 5) for base in (1, 2, 5)) + (1_000_000,)
LATER = (2_000_000, 4_500_000)  # horizons of the tier 'paper'
SEED = 1  # seed of the random subsets
_RUNS = {"quick": 20, "paper": 100}


def _problem(k: int) -> str:
    return f"np2004(random={k},seed={SEED})"


def told_part(name: str, k: int, horizon: float) -> str:
    return f"{name.lower()}-{k}-{horizon:.0f}"


def _told_runs(k: int) -> list[Runs]:
    """Return the runs of SAVAGE and BTM; with 16 rankers, those up to 10^6 duels are in tier quick."""
    return [
        Runs(
            told_part(name, k, t),
            _problem(k),
            (policy,),
            {
                tier: Size(t, runs)
                for tier, runs in _RUNS.items()
                if tier == "paper" or (k == 16 and t in HORIZONS)
            },
        )
        for name, policy in TOLD.items()
        for t in (*HORIZONS, *LATER)
    ]


def _rucb_runs(k: int) -> Runs:
    quick = {"quick": Size(LAST["quick"], _RUNS["quick"])} if k == 16 else {}
    return Runs(f"rucb-{k}", _problem(k), (RUCB,), {**quick, "paper": Size(LAST["paper"], _RUNS["paper"])})


def accuracies(inputs: Inputs) -> dict[str, float]:
    """Return the share of runs that recommend the winner by horizon, and where each policy reaches 80 %.

    'straight' is the slope of RUCB's regret against log t in the second half of its curve from 500,000 to 4.5
    million duels, divided by that in the first half.
    """
    rucb, *others = inputs.tables.values()
    means = rucb.groupby("step")[["correct", "regret"]].mean()
    shares = {"RUCB": {t: float(means["correct"][t]) for t in HORIZONS}}
    for name, table in zip((name for name in TOLD for _ in HORIZONS), others):
        last = int(table["step"].max())
        shares.setdefault(name, {})[last] = float(table.loc[table["step"] == last, "correct"].mean())
    found = {f"{name} at {t}": right for name, line in shares.items() for t, right in line.items()}
    first = {
        name: first_step({t: (right, 0.0) for t, right in line.items()}, 0.8) for name, line in shares.items()
    }
    found |= {f"{name} / RUCB to 80 %": first[name] / first["RUCB"] for name in TOLD}
    found["straight"] = _straightness(means["regret"])
    return {name: value for name, value in found.items() if np.isfinite(value)}


def _straightness(regret: pd.Series) -> float:
    """Return the ratio of slopes; NaN for a shorter run, which is still finding the winner."""
    first, last = 500_000, LAST["paper"]
    if last not in regret.index:
        return np.nan
    middle = min(regret.index, key=lambda step: abs(log(step) - (log(first) + log(last)) / 2))
    slopes = [
        (regret[stop] - regret[start]) / log(stop / start)
        for start, stop in ((first, middle), (middle, last))
    ]
    return slopes[1] / slopes[0]


def _accuracy_part(k: int) -> Computed:
    after = (f"rucb-{k}", *(told_part(name, k, t) for name in TOLD for t in HORIZONS))
    sizes = {"quick" if k == 16 else "paper": Size(1, 1)}
    return Computed(f"accuracy-{k}", accuracies, after=after, sizes=sizes, cached=False)


PARTS: tuple[Part, ...] = (
    *(_rucb_runs(k) for k in SIZES),
    *(part for k in SIZES for part in _told_runs(k)),
    *(_accuracy_part(k) for k in SIZES),
    bound_part("k16-bounds", _problem(16), ("rucb",), {"quick": 1e6, "paper": 4.5e6}),
)
