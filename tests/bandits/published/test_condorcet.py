"""Test claims of the papers on the built-in matrices (slow)."""

import os

import numpy as np
import pytest
from joblib import Parallel, delayed

from rankduel.bandits import checked_prefs, gaps, play_matrix
from rankduel.bandits.regret import strong_regret
from rankduel.experiments.matrix.preferences import read_preferences
from rankduel.experiments.specs import parse_policy

pytestmark = pytest.mark.slow


def final_regret(spec, prefs, horizon, runs, seed=1):
    """Return the strong regret of each run at the horizon."""
    prefs, configured, steps = checked_prefs(prefs), parse_policy(spec), np.array([horizon])
    play_matrix(configured, prefs, 1, steps=np.array([1]))  # compiles before the threads start
    traces = Parallel(n_jobs=-1, prefer="threads")(
        delayed(play_matrix)(configured, prefs, horizon, run=run, seed=seed, steps=steps)
        for run in range(runs)
    )
    return np.array([strong_regret(trace, gaps(prefs))[-1] for trace in traces])


def clearly_below(one, other, standard_errors=3):
    """Return whether the mean of `one` is below that of `other` by a number of combined standard errors."""
    error = np.hypot(one.std() / len(one) ** 0.5, other.std() / len(other) ** 0.5)
    return other.mean() - one.mean() > standard_errors * error


def test_cycles_as_in_the_merge_dts_paper():
    """Li et al. 2020, 6.4 (10^7 duels): RMED1 below MergeDTS on Cycle, above it on Cycle2.

    That holds for their RMED1; for RMED1 as in its own paper the order is reversed. The closest two,
    1,085 and 1,223, are six standard errors apart after 240 runs.
    """
    for name, less in (("cycle", "rmed1(variant=chang-li)"), ("cycle2", "rmed1")):
        policies = ("rmed1(variant=chang-li)", "rmed1", "merge_dts")
        regret = {p: final_regret(p, read_preferences(name).matrix, 10**7, 240) for p in policies}
        print(name, {p: f"{r.mean():.0f} ± {r.std() / len(r) ** 0.5:.0f}" for p, r in regret.items()})
        (more,) = {"rmed1(variant=chang-li)", "rmed1"} - {less}
        assert clearly_below(regret[less], regret["merge_dts"])
        assert clearly_below(regret["merge_dts"], regret[more])


def test_self_sparring_is_misled_by_a_cycle():
    """Li et al. 2020, 6.4: an order of magnitude above MergeDTS and mergeRUCB (here after 10^6 duels)."""
    prefs = read_preferences("cycle").matrix
    regret = {
        p: final_regret(p, prefs, 10**6, 20).mean() for p in ("merge_rucb", "merge_dts", "self_sparring")
    }
    print(regret)
    assert regret["self_sparring"] > 4 * max(regret["merge_rucb"], regret["merge_dts"])


def test_komiyama_2015():
    """RMED1 at most half of RUCB except on Cyclic; there RMED2 wins by far."""
    for name in ("arithmetic", "arxiv6"):
        rmed1, rucb = (
            final_regret(p, read_preferences(name).matrix, 10**5, 100).mean() for p in ("rmed1", "rucb")
        )
        assert rmed1 < 0.6 * rucb
    rmed1, rmed2 = (
        final_regret(p, read_preferences("cyclic").matrix, 10**5, 100).mean() for p in ("rmed1", "rmed2")
    )
    assert rmed2 < 0.4 * rmed1


def test_rucb_has_less_than_half_of_savage():
    """Zoghi et al. 2014: and its worst run is below the best of SAVAGE (here on 16 arms in a total order)."""
    prefs = np.clip(0.5 + 0.03 * (np.arange(16)[None, :] - np.arange(16)[:, None]), 0, 1)
    rucb, savage = (final_regret(p, prefs, 10**6, 20) for p in ("rucb", "savage"))
    assert rucb.mean() < 0.5 * savage.mean() and rucb.max() < savage.min()


def linear(utilities):
    """Return preferences (1 + x - y) / 2 of utilities x and y, as in Ailon et al. 2014."""
    utilities = np.array(utilities)
    return 0.5 * (1 + utilities[:, None] - utilities[None, :])


@pytest.mark.parametrize(
    ("utilities", "expected"),
    [
        ((0.8, 0.2, 0.2, 0.2, 0.2, 0.2), {"sparring": 867, "multi_sbm": 1468, "interleaved_filter": 1900}),
        ((0.8, 0.7, 0.575, 0.45, 0.325, 0.2), {"sparring": 1361, "multi_sbm": 2398, "doubler": 3161}),
    ],
    ids=["1good", "arith"],
)
def test_ailon_2014(utilities, expected):
    """Utility regret (twice the strong one) at 32,000 duels, and Sparring best.

    Within 4 standard errors of the difference between our 400 runs and the 200 of the reference.
    """
    regret = {p: 2 * final_regret(p, linear(utilities), 32_000, 400) for p in expected}
    found = {p: values.mean() for p, values in regret.items()}
    print(found)
    for name, values in regret.items():
        assert abs(found[name] - expected[name]) < 4 * values.std() * (1 / 400 + 1 / 200) ** 0.5
    assert min(found, key=found.get) == "sparring"


def test_chen_frazier_2017():
    """Winner-Stays for strong regret below RUCB and RMED1 on the five-arm MSLR matrix."""
    regret = {
        p: final_regret(p, read_preferences("mslr5").matrix, 10**5, 100)
        for p in ("winner_stays(regret=strong)", "rmed1", "rucb")
    }
    for other in ("rmed1", "rucb"):
        assert clearly_below(regret["winner_stays(regret=strong)"], regret[other])


def test_mslr_if_a_matrix_is_given():
    """The 136-ranker matrix of MSLR, navigational user: RANKDUEL_PREFS=path; skipped without it.

    Mean regret at 10^8 within 4 standard errors of eight independent runs (MergeDTS, mergeRUCB) or 10 % of
    three (RMED1, RUCB); MergeDTS lowest.
    """
    if "RANKDUEL_PREFS" not in os.environ:
        return
    prefs = read_preferences(os.environ["RANKDUEL_PREFS"]).matrix
    expected = {"merge_dts": (14_902, 430), "merge_rucb": (21_701, 1_000)}
    for spec, (mean, error) in expected.items():
        ours = final_regret(spec, prefs, 10**8, 20)
        print(spec, ours.mean(), ours.std() / len(ours) ** 0.5)
        assert abs(ours.mean() - mean) < 4 * np.hypot(error, ours.std(ddof=1) / len(ours) ** 0.5)
    for spec, mean in {"rmed1": 46_283, "rucb": 232_512}.items():
        assert final_regret(spec, prefs, 10**8, 2).mean() == pytest.approx(mean, rel=0.1)


@pytest.mark.parametrize(("power", "published"), [(6, 0), (7, 1), (8, 4), (9, 10)])
def test_how_often_merge_dts_loses_the_winner(power, published):
    """Li et al. 2020, 6.7: number of 100 runs of 10^7 duels that remove the winner (with RANKDUEL_PREFS).

    Two binomial counts with one probability: within 3.5 standard errors of their difference, plus one.
    """
    if "RANKDUEL_PREFS" not in os.environ:
        return
    prefs = checked_prefs(read_preferences(os.environ["RANKDUEL_PREFS"]).matrix)
    configured, steps = parse_policy(f"merge_dts(alpha={0.8**power!r})"), np.array([10**7])
    play_matrix(configured, prefs, 1)
    traces = Parallel(n_jobs=-1, prefer="threads")(
        delayed(play_matrix)(configured, prefs, 10**7, run=run, steps=steps) for run in range(100)
    )
    winner = int(np.argmin(gaps(prefs)))
    lost = sum(trace.recommended[-1] != winner for trace in traces)
    print(f"alpha = 0.8^{power}: {lost} of 100, published {published}")
    assert abs(lost - published) <= 3.5 * np.sqrt(lost + published) + 1
