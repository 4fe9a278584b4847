"""RUCB against SAVAGE and BTM on 16, 32 and 64 rankers (Zoghi 2017, 4.4, Figures 4.4 and 4.5).

SAVAGE and BTM are told the horizon, so every point of their curves has runs of its own.
"""

from math import log

import numpy as np
import pandas as pd

from rankduel.experiments.studies.published.rcs.curves import first_step
from rankduel.experiments.studies.shared.bounds import ALPHA, bound_part
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
    Runs,
    Size,
    Study,
    Use,
)

RUCB = "rucb(alpha=0.51)"
TOLD = {"SAVAGE": "savage", "BTM": "beat_the_mean(gamma=1)"}  # policies that are told the horizon
SIZES = (16, 32, 64)  # numbers of rankers
LAST = {"quick": 1_000_000, "paper": 4_500_000}
HORIZONS = tuple(base * 10**power for power in (3, 4, 5) for base in (1, 2, 5)) + (1_000_000,)
LATER = (2_000_000, 4_500_000)  # horizons of the tier 'paper'
SEED = 1  # seed of the random subsets
_RUNS = {"quick": 20, "paper": 100}


def _problem(k: int) -> str:
    return f"np2004(random={k},seed={SEED})"


def _told(name: str, k: int, horizon: float) -> str:
    return f"{name.lower()}-{k}-{horizon:.0f}"


def _told_runs(k: int) -> list[Runs]:
    """Return the runs of SAVAGE and BTM; with 16 rankers, those up to 10^6 duels are in tier quick."""
    return [
        Runs(
            _told(name, k, t),
            _problem(k),
            (policy,),
            {
                tier: Size(t, runs)
                for tier, runs in _RUNS.items()
                if tier == "paper" or (k == 16 and t in HORIZONS)
            },
        )
        for name, policy in TOLD.items()
        for t in (*HORIZONS, *LATER)
    ]


def _rucb_runs(k: int) -> Runs:
    quick = {"quick": Size(LAST["quick"], _RUNS["quick"])} if k == 16 else {}
    return Runs(f"rucb-{k}", _problem(k), (RUCB,), {**quick, "paper": Size(LAST["paper"], _RUNS["paper"])})


def accuracies(inputs: Inputs) -> dict[str, float]:
    """Return the share of runs that recommend the winner by horizon, and where each policy reaches 80 %.

    'straight' is the slope of RUCB's regret against log t in the second half of its curve from 500,000 to 4.5
    million duels, divided by that in the first half.
    """
    rucb, *others = inputs.tables.values()
    means = rucb.groupby("step")[["correct", "regret"]].mean()
    shares = {"RUCB": {t: float(means["correct"][t]) for t in HORIZONS}}
    for name, table in zip((name for name in TOLD for _ in HORIZONS), others):
        last = int(table["step"].max())
        shares.setdefault(name, {})[last] = float(table.loc[table["step"] == last, "correct"].mean())
    found = {f"{name} at {t}": right for name, line in shares.items() for t, right in line.items()}
    first = {
        name: first_step({t: (right, 0.0) for t, right in line.items()}, 0.8) for name, line in shares.items()
    }
    found |= {f"{name} / RUCB to 80 %": first[name] / first["RUCB"] for name in TOLD}
    found["straight"] = _straightness(means["regret"])
    return {name: value for name, value in found.items() if np.isfinite(value)}


def _straightness(regret: pd.Series) -> float:
    """Return the ratio of slopes; NaN for a shorter run, which is still finding the winner."""
    first, last = 500_000, LAST["paper"]
    if last not in regret.index:
        return np.nan
    middle = min(regret.index, key=lambda step: abs(log(step) - (log(first) + log(last)) / 2))
    slopes = [
        (regret[stop] - regret[start]) / log(stop / start)
        for start, stop in ((first, middle), (middle, last))
    ]
    return slopes[1] / slopes[0]


def _accuracy_part(k: int) -> Computed:
    after = (f"rucb-{k}", *(_told(name, k, t) for name in TOLD for t in HORIZONS))
    sizes = {"quick" if k == 16 else "paper": Size(1, 1)}
    return Computed(f"accuracy-{k}", accuracies, after=after, sizes=sizes, cached=False)


def _at_end(k: int, name: str, tier: str, statistic: str = "mean") -> Measure:
    """Return the regret at the end of a tier: of RUCB along its run, of the others in runs to that "
    "horizon."""
    if name == "RUCB":
        return Measure(f"rucb-{k}", RUCB, at=LAST[tier], statistic=statistic)
    return Measure(_told(name, k, LAST[tier]), TOLD[name], statistic=statistic)


def _checks(k: int, tier: str, mark: str = "", known: str = "", extremes: str = "") -> tuple[Check, ...]:
    of = f"{k} rankers, {LAST[tier]:,} duels"
    return (
        Check(
            f"k{k}.half{mark}",
            f"{of}: RUCB has less than half of SAVAGE's regret",
            Ratio(_at_end(k, "RUCB", tier), _at_end(k, "SAVAGE", tier), high=0.5),
            known,
        ),
        Check(
            f"k{k}.worst_and_best{mark}",
            f"{of}: the worst RUCB run is below the best SAVAGE run",
            Ratio(_at_end(k, "RUCB", tier, "max"), _at_end(k, "SAVAGE", tier, "min"), high=1),
            extremes,
        ),
        Check(
            f"k{k}.least{mark}",
            f"{of}: RUCB has the least regret of the three, so less than BTM",
            Ratio(_at_end(k, "RUCB", tier), _at_end(k, "BTM", tier), high=1),
        ),
    )


def _accuracy_checks(k: int) -> tuple[Check, ...]:
    def of(value: str) -> Measure:
        return Measure(f"accuracy-{k}", value, "value")

    return (
        Check(
            f"k{k}.btm",
            f"{k} rankers: the regret of BTM grows linearly with the horizon: about tenfold from 10^5 to "
            "10^6 duels",
            Ratio(
                Measure(_told("BTM", k, 1_000_000), TOLD["BTM"]),
                Measure(_told("BTM", k, 100_000), TOLD["BTM"]),
                5,
                15,
            ),
            "47,522 at 10^6 (16 rankers)",
        ),
        Check(
            f"k{k}.straight",
            f"{k} rankers: the regret of RUCB is asymptotically linear in log t: late slope / early slope",
            Between(of("straight"), 0.5, 1.5),
        ),
        Check(
            f"k{k}.sooner",
            f"{k} rankers: RUCB recommends the winner in 80 % of runs almost twice as soon as SAVAGE",
            Between(of("SAVAGE / RUCB to 80 %"), 1.4, 4),
            "accuracy .75 at 3e4, 1 at 1e5; .50 and .85 (16 rankers)",
        ),
        Check(
            f"k{k}.btm_later",
            f"{k} rankers: BTM recommends the winner in 80 % of runs later than SAVAGE",
            Ratio(of("BTM / RUCB to 80 %"), of("SAVAGE / RUCB to 80 %"), low=1),
            "'the contrast is even more stark' published",
        ),
    )


def _figure(k: int) -> tuple[Points, Points]:
    horizons: tuple[float, ...] = (*HORIZONS, *LATER)
    lines = {"RUCB": {t: Measure(f"rucb-{k}", RUCB, at=t) for t in horizons}}
    lines |= {
        name: {t: Measure(_told(name, k, t), policy) for t in horizons} for name, policy in TOLD.items()
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
    parts=(
        *(_rucb_runs(k) for k in SIZES),
        *(part for k in SIZES for part in _told_runs(k)),
        *(_accuracy_part(k) for k in SIZES),
        bound_part("k16-bounds", _problem(16), ("rucb",), {"quick": 1e6, "paper": 4.5e6}),
    ),
    checks=(
        *_checks(16, "quick", "_1e6", "3378 and 12,089", "4034 and 10,443"),
        *(check for k in SIZES for check in (*_checks(k, "paper"), *_accuracy_checks(k))),
    ),
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
