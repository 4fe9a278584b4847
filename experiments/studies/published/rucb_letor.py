"""RUCB against SAVAGE and BTM on 16, 32 and 64 rankers (Zoghi 2017, 4.4, Figures 4.4 and 4.5)."""

from typing import Any

from experiments.studies.papers import ZOGHI_2017
from experiments.studies.published.rcs import first_step
from experiments.studies.study import (
    Between,
    Check,
    Computed,
    Curves,
    Inputs,
    Measure,
    Points,
    Ratio,
    Runs,
    Size,
    Study,
    full_name,
)

RUCB, SAVAGE, BTM = "rucb(alpha=0.51)", "savage", "beat_the_mean(gamma=1)"
HORIZONS = (10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000)
SEED = 1  # seed of the random subsets


def _problem(k: int) -> str:
    return f"np2004(random={k},seed={SEED})"


def sooner(inputs: Inputs) -> dict[str, float]:
    """Return shares of runs that recommend the winner by horizon, and how much sooner RUCB reaches 80 %."""
    runs = inputs.tables["k16"]
    runs = runs[runs["policy"] == full_name(RUCB)]
    right = {"RUCB": {t: runs.loc[runs["step"] == t, "correct"].mean() for t in HORIZONS}}
    right["SAVAGE"] = {t: _last_share(inputs, t) for t in HORIZONS}
    found = {f"{name} at {t}": share for name, shares in right.items() for t, share in shares.items()}
    first = {
        name: first_step({t: (s, 0.0) for t, s in shares.items()}, 0.8) for name, shares in right.items()
    }
    ratio = first["SAVAGE"] / first["RUCB"]
    return found | ({"80 %": ratio} if ratio == ratio else {})


def _last_share(inputs: Inputs, horizon: int) -> float:
    table = inputs.tables[f"savage-{horizon}"]
    return float(table.loc[table["step"] == horizon, "correct"].mean())


def _final(policy: str, **more: Any) -> Measure:
    return Measure("k16", policy, **more)


STUDY = Study(
    id="rucb-letor",
    title="RUCB against SAVAGE and BTM",
    source="Zoghi, Whiteson, Munos, de Rijke 2014 (ICML); Zoghi 2017 (thesis), 4.4, Figures 4.4 and 4.5",
    papers={"": ZOGHI_2017},
    question="How much less regret than elimination policies has RUCB, and does it find the winner sooner?",
    data="LETOR NP2004 matrix, or else random subsets of the public MSLR matrix, Navigational",
    parts=(
        Runs("k16", _problem(16), (RUCB, SAVAGE, BTM), {"quick": Size(1e6, 20), "paper": Size(4.5e6, 100)}),
        *(Runs(f"k{k}", _problem(k), (RUCB, SAVAGE, BTM), {"paper": Size(4.5e6, 100)}) for k in (32, 64)),
        *(
            Runs(f"savage-{t}", _problem(16), (SAVAGE,), {"quick": Size(t, 40), "paper": Size(t, 100)})
            for t in HORIZONS
        ),
        Computed("sooner", sooner, after=("k16", *(f"savage-{t}" for t in HORIZONS)), cached=False),
    ),
    checks=(
        Check(
            "k16.half",
            "RUCB has less than half of SAVAGE's regret",
            Ratio(_final(RUCB), _final(SAVAGE), high=0.5),
            "3378 and 12,089",
        ),
        Check(
            "k16.worst_and_best",
            "the worst RUCB run is below the best SAVAGE run",
            Ratio(_final(RUCB, statistic="max"), _final(SAVAGE, statistic="min"), high=1),
            "4034 and 10,443",
        ),
        Check(
            "k16.btm",
            "the regret of BTM is linear throughout",
            Ratio(_final(BTM, at=1e6), _final(BTM, at=1e5), low=3),
            "47,522 at 10^6",
        ),
        Check(
            "k16.sooner",
            "RUCB recommends the winner in 80 % of runs about twice as soon as SAVAGE",
            Between(Measure("sooner", "80 %", "value"), 1.4, 4),
            "accuracy .75 at 3e4, 1 at 1e5; .50 and .85",
        ),
        *(
            Check(
                f"k{k}.half",
                f"with {k} rankers RUCB has less than half of SAVAGE's regret",
                Ratio(Measure(f"k{k}", RUCB), Measure(f"k{k}", SAVAGE), high=0.5),
            )
            for k in (32, 64)
        ),
    ),
    figures=(
        *(
            Curves(f"figure4.4-{k}", f"Figure 4.4: {k} rankers", f"k{k}", band="quantiles")
            for k in (16, 32, 64)
        ),
        Points(
            "figure4.5",
            "Figure 4.5: accuracy, 16 rankers",
            "duels",
            "share of runs that recommend the winner",
            {
                name: {t: Measure("sooner", f"{name} at {t}", "value") for t in HORIZONS}
                for name in ("RUCB", "SAVAGE")
            },
            x="log",
        ),
    ),
    minutes={"quick": 1, "paper": 15},
)
