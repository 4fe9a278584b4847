"""Runs on live clicks against runs on draws from the matrix (Zoghi 2017, 6.4.2, Figure 6.2)."""

from itertools import combinations

import numpy as np
import pandas as pd

from rankduel.experiments.studies.shared.papers import ZOGHI_2017
from rankduel.experiments.studies.study import (
    Between,
    Check,
    Computed,
    Curves,
    Finding,
    Inputs,
    Measure,
    Ratio,
    Runs,
    Size,
    Study,
    Use,
)

FIVE = ("merge_rucb(variant=paper,single_batch=merge)", "rucb", "rcs(alpha=0.51)", "savage", "beat_the_mean")
_SMALL, _LARGE = {"quick": Size(1e5, 20), "paper": Size(1e5, 40)}, {"paper": Size(1e7, 5)}
FEW = "1-20"
Z = 3  # standard errors between two policies whose order is compared


def agreement(inputs: Inputs) -> dict[str, float]:
    """Return Kendall's tau of final regrets, live and proxy, over pairs that the proxy separates by `Z`."""
    live, proxy = (_finals(table) for table in inputs.tables.values())
    signs = [
        np.sign((proxy["mean"][one] - proxy["mean"][other]) * (live["mean"][one] - live["mean"][other]))
        for one, other in combinations(proxy.index, 2)
        if abs(proxy["mean"][one] - proxy["mean"][other])
        > Z * np.hypot(proxy["sem"][one], proxy["sem"][other])
    ]
    return {"tau": float(np.mean(signs)), "pairs": len(signs)} if signs else {}


def _finals(table: pd.DataFrame) -> pd.DataFrame:
    """Return the mean final regret and its standard error by policy."""
    last = table[table["step"] == table["step"].max()]
    return last.groupby("policy")["regret"].agg(["mean", "sem"])


def _problem(mode: str, rankers: str = "") -> str:
    some = f",rankers={rankers}" if rankers else ""
    return f"letor(data=mslr,clicks=navigational,mode={mode}{some})"


STUDY = Study(
    id="live-vs-proxy",
    title="Live clicks against draws from the matrix",
    source="Zoghi 2017 (thesis), 6.4.2, Figure 6.2",
    papers={"": ZOGHI_2017},
    findings=(
        Finding(
            "**Draws from the matrix can replace clicks.** Live and proxy runs order the policies alike "
            "(Kendall's tau {tau.value:.2f}), and RUCB's regret differs by a factor of {rucb.value:.2f}.",
            {"tau": Use("tau"), "rucb": Use("ratio.rucb")},
        ),
    ),
    question="Does replacing interleaved lists and clicks by draws from the matrix change any conclusion?",
    data="judged data of MSLR, or else synthetic documents",
    parts=(
        *(Runs(mode, _problem(mode, FEW), FIVE, _SMALL) for mode in ("live", "proxy")),
        Computed("agreement", agreement, after=("live", "proxy"), cached=False),
        *(Runs(f"{mode}-all", _problem(mode), FIVE[:3], _LARGE) for mode in ("live", "proxy")),
    ),
    checks=(
        Check(
            "tau",
            "live and proxy runs order the policies alike (those that differ by three standard errors)",
            Between(Measure("agreement", "tau", "value"), low=0.8),
        ),
        *(
            Check(
                f"ratio.{policy.partition('(')[0]}",
                f"no qualitative difference between live and proxy: {policy.partition('(')[0]}",
                Ratio(Measure("live", policy), Measure("proxy", policy), 0.8, 1.25),
            )
            for policy in FIVE
        ),
        *(
            Check(
                f"all.{policy.partition('(')[0]}",
                f"no qualitative difference with all features as rankers: {policy.partition('(')[0]}",
                Ratio(Measure("live-all", policy), Measure("proxy-all", policy), 0.8, 1.25),
            )
            for policy in FIVE[:3]
        ),
    ),
    figures=(
        *(
            Curves(
                f"figure6.2-{mode}",
                f"Figure 6.2: {mode}",
                mode,
                published="136 rankers of MSLR, logarithmic time, linear regret; the two panels, live and "
                "proxy, do not differ qualitatively.",
            )
            for mode in ("live", "proxy")
        ),
    ),
    minutes={"quick": 1, "paper": 1},
)
