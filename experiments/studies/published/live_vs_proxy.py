"""Live clicks against draws from the matrix (Zoghi 2017, 6.4.2, Figure 6.2)."""

from itertools import combinations

import numpy as np
import pandas as pd

from experiments.studies.study import (
    Bench,
    Between,
    Check,
    Computed,
    Curves,
    Measure,
    Ratio,
    Runs,
    Size,
    Study,
)

FIVE = ("merge_rucb(variant=paper,single_batch=merge)", "rucb", "rcs(alpha=0.51)", "savage", "beat_the_mean")
_SMALL, _LARGE = (
    {"quick": Size(1e5, 20), "paper": Size(1e5, 40)},
    {"paper": Size(1e6, 5), "long": Size(1e7, 5)},
)
FEW = "1-20"
SURE = 3  # standard errors


def agreement(bench: Bench) -> dict[str, float]:
    """Kendall's tau of final regrets in both modes, over pairs of policies that the proxy tells apart."""
    live, proxy = (_finals(table) for table in bench.tables.values())
    signs = [
        np.sign((proxy["mean"][one] - proxy["mean"][other]) * (live["mean"][one] - live["mean"][other]))
        for one, other in combinations(proxy.index, 2)
        if abs(proxy["mean"][one] - proxy["mean"][other])
        > SURE * np.hypot(proxy["sem"][one], proxy["sem"][other])
    ]
    return {"tau": float(np.mean(signs)), "pairs": len(signs)} if signs else {}


def _finals(table: pd.DataFrame) -> pd.DataFrame:
    """Mean and its standard error by policy."""
    last = table[table["step"] == table["step"].max()]
    return last.groupby("policy")["regret"].agg(["mean", "sem"])


def _problem(mode: str, rankers: str = "") -> str:
    some = f",rankers={rankers}" if rankers else ""
    return f"letor(data=mslr,clicks=navigational,mode={mode}{some})"


STUDY = Study(
    id="live-vs-proxy",
    title="Live clicks against draws from the matrix",
    source="Zoghi 2017 (thesis), 6.4.2, Figure 6.2",
    question="Does replacing interleaved lists and clicks by draws from the matrix change any conclusion?",
    data="judged data of MSLR; else synthetic documents stand in",
    parts=(
        *(Runs(mode, _problem(mode, FEW), FIVE, _SMALL) for mode in ("live", "proxy")),
        Computed("agreement", agreement, after=("live", "proxy"), kept=False),
        *(Runs(f"{mode}-all", _problem(mode), FIVE[:3], _LARGE) for mode in ("live", "proxy")),
    ),
    checks=(
        Check(
            "tau",
            "policies come in the same order (those that differ by three standard errors)",
            Between(Measure("agreement", "tau", "value"), low=0.8),
        ),
        *(
            Check(
                f"ratio.{policy.partition('(')[0]}",
                f"no qualitative difference: {policy.partition('(')[0]}",
                Ratio(Measure("live", policy), Measure("proxy", policy), 0.8, 1.25),
            )
            for policy in FIVE
        ),
        *(
            Check(
                f"all.{policy.partition('(')[0]}",
                f"nor with all features as rankers: {policy.partition('(')[0]}",
                Ratio(Measure("live-all", policy), Measure("proxy-all", policy), 0.8, 1.25),
            )
            for policy in FIVE[:3]
        ),
    ),
    figures=(
        Curves("figure6.2-live", "Figure 6.2: live", "live"),
        Curves("figure6.2-proxy", "Figure 6.2: proxy", "proxy"),
    ),
    minutes={"quick": 2, "paper": 20, "long": 120},
)
