"""RCS and RUCB on 20 to 40 rankers, and where their curves cross (Zoghi et al. 2014, Figure 5).

rcs.py includes these parts, checks and figures in its study.
"""

from collections.abc import Mapping
from typing import NamedTuple

from experiments.studies.published.rcs_curves import RCS, RUCB, crossing
from experiments.studies.study import Between, Check, Computed, Curves, Measure, Part, Report, Runs, Size


class Scale(NamedTuple):
    """A number of rankers, with published values and values from an independent program."""

    k: int
    sizes: Mapping[str, Size]  # horizon and runs with which the curves cross
    shares: Mapping[str, tuple[float, float]]  # published percent of duels with a non-winner, of RUCB and RCS
    published_excess: float  # of the regret of RUCB over that of RCS at 2 T0, in percent
    excess: float  # the same from an independent program, as a fraction
    share_ratio: float  # share of RUCB / share of RCS at T0, from an independent program
    duels: int  # ends of the axes of the published figure
    regret: int


SCALES = (
    Scale(
        20,
        {"quick": Size(1e6, 40), "paper": Size(1e6, 90)},
        {"T0/2": (33, 31), "T0": (27, 3.6), "2 T0": (2, 0.3)},
        published_excess=30,
        excess=0.11,
        share_ratio=9.4,
        duels=1_000_000,
        regret=6000,
    ),
    Scale(
        30,
        {"paper": Size(2e6, 90)},
        {"T0/2": (36, 31), "T0": (17, 1.9)},
        published_excess=12.3,
        excess=0.097,
        share_ratio=9,
        duels=1_500_000,
        regret=16_000,
    ),
    Scale(
        40,
        {"paper": Size(2.5e6, 90)},
        {"T0/2": (45, 44), "T0": (21, 3.3)},
        published_excess=12.6,
        excess=0.139,
        share_ratio=4,
        duels=2_000_000,
        regret=25_000,
    ),
)
LATE_SHARES = (
    "The cause was not found. Over 40 runs the shares are 3.3 ± 0.9 % and 1.9 ± 0.5 %; that of RUCB agrees "
    "with the paper, that of RCS is six times the published one. The moment matters: the ratio is 11 at "
    "1.5 T0, where some runs of RUCB have not settled yet, and 1 at 3 T0."
)


def _checks(scale: Scale) -> tuple[Check, ...]:
    k = scale.k

    def of(value: str) -> Measure:
        return Measure(f"crossing-{k}", value, "value")

    return (
        Check(
            f"fig5.{k}.crossing",
            f"K = {k}: RUCB is below RCS at first and above it at the end",
            Between(of("early"), high=0),
        ),
        Check(
            f"fig5.{k}.steeper",
            f"K = {k}: before it flattens, the curve of RCS is steeper than that of RUCB",
            Between(of("steeper"), low=1),
            "'slightly steeper' published",
        ),
        Check(
            f"fig5.{k}.share",
            f"K = {k}: where the curves cross (T0), RUCB makes many times more suboptimal comparisons",
            Between(of("share ratio at T0"), low=2.5),
            f"6 to 9 times published; {scale.share_ratio}",
        ),
        Check(
            f"fig5.{k}.share_before",
            f"K = {k}: at T0 / 2 both make almost equally many suboptimal comparisons",
            Between(of("share ratio at T0/2"), 0.8, 1.25),
            "{} % and {} % published".format(*scale.shares["T0/2"]),
        ),
        Check(
            f"fig5.{k}.share_after",
            f"K = {k}: at 2 T0 RUCB makes about 8 times more suboptimal comparisons",
            Between(of("share ratio at 2 T0"), 4, 16),
            "2 % and .3 % published (K = 20)",
            explanation=LATE_SHARES if k == 20 else "",
        ),
        *(
            Check(
                f"fig5.{k}.{policy.lower()}_share_at_{moment.replace('/', '_').replace(' ', '')}",
                f"K = {k}: share of suboptimal comparisons of {policy} at {moment}",
                Report(of(f"{policy} share at {moment}")),
                f"{shares[place]} % published",
            )
            for moment, shares in scale.shares.items()
            for place, policy in enumerate(("RUCB", "RCS"))
        ),
        Check(
            f"fig5.{k}.excess",
            f"K = {k}: at 2 T0 RUCB's regret is {scale.published_excess} % higher than that of RCS (12 "
            "to 30 % for all K)",
            Between(of("excess"), 0.05, 0.4),
            f"{scale.published_excess / 100:g} published; {scale.excess}",
        ),
    )


PARTS: tuple[Part, ...] = (
    *(Runs(f"scale-{one.k}", f"mslr-perfect(lex={one.k},base=1)", (RUCB, RCS), one.sizes) for one in SCALES),
    *(
        Computed(f"crossing-{one.k}", crossing, after=(f"scale-{one.k}",), sizes=one.sizes, cached=False)
        for one in SCALES
    ),
)
CHECKS = tuple(check for scale in SCALES for check in _checks(scale))
FIGURES = tuple(
    Curves(
        f"figure5-{one.k}",
        f"Figure 5: {one.k} rankers",
        f"scale-{one.k}",
        x="linear",
        published=f"means of 90 runs to {one.duels:,} duels, linear axes to a regret of {one.regret:,}; RCS "
        "is steeper at first, flattens sooner, and ends lower.",
    )
    for one in SCALES
)
