"""Matrices without a Condorcet winner (Zoghi 2017, Figures 7.6 to 7.8; Li et al. 2020, Figure 4)."""

from typing import Any

import numpy as np

from experiments.matrix.preferences import preferences_of
from experiments.runs.run import run
from experiments.studies.bounds import ALPHA, bound_part
from experiments.studies.papers import LI_2020, NONE, ZOGHI_2017
from experiments.studies.published import two_winners
from experiments.studies.study import (
    Between,
    Check,
    Computed,
    Curves,
    Finding,
    Inputs,
    Measure,
    Order,
    Points,
    Ratio,
    Report,
    Runs,
    Size,
    Study,
    Use,
    full_name,
)

# These policies stop exploring, with error probability 1/T, so every horizon T needs its own runs.
RACES = ("copeland_savage", "pbr", "rankel")
HORIZONS = (100_000, 1_000_000, 10_000_000, 20_000_000)
COPELAND = ("ccb", "scb")
# SCB with the tests of a public program, whose limits are about half of those of the paper's analysis.
LOOSER_SCB = "scb(variant=wu-liu)"
MANY_ARMS = (*COPELAND, LOOSER_SCB)
WITH_BOUNDS = {
    "rucb": f"rucb(alpha={ALPHA})",
    "merge_rucb": "merge_rucb(variant=paper)",
    "merge_dts": "merge_dts(variant=paper)",
    "ccb": f"ccb(alpha={ALPHA})",
}
THEOREMS = {
    "rucb by Theorem 4.4": "rucb",
    "rucb by Theorem 4.5": "rucb",
    "merge_rucb by Theorem 6.1": "merge_rucb",
    "merge_dts by Theorem 4.1": "merge_dts",
    "ccb by Theorem 7.1": "ccb",
}
LATER = ("dts", "ecw_rmed")  # policies for Copeland winners that are not in the thesis
# Winning probabilities of the better arm, as the source gives none, besides that of the built-in matrix.
BUILT_IN = 0.6
WIN_PROBABILITIES = (0.75, 0.9, 0.99)
# Asymptotically each of the five arms is clearly beaten, so RUCB draws its first arm uniformly, and its
# second arm is a winner that beats the first. Three arms have no Copeland loss, the others 1/2 and 3/4.
LOST_BY_RUCB = (1 / 2 + 3 / 4) / 5 / 2


def by_win_probability(inputs: Inputs) -> dict[str, Any]:
    """Return final regrets with other winning probabilities of the better arm."""
    assert inputs.preferences is not None
    found: dict[str, Any] = {}
    for probability in WIN_PROBABILITIES:
        prefs = np.where(inputs.preferences.matrix > 0.5, probability, 1.0 - probability)
        np.fill_diagonal(prefs, 0.5)
        table = run(preferences_of(prefs), MANY_ARMS, inputs.size.horizon, inputs.size.runs, jobs=inputs.jobs)
        last = table[table["step"] == table["step"].max()]
        found |= {
            f"{policy} at {probability}": last.loc[last["policy"] == full_name(policy), "regret"].tolist()
            for policy in MANY_ARMS
        }
    return found


def _races(horizon: int) -> str:
    return f"races-{horizon}"


def _short(horizon: int) -> str:
    """Return a horizon as text, such as '1e6'."""
    return f"{horizon:.0e}".replace("+0", "")


def _by_probability(policy: str, probability: float) -> Measure:
    return Measure("chances", f"{policy} at {probability}", "value")


def _looser_test(probability: float) -> Report:
    """Return the ratio of SCB with looser tests to CCB, without a verdict, as few runs are played."""
    if probability == BUILT_IN:
        return Report(_many(LOOSER_SCB, at=1e8), _many("ccb", at=1e8))
    return Report(*(_by_probability(policy, probability) for policy in (LOOSER_SCB, "ccb")))


def _many(policy: str, **more: Any) -> Measure:
    return Measure("copeland500", policy, **more)


STUDY = Study(
    id="beyond-condorcet",
    title="Without a Condorcet winner",
    source="Zoghi 2017 (thesis), 7.5, Figures 7.6, 7.7 and 7.8; Li et al. 2020 (TOIS), 6.5, Figure 4",
    papers={
        "": ZOGHI_2017,
        "fig4.": LI_2020,
        **dict.fromkeys(
            ("fig4.both_lost_", "fig4.code", "fig4.random.", "fig4.formula.", "fig7.7.looser_"), NONE
        ),
    },
    findings=(
        Finding(
            "**Without a Condorcet winner RUCB never stops paying.** On five MSLR rankers in a cycle its "
            "regret is linear ({linear.value:.1f} times as much after ten times the duels); CCB has "
            "{ccb.value:.0%} of it after 10^7 duels.",
            {"linear": Use("fig7.6.rucb_linear"), "ccb": Use("fig7.6.ccb_below_rucb")},
        ),
    ),
    question="Which policies find a Copeland winner if no arm beats all others, and at what cost if one "
    "does?",
    data="built in; public MSLR matrix, Informational. For the 32 rankers of Figure 4, which are not listed, "
    "those that the public program of Wu and Liu 2016 selects",
    parts=(
        Runs(
            "cycle5",
            "mslr5-cycle",
            (*COPELAND, "rucb"),
            {"quick": Size(1e7, 4), "paper": Size(2e7, 20)},
        ),
        Runs("cycle5-later", "mslr5-cycle", LATER, {"quick": Size(1e6, 2), "paper": Size(1e7, 10)}),
        *(
            Runs(
                _races(horizon),
                "mslr5-cycle",
                RACES,
                {"quick": Size(horizon, 16 if horizon <= 10**6 else 8), "paper": Size(horizon, 40)},
            )
            for horizon in HORIZONS
        ),
        Runs("cycle5-short", "mslr5-cycle", COPELAND, {"quick": Size(1e6, 16), "paper": Size(1e6, 40)}),
        Runs("copeland500", "copeland500", MANY_ARMS, {"quick": Size(1e8, 1), "paper": Size(1e8, 10)}),
        Computed(
            "chances", by_win_probability, "copeland500", sizes={"quick": Size(1e8, 1), "paper": Size(1e8, 4)}
        ),
        Runs(
            "condorcet5",
            "mslr5",
            ("ccb", "rucb"),
            {"quick": Size(1e6, 1200)},
        ),
        Runs("condorcet5-later", "mslr5", LATER, {"quick": Size(1e6, 20)}),
        Runs("theory5", "mslr5", tuple(WITH_BOUNDS.values()), {"quick": Size(1e6, 20)}),
        bound_part("theory5-bounds", "mslr5", tuple(WITH_BOUNDS), {"quick": 1e6}),
        *two_winners.PARTS,
    ),
    checks=(
        Check(
            "fig7.6.rucb_linear",
            "Figure 7.6: the regret of RUCB is linear: ten times the regret after ten times the duels",
            Ratio(Measure("cycle5", "rucb", at=1e7), Measure("cycle5", "rucb", at=1e6), 10**0.95, 10**1.05),
            "10",
        ),
        Check(
            "fig7.6.rucb_eighth",
            "Figure 7.6: RUCB has a regret of 1/8 per duel on these five arms, within 5 %",
            Between(Measure("cycle5", "rucb", at=1e7), 0.95 * LOST_BY_RUCB * 1e7, 1.05 * LOST_BY_RUCB * 1e7),
            "1.254e6 ± .001e6",
        ),
        Check(
            "fig7.6.ccb_below_rucb",
            "Figure 7.6: CCB is far below RUCB at the end",
            Ratio(Measure("cycle5", "ccb", at=1e7), Measure("cycle5", "rucb", at=1e7), high=0.25),
            "1.24e5 ± .12e5 and 1.254e6",
        ),
        Check(
            "fig7.6.ccb_flattens",
            "Figure 7.6: the curve of CCB flattens: less than 10^0.4 times the regret after ten times the "
            "duels",
            Ratio(Measure("cycle5", "ccb", at=1e7), Measure("cycle5", "ccb", at=1e6), high=10**0.4),
        ),
        *(
            Check(
                f"fig7.6.ccb_below_{policy}_{_short(horizon)}",
                f"Figure 7.6: CCB is below {policy} after {horizon:,} duels",
                Order(Measure("cycle5-short" if horizon == 10**6 else "cycle5", "ccb", at=horizon), other),
            )
            for horizon in (10**6, 10**7)
            for policy, other in (
                *((race, Measure(_races(horizon), race)) for race in RACES),
                ("scb", Measure("cycle5-short" if horizon == 10**6 else "cycle5", "scb", at=horizon)),
            )
        ),
        Check(
            "fig7.6.not_monotone",
            "Figure 7.6: SAVAGE has less regret with a horizon of 2e7 than with one of 10^7",
            Report(
                Measure(_races(20_000_000), "copeland_savage"), Measure(_races(10_000_000), "copeland_savage")
            ),
            "below 1 in the figure, whose number of runs is not given",
        ),
        *(
            Check(
                f"fig7.6.{policy}_{_short(horizon)}",
                f"five arms without a Condorcet winner: {policy} (not in the figure) / CCB",
                Report(Measure("cycle5-later", policy, at=horizon), Measure("cycle5", "ccb", at=horizon)),
                known,
            )
            for policy, horizon, known in (
                ("dts", 10**6, ""),
                ("dts", 10**7, "4.3e4 and 1.24e5"),
                ("ecw_rmed", 10**6, ""),
                ("ecw_rmed", 10**7, ""),
            )
        ),
        Check(
            "fig7.7.knee",
            "Figure 7.7: a sharp bend when winners begin to be played against themselves: the regret of "
            "CCB per duel from 2e7 to 10^8 is less than a tenth of that from 10^6 to 10^7",
            Ratio(_many("ccb", at=1e8, since=2e7), _many("ccb", at=1e7, since=1e6), high=0.1 * 8e7 / 9e6),
        ),
        Check(
            "fig7.7.order",
            "Figure 7.7: with 500 arms SCB is below CCB at the end",
            Ratio(_many("scb", at=1e8), _many("ccb", at=1e8), high=1),
            "4.9e7 and 7.9e6",
            explanation="By runs, the order depends on the constants of SCB's tests, and on the "
            "preferences; the source gives neither. With the limits of the paper's analysis SCB has 1.8 to 8 "
            "times the regret of CCB for winning probabilities of 0.99 to 0.6. With those of the public "
            "program of Wu and Liu (variant wu-liu: 0.51 times as large, without delta, pairs by KL "
            "divergence) the ratio is 2.3 for 0.6, 1.8 for 0.75, 0.94 for 0.9 and 0.47 for 0.99. For 0.9, "
            "SCB has 4.8e6 with the limits of the analysis, 4.1e6 with KL divergence, 1.7e6 with the factor "
            "0.51, and 1.3e6 with all changes; CCB has 1.4e6. One run each; the tests and preferences of the "
            "source are not known.",
        ),
        Check(
            "fig7.7.scb_explores",
            "with winning probability 0.6 SCB still explores: at least five times the regret after ten times "
            "the duels",
            Ratio(_many("scb", at=1e8), _many("scb", at=1e7), low=5),
            "not in the source",
        ),
        *(
            Check(
                f"fig7.7.order_{probability}",
                f"Figure 7.7: SCB / CCB, if the better arm wins with probability {probability}",
                Report(*(_by_probability(policy, probability) for policy in ("scb", "ccb"))),
                "below 1 in the figure, whose preferences are not given",
            )
            for probability in WIN_PROBABILITIES
        ),
        *(
            Check(
                f"fig7.7.looser_{probability}",
                f"Figure 7.7: SCB with looser tests / CCB, if the better arm wins with probability "
                f"{probability}",
                _looser_test(probability),
                "below 1 in the figure, whose preferences are not given",
            )
            for probability in (BUILT_IN, *WIN_PROBABILITIES)
        ),
        *(
            Check(
                f"bounds.{policy}_{theorem.rpartition(' ')[2]}",
                f"{theorem.partition(' by ')[2]}: five arms with a Condorcet winner, alpha = {ALPHA}: the "
                f"regret of {policy} is below its bound",
                Ratio(
                    Measure("theory5", WITH_BOUNDS[policy], at=1e6, statistic="max"),
                    Measure("theory5-bounds", f"{theorem} @1000000", "value"),
                    high=1,
                ),
            )
            for theorem, policy in THEOREMS.items()
        ),
        Check(
            "fig7.8.order",
            "Figure 7.8: with a Condorcet winner, CCB is below RUCB",
            Order(Measure("condorcet5", "ccb", at=1e6), Measure("condorcet5", "rucb", at=1e6), z=3),
            "215 ± 8 and 246 ± 12",
            runs=1200,
        ),
        Check(
            "fig7.8.slightly",
            "Figure 7.8: CCB is only slightly below RUCB",
            Ratio(Measure("condorcet5", "ccb", at=1e6), Measure("condorcet5", "rucb", at=1e6), 0.75, 1),
            ".87",
        ),
        *(
            Check(
                f"fig7.8.{policy}",
                f"with a Condorcet winner: {policy} (not in the figure) / CCB",
                Report(Measure("condorcet5-later", policy), Measure("condorcet5", "ccb")),
            )
            for policy in LATER
        ),
        *two_winners.CHECKS,
    ),
    figures=(
        Curves(
            "figure7.6-curves",
            "Figure 7.6: five arms without a Condorcet winner",
            "cycle5",
            beside=("cycle5-later",),
            published="logarithmic time, linear regret, beyond 2e7 duels; CCB is lowest, RUCB is cut off "
            "because it grows linearly.",
        ),
        Points(
            "figure7.6",
            "Figure 7.6: regret against the horizon",
            "duels",
            "cumulative regret",
            {
                **{race: {t: Measure(_races(t), race) for t in HORIZONS} for race in RACES},
                **{
                    policy: {t: Measure("cycle5", policy, at=t) for t in HORIZONS}
                    for policy in ("ccb", "scb", "rucb")
                },
            },
            x="log",
            published="SAVAGE, PBR and RankEl have runs of their own for each horizon, so their curves "
            "need not grow: SAVAGE is lower at 2e7 than at 10^7.",
        ),
        Curves(
            "figure7.7",
            "Figure 7.7: 500 arms, three Copeland winners",
            "copeland500",
            published="SCB ends below CCB; both curves bend sharply once the first arm is compared with "
            "itself. The horizon and the winning probabilities are not stated.",
        ),
        Curves(
            "figure7.8",
            "Figure 7.8: five arms with a Condorcet winner",
            "condorcet5",
            beside=("condorcet5-later",),
            published="CCB and RUCB only; CCB has a slight advantage.",
        ),
        Curves(
            "bounds",
            "Regret on five arms with a Condorcet winner, and bounds of the theory",
            "theory5",
            y="log",
            bounds="theory5-bounds",
        ),
        *two_winners.FIGURES,
    ),
    minutes={"quick": 4, "paper": 46},
)
