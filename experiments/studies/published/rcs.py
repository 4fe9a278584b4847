"""RCS against RUCB and SAVAGE on 10 to 40 rankers of MSLR (Zoghi et al. 2014, WSDM; thesis chapter 5)."""

import numpy as np
import pandas as pd

from experiments.studies.papers import NONE, ZOGHI_2014
from experiments.studies.study import (
    Between,
    Check,
    Computed,
    Curves,
    Inputs,
    Measure,
    Order,
    Points,
    Ratio,
    Report,
    Runs,
    Size,
    Study,
    full_name,
)

# RUCB is the first version, which the paper describes; RUCB_B also keeps a set B with a likely best arm.
RUCB, RUCB_B, RCS = "rucb(alpha=0.501,use_b=false)", "rucb(alpha=0.501)", "rcs(alpha=0.501)"
HORIZONS = (100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000)
LOW_RUCB, LOW_RCS = "rucb(alpha=0.1,use_b=false)", "rcs(alpha=0.1)"
BASES = {"lex1": 1, "lex0": 0}  # the source does not state whether features are numbered from 1 or 0
SCALE = {  # number of rankers: horizon and runs with which the curves cross
    20: {"quick": Size(1e6, 10), "paper": Size(1e6, 90)},
    30: {"paper": Size(2e6, 90)},
    40: {"paper": Size(2.5e6, 90)},
}


def accuracy(inputs: Inputs) -> dict[str, float]:
    """Return the accuracy of RCS along one run and of SAVAGE with a run per horizon, and comparisons."""
    rcs = inputs.tables["ongoing-lex1"]
    rcs = rcs[rcs["policy"] == full_name(RCS)]
    ours = {t: _at(rcs, t) for t in HORIZONS if t <= rcs["step"].max()}
    theirs = {t: _at(inputs.tables[f"savage-{t}"], t) for t in HORIZONS}
    found = {f"RCS at {t}": right for t, (right, _) in ours.items()}
    found |= {f"SAVAGE at {t}": right for t, (right, _) in theirs.items()}
    found["least lead"] = min(ours[t][0] - theirs[t][0] for t in ours)
    found["lead at 1000 and 2000"] = min(ours[t][0] - theirs[t][0] for t in (1000, 2000))
    found["steps to 80 %"] = first_step(theirs, 0.8) / first_step(ours, 0.8)
    found["regret when always right"] = _regret_at(theirs, 1.0) / _regret_at(ours, 1.0)
    return {name: value for name, value in found.items() if np.isfinite(value)}


def _at(table: pd.DataFrame, step: int) -> tuple[float, float]:
    """Return (share of runs that recommend the winner, mean regret) at a step."""
    rows = table[table["step"] == step]
    return float(rows["correct"].mean()), float(rows["regret"].mean())


def first_step(curve: dict[int, tuple[float, float]], share: float) -> float:
    """Return the step at which the curve reaches `share`, linear in log t between horizons; NaN if never."""
    steps = np.array(list(curve))
    right = np.array([value for value, _ in curve.values()])
    reached = np.flatnonzero(right >= share)
    if not len(reached):
        return np.nan
    k = reached[0]
    if k == 0:
        return float(steps[0])
    part = (share - right[k - 1]) / (right[k] - right[k - 1])
    return float(np.exp(np.log(steps[k - 1]) + part * np.log(steps[k] / steps[k - 1])))


def _regret_at(curve: dict[int, tuple[float, float]], share: float) -> float:
    return next((regret for right, regret in curve.values() if right >= share), np.nan)


def plateau(inputs: Inputs) -> dict[str, float]:
    """Return the difference of the mean final regrets of RUCB and RCS."""
    (table,) = inputs.tables.values()
    last = table[table["step"] == table["step"].max()].groupby("policy")["regret"].mean()
    return {"difference": float(last[full_name(RUCB)] - last[full_name(RCS)])}


def crossing(inputs: Inputs) -> dict[str, float]:
    """Return the step T0 after which the mean regret of RUCB stays above that of RCS, and related numbers.

    'early' is 1 if RUCB is above RCS before T0 / 2. 'share ratio' compares the shares of duels with a
    non-winner after T0. 'excess' is the relative excess of RUCB's regret at 2 T0.
    """
    (table,) = inputs.tables.values()
    means = table.groupby(["policy", "step"])[["regret", "nonwinner_duels"]].mean()
    rucb, rcs = means.loc[full_name(RUCB)], means.loc[full_name(RCS)]
    steps = rucb.index.to_numpy()
    ahead = (rucb["regret"] > rcs["regret"]).to_numpy()
    behind = np.flatnonzero(~ahead)
    if not ahead[-1] or not len(behind):
        return {}
    t0 = int(steps[behind[-1] + 1])
    found = {"T0": t0, "early": float(ahead[steps < t0 / 2][-1:].mean())}
    shares = [_share_since(one["nonwinner_duels"], t0) for one in (rucb, rcs)]
    if min(shares) > 0:
        found["share ratio"] = shares[0] / shares[1]
    later = steps[steps >= 2 * t0]
    if len(later):
        found["excess"] = float(rucb["regret"][later[0]] / rcs["regret"][later[0]] - 1)
    return found


def _share_since(duels: pd.Series, step: int, window: float = 0.1) -> float:
    """Return the share of duels with a non-winner among the `window` * step duels after `step`."""
    end = next((int(s) for s in duels.index if s >= (1 + window) * step), int(duels.index[-1]))
    return float((duels[end] - duels[step]) / max(1, end - step))


def _accuracy(name: str) -> Measure:
    return Measure("accuracy", name, "value")


STUDY = Study(
    id="rcs",
    title="Relative confidence sampling",
    source="Zoghi, Whiteson, de Rijke, Munos 2014 (WSDM), 6.2 to 6.5; Zoghi 2017 (thesis), chapter 5",
    papers={"": ZOGHI_2014, "fig3.lex1.second_version": NONE, "fig3.lex0.second_version": NONE},
    question="Has sampling the champion (RCS) less regret than RUCB, and when does each find the winner?",
    data="public MSLR matrix, Perfect",
    parts=(
        *(
            Runs(
                f"ongoing-{name}",
                f"mslr-perfect(lex=10,base={base})",
                (RUCB, RUCB_B, RCS),
                {"quick": Size(5e4, 90), "paper": Size(5e4, 200)},
            )
            for name, base in BASES.items()
        ),
        *(
            Runs(
                f"savage-{t}",
                "mslr-perfect(lex=10,base=1)",
                ("savage",),
                {"quick": Size(t, 90), "paper": Size(t, 200)},
            )
            for t in HORIZONS
        ),
        Computed(
            "accuracy", accuracy, after=("ongoing-lex1", *(f"savage-{t}" for t in HORIZONS)), cached=False
        ),
        *(Computed(f"plateau-{name}", plateau, after=(f"ongoing-{name}",), cached=False) for name in BASES),
        Runs(
            "low-alpha",
            "mslr-perfect(lex=10,base=1)",
            (LOW_RUCB, LOW_RCS, RCS),
            {"quick": Size(4e5, 60), "paper": Size(4e5, 300)},
        ),
        *(
            Runs(f"scale-{k}", f"mslr-perfect(lex={k},base=1)", (RUCB, RCS), sizes)
            for k, sizes in SCALE.items()
        ),
        *(
            Computed(f"crossing-{k}", crossing, after=(f"scale-{k}",), sizes=sizes, cached=False)
            for k, sizes in SCALE.items()
        ),
    ),
    checks=(
        Check(
            "fig2.accuracy",
            "RCS recommends the winner more often than SAVAGE at every horizon",
            Between(_accuracy("least lead"), low=-0.03),
        ),
        Check(
            "fig2.lead",
            "RCS recommends the winner clearly more often than SAVAGE at 1000 and 2000 duels",
            Between(_accuracy("lead at 1000 and 2000"), low=0.1),
            ".89 and .70; .98 and .68",
        ),
        Check(
            "fig2.sooner",
            "RCS recommends the winner in 80 % of runs about twice as soon as SAVAGE",
            Between(_accuracy("steps to 80 %"), low=1.5),
        ),
        Check(
            "fig2.regret",
            "when all runs recommend the winner, SAVAGE has at least three times the regret of RCS",
            Between(_accuracy("regret when always right"), low=3),
            "7.5",
        ),
        *(
            check
            for name, known in (("lex1", "457 ± 6 and 289 ± 7"), ("lex0", "594 ± 10 and 328 ± 7"))
            for check in (
                Check(
                    f"fig3.{name}.order",
                    "RCS has less regret than RUCB",
                    Order(Measure(f"ongoing-{name}", RCS), Measure(f"ongoing-{name}", RUCB), z=5),
                    known,
                    runs=20,
                ),
                Check(
                    f"fig3.{name}.third",
                    "RCS has about a third less regret than RUCB",
                    Ratio(Measure(f"ongoing-{name}", RCS), Measure(f"ongoing-{name}", RUCB), 0.5, 0.75),
                    known,
                ),
                Check(
                    f"fig3.{name}.plateau",
                    "the final regrets of RUCB and RCS differ by about 200",
                    Between(Measure(f"plateau-{name}", "difference", "value"), 120, 320),
                    "168; 266",
                ),
                Check(
                    f"fig3.{name}.best_run",
                    "the best RUCB run is above the mean of RCS",
                    Ratio(
                        Measure(f"ongoing-{name}", RUCB, statistic="min"),
                        Measure(f"ongoing-{name}", RCS),
                        low=1,
                    ),
                    "348 and 289; 440 and 328",
                ),
                Check(
                    f"fig3.{name}.second_version",
                    "regret of RUCB with its set B",
                    Report(Measure(f"ongoing-{name}", RUCB_B)),
                    "465 ± 6 (lex1)",
                ),
            )
        ),
        Check(
            "fig4.stuck",
            "with alpha = .1 some RUCB runs (2 of 30) never recommend the best ranker",
            Between(Measure("low-alpha", LOW_RUCB, "wrong", at=4e5), 0.01, 0.09),
            "11 of 300",
            runs=300,
        ),
        Check(
            "fig4.rcs_is_right",
            "RCS with alpha = .1 recommends the best ranker in every run",
            Between(Measure("low-alpha", LOW_RCS, "wrong", at=4e5, statistic="count"), high=0),
            "0 of 300",
        ),
        Check(
            "fig4.worst_run",
            "with alpha = .1 the worst RUCB run is far above the worst RCS run",
            Ratio(
                Measure("low-alpha", LOW_RUCB, at=4e5, statistic="max"),
                Measure("low-alpha", LOW_RCS, at=4e5, statistic="max"),
                low=5,
            ),
            "19,213 and 1,398",
            runs=300,
        ),
        Check(
            "fig4.linear",
            "the mean regret of RUCB with alpha = .1 keeps growing",
            Ratio(Measure("low-alpha", LOW_RUCB, at=4e5), Measure("low-alpha", LOW_RUCB, at=2e5), low=1.4),
            runs=300,
        ),
        Check(
            "fig4.flat",
            "the mean regret of RCS with alpha = .1 flattens",
            Ratio(Measure("low-alpha", LOW_RCS, at=4e5), Measure("low-alpha", LOW_RCS, at=2e5), high=1.3),
        ),
        Check(
            "fig4.twice",
            "with alpha = .1 RCS has almost twice its regret with alpha = .501",
            Ratio(Measure("low-alpha", LOW_RCS, at=2e5), Measure("low-alpha", RCS, at=2e5), 1.5, 2.6),
            "1.98",
        ),
        *(
            check
            for k, (ratio, excess) in {20: (9.4, 0.11), 30: (9, 0.097), 40: (4, 0.139)}.items()
            for check in (
                Check(
                    f"fig5.{k}.crossing",
                    f"K = {k}: RUCB is below RCS at first and above it at the end",
                    Between(Measure(f"crossing-{k}", "early", "value"), high=0),
                ),
                Check(
                    f"fig5.{k}.share",
                    f"K = {k}: where the curves cross, RUCB makes many times more suboptimal comparisons",
                    Between(Measure(f"crossing-{k}", "share ratio", "value"), low=2.5),
                    f"{ratio}",
                ),
                Check(
                    f"fig5.{k}.excess",
                    f"K = {k}: at twice that time RUCB's regret is 12 to 30 % higher",
                    Between(Measure(f"crossing-{k}", "excess", "value"), 0.05, 0.4),
                    f"{excess}",
                ),
            )
        ),
    ),
    figures=(
        Points(
            "figure2-accuracy",
            "Figure 2, top: accuracy against the horizon",
            "duels",
            "share of runs that recommend the winner",
            {name: {t: _accuracy(f"{name} at {t}") for t in HORIZONS} for name in ("RCS", "SAVAGE")},
            x="log",
        ),
        Points(
            "figure2-regret",
            "Figure 2, bottom: regret against the horizon",
            "duels",
            "cumulative regret",
            {
                "RCS": {t: Measure("ongoing-lex1", RCS, at=t) for t in HORIZONS},
                "SAVAGE": {t: Measure(f"savage-{t}", "savage") for t in HORIZONS},
            },
            x="log",
            y="log",
        ),
        *(
            Curves(f"figure3-{name}", f"Figure 3: ongoing regret ({name})", f"ongoing-{name}", x="linear")
            for name in BASES
        ),
        Curves("figure4", "Figure 4: alpha = .1", "low-alpha", x="linear"),
        *(Curves(f"figure5-{k}", f"Figure 5: {k} rankers", f"scale-{k}", x="linear") for k in SCALE),
    ),
    minutes={"quick": 1, "paper": 15},
)
