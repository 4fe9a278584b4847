"""Two Copeland winners among 32 rankers (Li et al. 2020, 6.5, Figure 4).

The paper plays the data set MSLR-non-Condorcet of Wu and Liu 2016 and does not list its rankers. The public
program of Wu and Liu (github.com/HuasenWu/DuelingBandits) selects every fourth of the 136 rankers, from 3 to
127, counted from 0. In the public informational matrix these have the published shape: two Copeland winners,
59 and 119, beat 30 rankers each; 59 beats 119, and loses to 127, which is no winner. That the paper played
these rankers is inferred from the shape; about 9 % of random subsets of 32 rankers have it, too.
"""

from typing import Any

import numpy as np

from rankduel.experiments.studies.data.subsets import draw_two_winners, min_winner_gap
from rankduel.experiments.studies.shared.policies import LI_2020_POLICIES, MERGE_DTS_CODE
from rankduel.experiments.studies.study import (
    Between,
    Check,
    Computed,
    Curves,
    Exact,
    Inputs,
    Measure,
    Order,
    Ratio,
    Report,
    Runs,
    Size,
)
from rankduel.experiments.winners.notions import copeland_scores

MERGE, OTHERS = LI_2020_POLICIES[:2], LI_2020_POLICIES[2:]
DTS = "dts(variant=published)"
MATRIX = "mslr-informational"
RANKERS = f"{MATRIX}(every=4,first=3,last=127)"
NOT_SHOWN = ("rucb", "ccb", "ecw_rmed")  # policies that are not in Figure 4
SUBSET, SEED = 32, 1


def shape(inputs: Inputs) -> dict[str, float]:
    """Return the number of Copeland winners, how many rankers they beat, and who beats whom.

    'winner' beats the other winner, 'other'; 'beats winner' is the only ranker that beats it.
    """
    assert inputs.preferences is not None
    prefs, names = inputs.preferences.matrix, inputs.preferences.names
    scores = copeland_scores(prefs)
    winners = np.flatnonzero(scores == scores.max())
    found = {"rankers": len(prefs), "winners": len(winners), "beaten": float(scores.max())}
    if len(winners) != 2 or scores.max() != len(prefs) - 2:
        return found
    winner, other = winners if prefs[winners[0], winners[1]] > 0.5 else winners[::-1]
    (beats,) = np.flatnonzero(prefs[:, winner] > 0.5)
    found |= {"winner": int(names[winner]), "other": int(names[other]), "beats winner": int(names[beats])}
    return found | {"least gap": min_winner_gap(np.array(prefs), np.arange(len(prefs)))}


def random_shapes(inputs: Inputs) -> dict[str, Any]:
    """Return the share of random subsets with two winners that beat all but one arm, and their least gaps."""
    assert inputs.preferences is not None
    gaps = draw_two_winners(inputs.preferences.matrix, SUBSET, SEED).gaps
    clear = gaps[gaps > 0]
    return {"share": (gaps > 0).mean(), "median gap": np.median(clear), "largest gap": clear.max()}


PARTS = (
    Computed("fig4-shape", shape, RANKERS),
    Computed("fig4-random", random_shapes, MATRIX),
    Runs(
        "fig4",
        RANKERS,
        (*MERGE, MERGE_DTS_CODE),
        {"quick": Size(1e6, 30), "paper": Size(1e7, 100)},
        "copeland",
    ),
    Runs("fig4-others", RANKERS, OTHERS, {"quick": Size(1e6, 5), "paper": Size(1e7, 100)}, "copeland"),
    # A matrix by formula of the same shape, with clear gaps.
    Runs("two-winners", "two-winners32", MERGE, {"quick": Size(1e7, 100)}),
    Runs("two-winners-others", "two-winners32", OTHERS, {"quick": Size(5e6, 2), "paper": Size(1e7, 20)}),
    Runs("two-winners-more", "two-winners32", NOT_SHOWN, {"quick": Size(1e6, 2), "paper": Size(1e6, 20)}),
)


def _part(policy: str) -> str:
    return "fig4-others" if policy in OTHERS else "fig4"


def _final(policy: str) -> Measure:
    """Return the mean final regret; of merging policies, over the runs that keep a winner.

    A run that eliminates both winners has linear regret, and dominates the mean and its error: such runs are
    counted apart (both_lost).
    """
    return Measure(_part(policy), policy, at=1e7, only="right" if policy in MERGE else "all")


def _name(policy: str) -> str:
    return policy.partition("(")[0]


_SHAPE_CHECKS = tuple(
    Check(
        f"fig4.shape.{label}",
        f"Figure 4: {claim}",
        Exact(Measure("fig4-shape", value, "value"), expected),
        "32 rankers of the public program of Wu and Liu, in the public matrix",
        real=True,
    )
    for label, claim, value, expected in (
        ("rankers", "the data set has 32 rankers", "rankers", 32),
        ("winners", "there are two Copeland winners", "winners", 2),
        ("beaten", "the winners beat 30 rankers each", "beaten", 30),
        ("cycle", "one winner beats the other, and loses to a suboptimal ranker (127)", "beats winner", 127),
    )
)
_ORDER_CHECKS = tuple(
    Check(
        f"fig4.order.{_name(policy)}",
        f"Figure 4: MergeDTS has the least regret after 10^7 duels, in runs with a winner: below {policy}",
        Order(_final("merge_dts"), _final(policy), z=3),
        real=True,
        runs=8,
    )
    for policy in (MERGE[1], *OTHERS)
)
_EARLY_CHECKS = tuple(
    Check(
        f"fig4.early.{_name(policy)}",
        f"Figure 4: {policy} / MergeDTS after 10^6 duels",
        Report(Measure(_part(policy), policy, at=1e6), Measure("fig4", "merge_dts", at=1e6)),
        real=True,
    )
    for policy in (MERGE[1], *OTHERS)
)
_LOST_CHECKS = (
    Check(
        "fig4.both_lost",
        "Figure 4: MergeDTS eliminates both winners in 1 of 100 runs",
        Between(Measure("fig4", "merge_dts", "wrong", at=1e7, statistic="count"), 0, 5),
        "1 of 100 published",
        real=True,
        runs=100,
    ),
    Check(
        "fig4.one_lost",
        "Figure 4: in the other 99 runs MergeDTS eliminates one of the two winners: one ranker is left",
        Between(Measure("fig4", "merge_dts", "survivors", at=1e7), high=1.01),
        real=True,
        runs=100,
    ),
    *(
        Check(
            f"fig4.both_lost_{label}",
            f"Figure 4: share of runs in which {policy} eliminates both winners",
            Report(Measure("fig4", policy, "wrong")),
            real=True,
        )
        for label, policy in (("merge_rucb", "merge_rucb"), ("code", MERGE_DTS_CODE))
    ),
    Check(
        "fig4.all_runs",
        "Figure 4: mergeRUCB / MergeDTS after 10^7 duels, with the runs that eliminate both winners",
        Report(Measure("fig4", "merge_rucb", at=1e7), Measure("fig4", "merge_dts", at=1e7)),
        real=True,
    ),
    Check(
        "fig4.code",
        "Figure 4: MergeDTS by the authors' public code / by the paper",
        Report(Measure("fig4", MERGE_DTS_CODE), Measure("fig4", "merge_dts")),
        real=True,
    ),
)
_RANDOM_CHECKS = tuple(
    Check(
        f"fig4.random.{label}",
        f"Figure 4: {SUBSET} random rankers of {MATRIX}: {about}",
        Report(Measure("fig4-random", value, "value")),
        f"{known} by an independent program, of other draws",
    )
    for label, about, value, known in (
        ("share", "share of subsets with two such winners", "share", ".094"),
        ("median_gap", "least gap of the winners, median", "median gap", ".00075"),
        ("largest_gap", "least gap of the winners, largest", "largest gap", ".0070"),
    )
)
_FORMULA_CHECKS = (
    *(
        Check(
            f"fig4.formula.{policy}_keeps_one",
            f"32 arms by formula: {policy} eliminates at least one of the two winners: one arm is left",
            Between(Measure("two-winners", policy, "survivors", at=1e7, statistic="max"), high=1),
            "100 of 100 runs",
        )
        for policy in MERGE
    ),
    *(
        Check(
            f"fig4.formula.{policy}_gives_up_both",
            f"32 arms by formula: share of runs in which {policy} eliminates both winners",
            Report(Measure("two-winners", policy, "wrong", at=1e7)),
            f"{known} by an independent program",
        )
        for policy, known in (("merge_dts", ".13"), ("merge_rucb", ".04"))
    ),
    Check(
        "fig4.formula.dts_flattens",
        "32 arms by formula: the curve of DTS, a policy for Copeland winners, flattens: after 5e6 duels less "
        "than 1.5 times the regret after 10^6",
        Ratio(
            Measure("two-winners-others", DTS, at=5e6), Measure("two-winners-others", DTS, at=1e6), high=1.5
        ),
    ),
    *(
        Check(
            f"fig4.formula.{_name(policy)}",
            f"32 arms by formula: {policy} / MergeDTS",
            Report(Measure(part, policy, at=1e6), Measure("two-winners", "merge_dts", at=1e6)),
        )
        for part, policies in (("two-winners-others", OTHERS), ("two-winners-more", NOT_SHOWN))
        for policy in policies
    ),
    Check(
        "fig4.formula.merge_rucb",
        "32 arms by formula: mergeRUCB / MergeDTS in runs that keep a winner",
        Report(
            Measure("two-winners", "merge_rucb", at=1e7, only="right"),
            Measure("two-winners", "merge_dts", at=1e7, only="right"),
        ),
    ),
)
CHECKS = (
    *_SHAPE_CHECKS,
    *_ORDER_CHECKS,
    *_EARLY_CHECKS,
    *_LOST_CHECKS,
    *_RANDOM_CHECKS,
    *_FORMULA_CHECKS,
)
FIGURES = (
    Curves(
        "figure4",
        "Figure 4: 32 rankers, two Copeland winners",
        "fig4",
        y="log",
        beside=("fig4-others",),
        published="means of 100 runs to 10^7 duels; MergeDTS has the lowest regret.",
    ),
    Curves(
        "figure4-formula",
        "32 arms by formula, two Copeland winners",
        "two-winners",
        y="log",
        beside=("two-winners-others", "two-winners-more"),
    ),
)
