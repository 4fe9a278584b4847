"""Regret against the number of rankers and the noise of clicks (Zoghi 2017, Figures 6.3 to 6.5)."""

from collections.abc import Mapping

import pandas as pd

from experiments.studies.papers import ZOGHI_2017
from experiments.studies.study import (
    Between,
    Check,
    Computed,
    Curves,
    Inputs,
    Measure,
    Points,
    Ratio,
    Report,
    Runs,
    Size,
    Study,
)

MERGE, RUCB, RCS = "merge_rucb(variant=paper,single_batch=merge)", "rucb(alpha=0.51)", "rcs(alpha=0.51)"
FIVE = (MERGE, RUCB, RCS, "savage", "beat_the_mean")
ALL, QUICK = tuple(range(10, 131, 10)), (20, 70, 130)
SUBSETS, FEW = 10, 2
NOISY = (40, 70)  # numbers of rankers in the claims about noise
USERS = ("perfect", "navigational", "informational")
_LONG: Mapping[str, Size] = {"paper": Size(1e7, 1)}
_SHORT: Mapping[str, Size] = {"quick": Size(1e7, 1)}


def _name(k: int, subset: int) -> str:
    return f"k{k}-{subset}"


def _sizes(k: int, subset: int) -> Mapping[str, Size]:
    return _SHORT if k in QUICK and subset < FEW else _LONG


def _finals(table: pd.DataFrame) -> dict[str, float]:
    """Return the mean final regret by the name of the policy without settings."""
    last = table[table["step"] == table["step"].max()]
    return {
        name.partition("(")[0]: float(regret)
        for name, regret in last.groupby("policy")["regret"].mean().items()
    }


def by_size(inputs: Inputs) -> dict[str, list[float]]:
    """Return final regrets per subset ('rcs'), and comparisons of them ('merge_rucb below rcs')."""
    finals = pd.DataFrame([_finals(table) for table in inputs.tables.values()])
    found = {str(name): finals[name].tolist() for name in finals}
    for other in {"rcs", "rucb"} & set(finals):
        found[f"merge_rucb below {other}"] = (finals["merge_rucb"] < finals[other]).astype(float).tolist()
    found["rucb median / merge_rucb median"] = [finals["rucb"].median() / finals["merge_rucb"].median()]
    return found


def noise(inputs: Inputs) -> dict[str, list[float]]:
    """Return per subset the ratio of regret with informational users to that with perfect users, and regrets.

    'rcs suffers more' is 1 for the subsets in which the ratio of RCS exceeds that of mergeRUCB.
    """
    finals = {name: _finals(table) for name, table in inputs.tables.items()}
    subsets = sorted({name.rpartition("-")[0] for name in finals})
    ratio = {
        policy: [finals[f"{s}-informational"][policy] / finals[f"{s}-perfect"][policy] for s in subsets]
        for policy in ("merge_rucb", "rcs")
    }
    regrets = {
        f"{policy}, {user}": [finals[f"{s}-{user}"][policy] for s in subsets]
        for policy in ratio
        for user in USERS
    }
    more = [float(a > b) for a, b in zip(ratio["rcs"], ratio["merge_rucb"])]
    return {**ratio, **regrets, "rcs suffers more": more}


def _scan_parts() -> list[Runs]:
    return [
        Runs(_name(k, s), f"mslr-navigational(random={k},seed={s})", FIVE, _sizes(k, s))
        for k in ALL
        for s in range(SUBSETS)
    ]


def _close_parts() -> list[Runs]:
    """Return parts with more runs: with 20 rankers, one run per subset cannot separate RUCB and mergeRUCB."""
    return [
        Runs(
            f"{_name(20, s)}-again",
            f"mslr-navigational(random=20,seed={s})",
            (MERGE, RUCB),
            {"paper": Size(1e7, 10)},
        )
        for s in range(SUBSETS)
    ]


def _scans() -> list[Computed]:
    """Return the parts that summarize few subsets in the quick tier, and all subsets in the other tiers."""
    few = [
        Computed(f"k{k}-few", by_size, after=[_name(k, s) for s in range(FEW)], sizes=_SHORT, cached=False)
        for k in QUICK
    ]
    return few + [
        Computed(f"k{k}", by_size, after=[_name(k, s) for s in range(SUBSETS)], sizes=_LONG, cached=False)
        for k in ALL
    ]


def _noisy_parts() -> list[Runs]:
    return [
        Runs(
            f"clicks{k}-{s}-{user}",
            f"mslr-{user}(random={k},seed={s},users=all)",
            (MERGE, RCS),
            {"quick" if k == 40 and s < FEW else "paper": Size(1e7, 1)},
        )
        for k in ALL
        for s in range(SUBSETS)
        for user in USERS
    ]


def _noisy(k: int, subsets: int, name: str, tier: str) -> Computed:
    after = [f"clicks{k}-{s}-{user}" for s in range(subsets) for user in USERS]
    return Computed(name, noise, after=after, sizes={tier: Size(1e7, 1)}, cached=False)


STUDY = Study(
    id="k-scan",
    title="From 10 to 130 rankers, and from perfect to noisy clicks",
    source="Zoghi 2017 (thesis), 6.4.3 and 6.4.4, Figures 6.3, 6.4 and 6.5",
    papers={"": ZOGHI_2017},
    question="From how many rankers on is mergeRUCB best, and which policy does noise affect most?",
    data="public MSLR matrices; random subsets with a Condorcet winner, by seeds",
    parts=(
        *_scan_parts(),
        *_scans(),
        *_close_parts(),
        Computed(
            "k20-again", by_size, after=[part.name for part in _close_parts()], sizes=_LONG, cached=False
        ),
        *_noisy_parts(),
        _noisy(40, FEW, "noise-40-few", "quick"),
        *(_noisy(k, SUBSETS, f"noise-{k}", "paper") for k in ALL),
    ),
    checks=(
        *(
            Check(
                f"k{k}.rcs",
                f"K = {k}: mergeRUCB is below RCS",
                Between(Measure(f"k{k}", "merge_rucb below rcs", "value"), low=0.9),
                "103k/101k/86k and 152k/193k/227k (100); 156k/131k/171k and 333k/261k/264k (130)",
            )
            for k in (100, 130)
        ),
        Check(
            "k130.few",
            "K = 130: mergeRUCB is below RCS (two subsets)",
            Between(Measure("k130-few", "merge_rucb below rcs", "value"), low=1),
            "156k/131k/171k and 333k/261k/264k",
        ),
        Check(
            "k130.rucb",
            "K = 130: mergeRUCB is best of all, so below RUCB",
            Between(Measure("k130", "merge_rucb below rucb", "value"), low=0.9),
        ),
        Check(
            "k20.rucb",
            "K = 20: RUCB is still below mergeRUCB (medians over subsets, ten runs each)",
            Between(Measure("k20-again", "rucb median / merge_rucb median", "value"), high=1),
            "12.4k/6.4k/7.8k and 12.7k/8.0k/8.8k",
        ),
        Check(
            "lead_grows",
            "6.4.1: the lead of mergeRUCB over RUCB grows with K: it is larger with 130 rankers than with 70",
            Ratio(
                Measure("k130", "rucb median / merge_rucb median", "value"),
                Measure("k70", "rucb median / merge_rucb median", "value"),
                low=1,
            ),
        ),
        Check(
            "k70.break_even",
            "from about K = 70 on, mergeRUCB is best",
            Report(Measure("k70", "rucb median / merge_rucb median", "value")),
            "58.5k ± 5.0k, 61.8k of RUCB, 62.8k of RCS",
        ),
        *(
            Check(
                f"clicks.{k}",
                f"K = {k}: noisy clicks increase the regret of RCS more than that of mergeRUCB",
                Between(Measure(f"noise-{k}", "rcs suffers more", "value"), low=0.8),
                "5 of 6 (K = 40)",
            )
            for k in NOISY
        ),
        Check(
            "clicks.40_few",
            "K = 40: factor by which noise increases the regret of RCS (two subsets)",
            Report(Measure("noise-40-few", "rcs", "value")),
            "1.31 to 7.72; mergeRUCB 1.31 to 2.08",
        ),
    ),
    figures=(
        *(
            Points(
                f"figure6.3{name}",
                f"Figure 6.3: regret against the number of rankers, {words}",
                "rankers",
                "cumulative regret after 10^7 duels",
                {
                    policy.partition("(")[0]: {
                        k: Measure(f"k{k}{name}", policy.partition("(")[0], "value") for k in sizes
                    }
                    for policy in FIVE
                },
                y="log",
            )
            for name, words, sizes in (("", "ten subsets each", ALL), ("-few", "two subsets each", QUICK))
        ),
        *(
            Points(
                f"figure6.5{name}",
                f"Figure 6.5: regret against the number of rankers, by users, {words}",
                "rankers",
                "cumulative regret after 10^7 duels",
                {
                    f"{policy}, {user}": {
                        k: Measure(f"noise-{k}{name}", f"{policy}, {user}", "value") for k in sizes
                    }
                    for policy in ("merge_rucb", "rcs")
                    for user in USERS
                },
                y="log",
            )
            for name, words, sizes in (("", "ten subsets each", ALL), ("-few", "two subsets", (40,)))
        ),
        Curves("figure6.4", "Figure 6.4: one subset of 70 rankers", _name(70, 0)),
    ),
    minutes={"quick": 4, "paper": 60},
)
