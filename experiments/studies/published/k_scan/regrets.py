"""Runs on 10 to 130 rankers, and numbers of their final regrets."""

from collections.abc import Mapping, Sequence

import pandas as pd

from rankduel.experiments.studies.study import Computed, Inputs, Part, Runs, Size

MERGE, RUCB, RCS = "merge_rucb(variant=paper,single_batch=merge)", "rucb(alpha=0.51)", "rcs(alpha=0.51)"
FIVE = (MERGE, RUCB, RCS, "savage", "beat_the_mean")
ALL, QUICK = tuple(range(10, 131, 10)), (20, 70, 130)
SUBSETS, FEW = 10, 2
NOISY = (40, 70)  # numbers of rankers in the claims about noise
USERS = ("perfect", "navigational", "informational")
MORE = "-more"  # suffix of the parts with the other three policies of Figure 6.5
_LONG: Mapping[str, Size] = {"paper": Size(1e7, 1)}
_SHORT: Mapping[str, Size] = {"quick": Size(1e7, 1)}


def part_name(k: int, subset: int) -> str:
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
        Runs(part_name(k, s), f"mslr-navigational(random={k},seed={s})", FIVE, _sizes(k, s))
        for k in ALL
        for s in range(SUBSETS)
    ]


def _close_parts() -> list[Runs]:
    """Return parts with more runs: with 20 rankers, one run per subset cannot separate RUCB and mergeRUCB."""
    return [
        Runs(
            f"{part_name(20, s)}-again",
            f"mslr-navigational(random=20,seed={s})",
            (MERGE, RUCB),
            {"paper": Size(1e7, 10)},
        )
        for s in range(SUBSETS)
    ]


def _scans() -> list[Computed]:
    """Return the parts that summarize few subsets in the quick tier, and all subsets in the other tiers."""
    few = [
        Computed(
            f"k{k}-few", by_size, after=[part_name(k, s) for s in range(FEW)], sizes=_SHORT, cached=False
        )
        for k in QUICK
    ]
    return few + [
        Computed(f"k{k}", by_size, after=[part_name(k, s) for s in range(SUBSETS)], sizes=_LONG, cached=False)
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


PARTS: tuple[Part, ...] = (
    *_scan_parts(),
    *_scans(),
    *_close_parts(),
    Computed("k20-again", by_size, after=[part.name for part in _close_parts()], sizes=_LONG, cached=False),
    *_noisy_parts(),
    _noisy(40, FEW, "noise-40-few", "quick", ("",)),
    *(_noisy(k, SUBSETS, f"noise-{k}", _noisy_tier(k)) for k in ALL),
)
