"""Regret against the number of rankers and the noise of clicks (Zoghi 2017, Figures 6.3 to 6.5)."""

from collections.abc import Mapping, Sequence

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
    Points,
    Ratio,
    Report,
    Runs,
    Size,
    Study,
    Use,
)

MERGE, RUCB, RCS = "merge_rucb(variant=paper,single_batch=merge)", "rucb(alpha=0.51)", "rcs(alpha=0.51)"
FIVE = (MERGE, RUCB, RCS, "savage", "beat_the_mean")
ALL, QUICK = tuple(range(10, 131, 10)), (20, 70, 130)
SUBSETS, FEW = 10, 2
NOISY = (40, 70)  # numbers of rankers in the claims about noise
USERS = ("perfect", "navigational", "informational")
MORE = "-more"  # suffix of the parts with the other three policies of Figure 6.5
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
    others = finals.columns.drop("merge_rucb")
    for other in others:
        found[f"merge_rucb below {other}"] = (finals["merge_rucb"] < finals[other]).astype(float).tolist()
    found["next best / merge_rucb"] = [finals[others].mean().min() / finals["merge_rucb"].mean()]
    found["rucb median / merge_rucb median"] = [finals["rucb"].median() / finals["merge_rucb"].median()]
    return found


def noise(inputs: Inputs) -> dict[str, list[float]]:
    """Return per subset the ratio of regret with informational users to that with perfect users, and regrets.

    'rcs suffers more than rucb' is 1 for the subsets in which the ratio of RCS exceeds that of RUCB.
    """
    finals: dict[str, dict[str, float]] = {}  # by subset and user
    for name, table in inputs.tables.items():
        finals.setdefault(name.removesuffix(MORE), {}).update(_finals(table))
    subsets = sorted({name.rpartition("-")[0] for name in finals})
    policies = next(iter(finals.values()))
    ratio = {
        policy: [finals[f"{s}-informational"][policy] / finals[f"{s}-perfect"][policy] for s in subsets]
        for policy in policies
    }
    regrets = {
        f"{policy}, {user}": [finals[f"{s}-{user}"][policy] for s in subsets]
        for policy in policies
        for user in USERS
    }
    more = {
        f"rcs suffers more than {other}": [float(a > b) for a, b in zip(ratio["rcs"], ratio[other])]
        for other in policies
        if other != "rcs"
    }
    return {**ratio, **regrets, **more}


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
    """Return the parts of Figure 6.5. The quick tier has mergeRUCB and RCS only."""
    return [
        Runs(
            f"clicks{k}-{s}-{user}{mark}",
            f"mslr-{user}(random={k},seed={s},users=all)",
            policies,
            {"quick" if k == NOISY[0] and s < FEW and not mark else _noisy_tier(k): Size(1e7, 1)},
        )
        for k in ALL
        for s in range(SUBSETS)
        for user in USERS
        for mark, policies in (("", (MERGE, RCS)), (MORE, (RUCB, *FIVE[3:])))
    ]


def _noisy_tier(k: int) -> str:
    """Return the tier of runs under three users: paper for the claims, long for the other sizes."""
    return "paper" if k in NOISY else "long"


def _noisy(k: int, subsets: int, name: str, tier: str, marks: Sequence[str] = ("", MORE)) -> Computed:
    after = [f"clicks{k}-{s}-{user}{mark}" for s in range(subsets) for user in USERS for mark in marks]
    return Computed(name, noise, after=after, sizes={tier: Size(1e7, 1)}, cached=False)


STUDY = Study(
    id="k-scan",
    title="From 10 to 130 rankers, and from perfect to noisy clicks",
    source="Zoghi 2017 (thesis), 6.4.3 and 6.4.4, Figures 6.3, 6.4 and 6.5",
    papers={"": ZOGHI_2017},
    findings=(
        Finding(
            "**From 70 rankers on mergeRUCB is best of five.** After 10^7 duels the next best policy has "
            "{some.value:.2f} times its regret with 70 rankers of MSLR, and {many.value:.2f} times with 130.",
            {"some": Use("k70.best"), "many": Use("k130.best")},
        ),
    ),
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
        _noisy(40, FEW, "noise-40-few", "quick", ("",)),
        *(_noisy(k, SUBSETS, f"noise-{k}", _noisy_tier(k)) for k in ALL),
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
        *(
            Check(
                f"k{k}.best",
                f"Figure 6.3, K = {k}: mergeRUCB is below RUCB, RCS, SAVAGE and BTM (mean regret of the "
                "next best / that of mergeRUCB)",
                Between(Measure(f"k{k}", "next best / merge_rucb", "value"), low=1),
                "for K >= 70 published",
            )
            for k in ALL
            if k >= 70
        ),
        Check(
            "k130.best_few",
            "Figure 6.3, K = 130: mergeRUCB is below RUCB, RCS, SAVAGE and BTM (two subsets)",
            Between(Measure("k130-few", "next best / merge_rucb", "value"), low=1),
            "for K >= 70 published",
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
                f"clicks.{k}{mark}",
                f"Figure 6.5, K = {k}: noisy clicks increase the regret of RCS more than that of {name} "
                "(share of subsets)",
                Between(Measure(f"noise-{k}", f"rcs suffers more than {other}", "value"), low=0.8),
                known,
            )
            for k in NOISY
            for mark, name, other, known in (
                ("", "mergeRUCB", "merge_rucb", "5 of 6 (K = 40)"),
                (".rucb", "RUCB", "rucb", ""),
            )
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
                published="mean regret after 10^7 duels against 10 to 130 rankers; from 70 rankers on "
                "mergeRUCB is the lowest of the five.",
            )
            for name, words, sizes in (("", "ten subsets each", ALL), ("-few", "two subsets each", QUICK))
        ),
        *(
            Points(
                f"figure6.5-{user}{name}",
                f"Figure 6.5: regret against the number of rankers, {user} users, {words}",
                "rankers",
                "cumulative regret after 10^7 duels",
                {
                    policy.partition("(")[0]: {
                        k: Measure(f"noise-{k}{name}", f"{policy.partition('(')[0]}, {user}", "value")
                        for k in sizes
                    }
                    for policy in FIVE
                },
                y="log",
                published="one panel per user, mean regret after 10^7 duels of five policies against 10 to "
                "130 rankers; RCS is affected more severely by the users than mergeRUCB and RUCB.",
            )
            for user in USERS
            for name, words, sizes in (("", "ten subsets each", ALL), ("-few", "two subsets", (40,)))
        ),
        Curves(
            "figure6.4",
            "Figure 6.4: one subset of 70 rankers",
            _name(70, 0),
            published="logarithmic time, linear regret; the order of the five policies after 10^7 duels is "
            "that of the whole curves.",
        ),
    ),
    minutes={"quick": 1.5, "paper": 14, "long": 50},
)
