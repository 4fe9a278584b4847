"""Test claims of three figures on Copeland bandits (Zoghi 2017, section 7.5; Zoghi et al. 2015).

The thesis gives neither the horizon nor the runs nor alpha; these have alpha = 0.51.
"""

import numpy as np
import pytest
from joblib import Parallel, delayed

from rankduel.bandits import play_matrix
from rankduel.bandits.regret import losses_by, strong_regret
from rankduel.experiments.matrix.builtin import MATRICES
from rankduel.experiments.specs import parse_policy

pytestmark = [pytest.mark.kernel, pytest.mark.slow]


def regrets(spec, name, notion, steps, runs, seed=0):
    """Return the regret, (runs, steps)."""
    prefs = MATRICES[name].make()
    loss, steps, configured = losses_by(notion, prefs), np.array(steps), parse_policy(spec)

    def one(run):
        trace = play_matrix(configured, prefs, steps[-1], seed=seed, run=run, loss=loss, steps=steps)
        return strong_regret(trace, loss)

    return np.array(Parallel(n_jobs=2, prefer="threads")(delayed(one)(run) for run in range(runs)))


class TestFiveArmsWithoutACondorcetWinner:
    """Figure 7.6: CCB is lowest, RUCB is linear."""

    STEPS = (10**5, 10**6, 10**7)

    def test_rucb_is_linear(self):
        """Every arm is beaten, so the champion is any of five; the loss is 1/8 of the wins in each step."""
        regret = regrets("rucb", "mslr5-cycle", "copeland", self.STEPS, 4).mean(axis=0)
        assert 0.95 < np.log10(regret[2] / regret[1]) < 1.05
        assert regret[2] == pytest.approx(0.125 * 10**7, rel=0.05)

    def test_ccb_is_not_and_ends_far_below(self):
        ccb, rucb = (regrets(spec, "mslr5-cycle", "copeland", self.STEPS, 4) for spec in ("ccb", "rucb"))
        assert ccb[:, 2].mean() < 0.25 * rucb[:, 2].mean()
        assert np.log10(ccb[:, 2].mean() / ccb[:, 1].mean()) < 0.4

    @pytest.mark.parametrize("spec", ["copeland_savage", "pbr", "rankel", "scb"])
    def test_others_lose_more(self, spec):
        """At 10^6 duels, with that horizon for the policies that need one; 16 runs, 4 standard errors."""
        others, ccb = (regrets(one, "mslr5-cycle", "copeland", [10**6], 16)[:, 0] for one in (spec, "ccb"))
        error = np.hypot(others.std(ddof=1), ccb.std(ddof=1)) / 4
        assert others.mean() - ccb.mean() > 4 * error


class TestFiveHundredArms:
    """Figure 7.7. The preferences are not published; they are 0.6 here.

    For CCB the sharp bend is asserted. With these preferences SCB still explores after 10^8 duels, so the
    order of the two in the figure is not seen.
    """

    def test_regret_bends_sharply_when_winners_begin_to_duel_themselves(self):
        steps = [10**6, 10**7, 2 * 10**7, 10**8]
        at = regrets("ccb", "copeland500", "copeland", steps, 1)[0]
        per_step = np.diff(at) / np.diff(steps)
        assert per_step[-1] < per_step[0] / 10

    def test_scb_explores_all_the_time_with_these_chances(self):
        at = regrets("scb", "copeland500", "copeland", [10**7, 10**8], 1)[0]
        assert at[1] / at[0] > 5


def test_with_a_condorcet_winner_ccb_is_slightly_below_rucb():
    """Figure 7.8: 600 runs of 10^6 duels, 3 standard errors, and the ratio from 0.75 to 1."""
    ccb, rucb = (regrets(spec, "mslr5", "condorcet", [10**6], 600)[:, 0] for spec in ("ccb", "rucb"))
    error = np.hypot(ccb.std(ddof=1), rucb.std(ddof=1)) / 600**0.5
    assert rucb.mean() - ccb.mean() > 3 * error
    assert 0.75 < ccb.mean() / rucb.mean() < 1
