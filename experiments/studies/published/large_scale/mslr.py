"""Policies and runs of the large-scale study on the 136 rankers of MSLR, under three kinds of users."""

from typing import Any

from rankduel.experiments.studies.shared.bounds import ALPHA, bound_part
from rankduel.experiments.studies.shared.policies import LI_2020_POLICIES, MERGE_DTS_CODE
from rankduel.experiments.studies.study import Curves, Measure, Part, Runs, Size

MERGE, OTHERS = LI_2020_POLICIES[:2], LI_2020_POLICIES[2:]
RUCB_CODE = "merge_rucb(variant=chang-li)"  # mergeRUCB in the same public code
SELF, RMED1, REX3 = "self_sparring", "rmed1(variant=chang-li)", "rex3(variant=chang-li)"
DTS = "dts(variant=published)"
_MERGE_SIZES = {"quick": Size(1e7, 12), "paper": Size(1e8, 50)}
# Self-Sparring takes most of the time.
_NAVIGATIONAL_SIZES = {"quick": Size(1e7, 3), "paper": Size(1e8, 50)}
_OTHER_SIZES = {"paper": Size(1e7, 50), "long": Size(1e8, 50)}
NOISE = {
    "perfect": "mslr-perfect",
    "navigational": "mslr-navigational",
    "informational": "mslr-informational-cdc",
}


def merge_part(user: str) -> str:
    return f"mslr-{user}-merge"


def others_part(user: str) -> str:
    return f"mslr-{user}-others"


def right(user: str, policy: str) -> Measure:
    """Return the mean over runs that keep the winner; the others have linear regret and are counted apart."""
    return Measure(merge_part(user), policy, at=1e7, only="right")


def navigational(policy: str, at: float, **more: Any) -> Measure:
    """Return a measure of a policy with navigational users."""
    part = others_part("navigational") if policy in OTHERS else merge_part("navigational")
    return Measure(part, policy, at=at, **more)


PARTS: tuple[Part, ...] = (
    *(
        Runs(merge_part(user), problem, (*MERGE, MERGE_DTS_CODE, RUCB_CODE), _MERGE_SIZES)
        for user, problem in NOISE.items()
    ),
    Runs(others_part("navigational"), NOISE["navigational"], OTHERS, _NAVIGATIONAL_SIZES),
    *(Runs(others_part(user), NOISE[user], OTHERS, _OTHER_SIZES) for user in ("perfect", "informational")),
    bound_part(
        "mslr-navigational-bounds",
        "mslr-navigational",
        ("merge_rucb", "merge_dts"),
        {"quick": 1e7, "paper": 1e8},
    ),
)
FIGURES = (
    *(
        Curves(
            f"mslr-{user}",
            f"Figure {figure}: MSLR, {user}",
            merge_part(user),
            beside=(others_part(user),),
            published="means of 50 runs to 10^8 duels; MergeDTS ends lowest, above DTS and "
            "Self-Sparring in the early steps, and REX3 grows like the square root.",
        )
        for user, figure in (("navigational", 1), ("perfect", 2), ("informational", 2))
    ),
    Curves(
        "mslr-navigational-bounds",
        f"Figure 1: MSLR, navigational, and the bounds of Theorems 6.1 and 4.1 for alpha = {ALPHA}",
        merge_part("navigational"),
        y="log",
        bounds="mslr-navigational-bounds",
    ),
)
