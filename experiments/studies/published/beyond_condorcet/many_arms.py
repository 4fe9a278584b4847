"""Five hundred arms, three Copeland winners (Zoghi 2017, Figure 7.7)."""

from typing import Any

import numpy as np

from rankduel.experiments.matrix.preferences import preferences_of
from rankduel.experiments.runs.play import play_runs
from rankduel.experiments.studies.published.beyond_condorcet.cycle import COPELAND
from rankduel.experiments.studies.study import (
    Check,
    Computed,
    Curves,
    Inputs,
    Measure,
    Ratio,
    Report,
    Runs,
    Size,
    full_name,
)

# SCB with the tests of a public program, whose limits are about half of those of the paper's analysis.
LOOSER_SCB = "scb(variant=wu-liu)"
MANY_ARMS = (*COPELAND, LOOSER_SCB)
# Winning probabilities of the better arm, as the source gives none, besides that of the built-in matrix.
BUILT_IN = 0.6
WIN_PROBABILITIES = (0.75, 0.9, 0.99)


def by_win_probability(inputs: Inputs) -> dict[str, Any]:
    """Return final regrets with other winning probabilities of the better arm."""
    assert inputs.preferences is not None
    found: dict[str, Any] = {}
    for probability in WIN_PROBABILITIES:
        prefs = np.where(inputs.preferences.matrix > 0.5, probability, 1.0 - probability)
        np.fill_diagonal(prefs, 0.5)
        table = play_runs(
            preferences_of(prefs), MANY_ARMS, inputs.size.horizon, inputs.size.runs, jobs=inputs.jobs
        )
        last = table[table["step"] == table["step"].max()]
        found |= {
            f"{policy} at {probability}": last.loc[last["policy"] == full_name(policy), "regret"].tolist()
            for policy in MANY_ARMS
        }
    return found


def _by_probability(policy: str, probability: float) -> Measure:
    return Measure("chances", f"{policy} at {probability}", "value")


def _looser_test(probability: float) -> Report:
    """Return the ratio of SCB with looser tests to CCB, without a verdict, as few runs are played."""
    if probability == BUILT_IN:
        return Report(_many(LOOSER_SCB, at=1e8), _many("ccb", at=1e8))
    return Report(*(_by_probability(policy, probability) for policy in (LOOSER_SCB, "ccb")))


def _many(policy: str, **more: Any) -> Measure:
    return Measure("copeland500", policy, **more)


PARTS = (
    Runs("copeland500", "copeland500", MANY_ARMS, {"quick": Size(1e8, 1), "paper": Size(1e8, 10)}),
    Computed(
        "chances", by_win_probability, "copeland500", sizes={"quick": Size(1e8, 1), "paper": Size(1e8, 4)}
    ),
)
CHECKS = (
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
            f"Figure 7.7: SCB with looser tests / CCB, if the better arm wins with probability {probability}",
            _looser_test(probability),
            "below 1 in the figure, whose preferences are not given",
        )
        for probability in (BUILT_IN, *WIN_PROBABILITIES)
    ),
)
FIGURE = Curves(
    "figure7.7",
    "Figure 7.7: 500 arms, three Copeland winners",
    "copeland500",
    published="SCB ends below CCB; both curves bend sharply once the first arm is compared with "
    "itself. The horizon and the winning probabilities are not stated.",
)
