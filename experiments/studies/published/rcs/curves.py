"""Numbers of the curves of RCS, RUCB and SAVAGE: accuracies, final levels, and where two curves cross."""

import numpy as np
import pandas as pd

from rankduel.experiments.studies.shared.curves import first_step
from rankduel.experiments.studies.study import Inputs, full_name

# RUCB is the first version, which the paper describes.
RUCB, RCS = "rucb(alpha=0.501,use_b=false)", "rcs(alpha=0.501)"
HORIZONS = (100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000)
MOMENTS = {"T0/2": 0.5, "T0": 1, "2 T0": 2}  # in units of T0, the step at which the curves cross


def accuracy(inputs: Inputs) -> dict[str, float]:
    """Return accuracies by horizon, and how RCS compares with SAVAGE and RUCB.

    RCS and RUCB are measured along one run, SAVAGE with a run per horizon. 'least lead' is the smallest
    difference of RCS and SAVAGE at a horizon, in its standard errors, as is 'lead at 1000 and 2000'.
    """
    runs, *others = inputs.tables.values()
    ours, rucb = (
        {t: _at(runs[runs["policy"] == full_name(name)], t) for t in HORIZONS} for name in (RCS, RUCB)
    )
    theirs = {t: _at(table, t) for t, table in zip(HORIZONS, others)}
    lines = {"RCS": ours, "SAVAGE": theirs, "RUCB": rucb}
    found = {f"{name} at {t}": right for name, line in lines.items() for t, (right, _) in line.items()}
    lead = {t: ours[t][0] - theirs[t][0] for t in HORIZONS}
    errors = {
        t: (_variance(ours[t][0], runs) + _variance(theirs[t][0], table)) ** 0.5
        for t, table in zip(HORIZONS, others)
    }
    found["least lead"] = min((lead[t] / error for t, error in errors.items() if error), default=np.nan)
    found["lead at 1000 and 2000"] = min(lead[t] / errors[t] for t in (1000, 2000))
    found["lead over RUCB"] = float(np.mean([ours[t][0] - rucb[t][0] for t in HORIZONS]))
    found["steps to 80 %"] = first_step(theirs, 0.8) / first_step(ours, 0.8)
    found["regret when always right"] = _regret_at(theirs, 1.0) / _regret_at(ours, 1.0)
    return {name: value for name, value in found.items() if np.isfinite(value)}


def _variance(share: float, table: pd.DataFrame) -> float:
    """Return the variance of the mean of a share over the runs of a table."""
    return share * (1 - share) / table["run"].nunique()


def _at(table: pd.DataFrame, step: int) -> tuple[float, float]:
    """Return (share of runs that recommend the winner, mean regret) at a step."""
    rows = table[table["step"] == step]
    return float(rows["correct"].mean()), float(rows["regret"].mean())


def _regret_at(curve: dict[int, tuple[float, float]], share: float) -> float:
    return next((regret for right, regret in curve.values() if right >= share), np.nan)


def plateau(inputs: Inputs) -> dict[str, float]:
    """Return differences of RUCB and RCS at the end, and the ratio of their standard deviations."""
    (table,) = inputs.tables.values()
    last = table[table["step"] == table["step"].max()].groupby("policy")
    means = last[["regret", "nonwinner_duels"]].mean()
    deviations = last["regret"].std()
    rucb = full_name(RUCB)
    rcs = full_name(RCS)
    return {
        "difference": float(means["regret"][rucb] - means["regret"][rcs]),
        "more comparisons": float(means["nonwinner_duels"][rucb] - means["nonwinner_duels"][rcs]),
        "deviation ratio": float(deviations[rcs] / deviations[rucb]),
    }


def crossing(inputs: Inputs) -> dict[str, float]:
    """Return the step T0 after which the mean regret of RUCB stays above that of RCS, and related numbers.

    'crosses' is 1 if there is such a step, and RUCB is below RCS before T0 / 2; without such a step it is 0
    and the only number. 'steeper' is the slope of RCS divided by the slope of RUCB, from T0 / 8 to T0 / 4.
    'RUCB share, RCS share, share ratio at' are shares of duels with a non-winner after T0 / 2, T0 and 2 T0.
    'excess' is the relative excess of RUCB's regret at 2 T0.
    """
    (table,) = inputs.tables.values()
    means = table.groupby(["policy", "step"])[["regret", "nonwinner_duels"]].mean()
    rucb, rcs = means.loc[full_name(RUCB)], means.loc[full_name(RCS)]
    steps = rucb.index.to_numpy()
    ahead = (rucb["regret"] > rcs["regret"]).to_numpy()
    behind = np.flatnonzero(~ahead)
    if not ahead[-1] or not len(behind):
        return {"crosses": 0.0}
    t0 = int(steps[behind[-1] + 1])
    found = {"T0": t0, "crosses": float(not ahead[steps < t0 / 2][-1:].any())}
    found["steeper"] = _slope(rcs["regret"], t0 / 8, t0 / 4) / _slope(rucb["regret"], t0 / 8, t0 / 4)
    for name, factor in MOMENTS.items():
        if 1.1 * factor * t0 <= steps[-1]:
            shares = [_share_since(one["nonwinner_duels"], factor * t0) for one in (rucb, rcs)]
            found |= {f"RUCB share at {name}": shares[0], f"RCS share at {name}": shares[1]}
            found |= {f"share ratio at {name}": shares[0] / shares[1]} if min(shares) > 0 else {}
    if 2 * t0 <= steps[-1]:
        later = _first_recorded(rucb["regret"], 2 * t0)
        found["excess"] = float(rucb["regret"][later] / rcs["regret"][later] - 1)
    return found


def _first_recorded(values: pd.Series, step: float) -> int:
    """Return the first recorded step from `step` on."""
    return next(int(s) for s in values.index if s >= step)


def _slope(values: pd.Series, start: float, stop: float) -> float:
    first = _first_recorded(values, start)
    last = _first_recorded(values, stop)
    return float((values[last] - values[first]) / (last - first))


def _share_since(duels: pd.Series, step: float, window: float = 0.1) -> float:
    """Return the share of duels with a non-winner among the `window` * step duels after `step`."""
    return _slope(duels, step, (1 + window) * step)
