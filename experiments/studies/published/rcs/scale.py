"""RCS and RUCB on 20 to 40 rankers, and where their curves cross (Zoghi et al. 2014, Figure 5)."""

from collections.abc import Mapping
from typing import NamedTuple

from rankduel.experiments.studies.published.rcs.curves import RCS, RUCB, crossing
from rankduel.experiments.studies.published.rcs.regret import BASES
from rankduel.experiments.studies.study import (
    Between,
    Check,
    Computed,
    Curves,
    Measure,
    Part,
    Report,
    Runs,
    Size,
)

RUNS = 400  # in means of 90 runs, as published, the curves for 30 rankers do not always cross


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
        {"quick": Size(1e6, 40), "paper": Size(1e6, RUNS)},
        {"T0/2": (33, 31), "T0": (27, 3.6), "2 T0": (2, 0.3)},
        published_excess=30,
        excess=0.11,
        share_ratio=9.4,
        duels=1_000_000,
        regret=6000,
    ),
    Scale(
        30,
        {"paper": Size(2e6, RUNS)},
        {"T0/2": (36, 31), "T0": (17, 1.9)},
        published_excess=12.3,
        excess=0.097,
        share_ratio=9,
        duels=1_500_000,
        regret=16_000,
    ),
    Scale(
        40,
        {"paper": Size(2.5e6, RUNS)},
        {"T0/2": (45, 44), "T0": (21, 3.3)},
        published_excess=12.6,
        excess=0.139,
        share_ratio=4,
        duels=2_000_000,
        regret=25_000,
    ),
)
LATE_SHARES = (
    "The cause was not found. Excluded so far: the numbering of the features (1.5 to 1.9 times with either), "
    "and the noise of 90 runs (of draws of 90 from 400 runs, 0 to 6 % have a ratio above 4). The moment "
    "matters: with 20 rankers numbered from 0 the ratio is 11 at 1.5 T0, where some runs of RUCB have not "
    "settled yet, and 1.5 at 2 T0 and 3 T0. The "
    "published shares must be another count: at T0 / 2 they are 31 to 45 %, where here 80 to 100 % of the "
    "comparisons involve a suboptimal ranker."
)
EXCESS = (
    "Numbered from 0, the features give 24, 17 and 12 % for 20, 30 and 40 rankers, where 30, 12.3 and 12.6 % "
    "are published; numbered from 1, they give 10, 3 and 7 %. The noise of 90 runs does not explain the "
    "difference: 95 % of draws of 90 from 400 runs are from 3 to 18 % with 20 rankers, numbered from 1."
)
BEFORE = (
    "Numbered from 1, some runs of RCS have settled at T0 / 2: 73 % of its comparisons are suboptimal there, "
    "and all of RUCB's. Numbered from 0, the shares are almost equal."
)


def _checks(scale: Scale, base: int) -> tuple[Check, ...]:
    k = scale.k
    where = f"K = {k}" if base else f"K = {k}, features numbered from 0"
    name = f"fig5.{k}" if base else f"fig5.{k}.lex0"

    def of(value: str) -> Measure:
        return Measure(_crossing_part(scale, base), value, "value")

    return (
        Check(
            f"{name}.crossing",
            f"{where}: RUCB is below RCS at first and above it at the end",
            Between(of("crosses"), low=1),
        ),
        Check(
            f"{name}.steeper",
            f"{where}: before it flattens, the curve of RCS is steeper than that of RUCB",
            Between(of("steeper"), low=1),
            "'slightly steeper' published",
        ),
        Check(
            f"{name}.share",
            f"{where}: where the curves cross (T0), RUCB makes many times more suboptimal comparisons",
            Between(of("share ratio at T0"), low=2.5),
            f"6 to 9 times published; {scale.share_ratio}",
        ),
        Check(
            f"{name}.share_before",
            f"{where}: at T0 / 2 both make almost equally many suboptimal comparisons",
            Between(of("share ratio at T0/2"), 0.8, 1.25),
            "{} % and {} % published".format(*scale.shares["T0/2"]),
            explanation=BEFORE if base else "",
        ),
        Check(
            f"{name}.share_after",
            f"{where}: at 2 T0 RUCB makes about 8 times more suboptimal comparisons",
            Between(of("share ratio at 2 T0"), 4, 16),
            "2 % and .3 % published (K = 20)",
            explanation=LATE_SHARES,
        ),
        *(
            Check(
                f"{name}.{policy.lower()}_share_at_{moment.replace('/', '_').replace(' ', '')}",
                f"{where}: share of suboptimal comparisons of {policy} at {moment}",
                Report(of(f"{policy} share at {moment}")),
                f"{shares[place]} % published",
            )
            for moment, shares in scale.shares.items()
            for place, policy in enumerate(("RUCB", "RCS"))
        ),
        Check(
            f"{name}.excess",
            f"{where}: at 2 T0 RUCB's regret is {scale.published_excess} % higher than that of RCS (12 "
            "to 30 % for all K)",
            Between(of("excess"), 0.05, 0.4),
            f"{scale.published_excess / 100:g} published; {scale.excess}",
            explanation=EXCESS,
        ),
    )


def _runs_part(scale: Scale, base: int) -> str:
    return f"scale-{scale.k}" if base else f"scale-{scale.k}-lex0"


def _crossing_part(scale: Scale, base: int) -> str:
    return _runs_part(scale, base).replace("scale", "crossing")


def _parts(scale: Scale, base: int) -> tuple[Part, Part]:
    # The quick tier has features numbered from 1 only.
    sizes = scale.sizes if base else {"paper": scale.sizes["paper"]}
    name = _runs_part(scale, base)
    return (
        Runs(name, f"mslr-perfect(lex={scale.k},base={base})", (RUCB, RCS), sizes),
        Computed(_crossing_part(scale, base), crossing, after=(name,), sizes=sizes, cached=False),
    )


PARTS = tuple(part for scale in SCALES for base in BASES.values() for part in _parts(scale, base))
CHECKS = tuple(check for scale in SCALES for base in BASES.values() for check in _checks(scale, base))
FIGURES = tuple(
    Curves(
        f"figure5-{one.k}",
        f"Figure 5: {one.k} rankers",
        _runs_part(one, 1),
        x="linear",
        published=f"means of 90 runs to {one.duels:,} duels, linear axes to a regret of {one.regret:,}; RCS "
        "is steeper at first, flattens sooner, and ends lower.",
    )
    for one in SCALES
)
