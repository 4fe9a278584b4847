"""RUCB against SAVAGE and BTM on 16, 32 and 64 rankers (Zoghi 2017, 4.4, Figures 4.4 and 4.5).

SAVAGE and BTM are told the horizon, so every point of their curves has runs of its own.

The files of this study:

    runs      runs by number of rankers and horizon, and how soon each policy finds the winner
    claims    claims about regret and accuracy
"""

from rankduel.experiments.studies.published.rucb_letor.claims import CHECKS
from rankduel.experiments.studies.published.rucb_letor.runs import (
    HORIZONS,
    LATER,
    PARTS,
    RUCB,
    SIZES,
    TOLD,
    told_part,
)
from rankduel.experiments.studies.shared.bounds import ALPHA
from rankduel.experiments.studies.shared.papers import ZOGHI_2017
from rankduel.experiments.studies.study import Curves, Finding, Measure, Points, Study, Use


def _figure(k: int) -> tuple[Points, Points]:
    horizons: tuple[float, ...] = (*HORIZONS, *LATER)
    lines = {"RUCB": {t: Measure(f"rucb-{k}", RUCB, at=t) for t in horizons}}
    lines |= {
        name: {t: Measure(told_part(name, k, t), policy) for t in horizons} for name, policy in TOLD.items()
    }
    return (
        Points(
            f"figure4.4-{k}",
            f"Figure 4.4: {k} rankers",
            "duels",
            "cumulative regret",
            lines,
            x="log",
            bars="range",
            published="means of 100 runs with dotted curves of the best and the worst run, from 1,000 to 4.5 "
            "million duels, logarithmic time, linear regret; BTM is cut off.",
        ),
        Points(
            f"figure4.5-{k}",
            f"Figure 4.5: accuracy, {k} rankers",
            "duels",
            "share of runs that recommend the winner",
            {
                name: {t: Measure(f"accuracy-{k}", f"{name} at {t}", "value") for t in HORIZONS}
                for name in ("RUCB", *TOLD)
            },
            x="log",
            published="accuracy over 100 runs at the same horizons, logarithmic time; RUCB reaches 80 % "
            "almost twice as fast as SAVAGE, and BTM is far behind.",
        ),
    )


STUDY = Study(
    id="rucb-letor",
    title="RUCB against SAVAGE and BTM",
    source="Zoghi, Whiteson, Munos, de Rijke 2014 (ICML); Zoghi 2017 (thesis), 4.4, Figures 4.4 and 4.5",
    papers={"": ZOGHI_2017},
    warnings={"": "The rankers are not those of NP2004, and have other gaps."},
    question="How much less regret than elimination policies has RUCB, and does it find the winner sooner?",
    data="LETOR NP2004 matrix, or else random subsets of the public MSLR matrix, Navigational",
    parts=PARTS,
    checks=CHECKS,
    figures=(
        *(figure for k in SIZES for figure in _figure(k)),
        Curves(
            "figure4.4-16-bounds",
            f"Figure 4.4: 16 rankers, and the bounds of RUCB by Theorems 4.4 and 4.5 for alpha = {ALPHA}",
            "rucb-16",
            y="log",
            bounds="k16-bounds",
        ),
    ),
    minutes={"quick": 0.2, "paper": 4},
    findings=(
        Finding(
            "**RUCB has a fraction of SAVAGE's regret.** With 16 rankers and 10^6 duels it has "
            "{half.value:.0%} of the regret of SAVAGE ({half.lhs:,.0f} and {half.rhs:,.0f}), and its worst "
            "run is below SAVAGE's best ({worst.lhs:,.0f} and {worst.rhs:,.0f}).",
            {"half": Use("k16.half_1e6"), "worst": Use("k16.worst_and_best_1e6")},
        ),
    ),
)
