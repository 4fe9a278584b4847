"""Test the regret of the batched policies after 10^5 duels, and the claims of the two papers (slow).

`PYTHONPATH=tests python tests/bandits/published/test_batched.py` prints the tables. Agarwal, Ghuge and
Nagarajan published curves only (ICML 2022, Figure 1, ten runs; NeurIPS 2022, twenty runs); their ends can be
read off to about 5 %. Independently computed means have standard errors.
"""

import sys

import numpy as np
import pytest
from joblib import Parallel, delayed

from rankduel.bandits import POLICIES, checked_prefs, gaps, play_matrix
from rankduel.bandits.regret import strong_regret
from rankduel.experiments.matrix.builtin import MATRICES

pytestmark = pytest.mark.slow

HORIZON, RUNS = 100_000, 400
BTM = "beat_the_mean(gamma=1.3,f=1,opponent=exclude_self)"

# Komiyama, Honda, Nakagawa 2016 (ICML), Table 3a: sixteen kinds of sushi; above the diagonal, row by row.
SUSHI = """
.512 .622 .655 .698 .726 .711 .708 .749 .800 .741 .783 .847 .817 .854 .868
.602 .683 .652 .776 .663 .683 .738 .709 .786 .802 .830 .850 .871 .873
.528 .554 .533 .534 .591 .573 .593 .661 .705 .734 .672 .787 .822
.553 .619 .566 .641 .675 .687 .665 .696 .803 .823 .796 .844
.513 .524 .518 .608 .538 .643 .610 .695 .672 .681 .775
.513 .559 .575 .621 .591 .701 .702 .787 .829 .811
.559 .553 .613 .564 .607 .703 .735 .736 .801
.556 .527 .562 .580 .668 .805 .777 .767
.512 .548 .542 .612 .786 .710 .685
.543 .579 .613 .718 .685 .747
.564 .625 .618 .702 .684
.542 .644 .700 .733
.577 .607 .596
.578 .637
.586
"""

# Policy, mean and standard error on the six rankers and on sushi by an independent program, 100 runs.
COMPUTED = """
c2b(batches=11)               838   15   1587  17
c2b(variant=published)        687   15   1427  17
c2b(variant=published-6)      604   11   1278  14
c2b(variant=theory)           1630  26   4457  36
c2b(variant=theory,extra=6)   1450  22   4134  25
pcomp(variant=published)      2614  76   6267  92
pcomp(variant=theory)         3343  96   8897  111
scomp(variant=published)      2580  125  4984  193
scomp2(variant=published)     2163  87   3319  106
"""

# ICML 2022, Figure 1: six rankers, sushi, and two random matrices of 100 arms.
READ_OFF = {
    "pcomp": (2700, 8750, 17_900, 25_700),
    "scomp": (2500, 4650, 17_200, 24_900),
    "scomp2": (340, 2200, 4400, 4300),
}


def sushi():
    upper = np.zeros((16, 16))
    upper[np.triu_indices(16, 1)] = [float(entry) for entry in SUSHI.split()]
    return upper + np.tril(1 - upper.T, -1) + np.eye(16) / 2


def bradley_terry(run):
    """Return preferences of 100 arms with strengths uniform on (0, 1], drawn for each run."""
    strength = 1 - np.random.default_rng(run).random(100)
    return strength[:, None] / (strength[:, None] + strength)


def one_winner(run):
    """Return preferences of 100 arms: one beats each other by a margin uniform on (0, 1/2), others tie."""
    prefs, margin = np.full((100, 100), 0.5), np.random.default_rng(run).uniform(0, 0.5, 99)
    prefs[0, 1:], prefs[1:, 0] = 0.5 + margin, 0.5 - margin
    return prefs


PREFS = {
    "six rankers": lambda run: MATRICES["arxiv6"].make(),
    "sushi": lambda run: sushi(),
    "SYN-BTL": bradley_terry,
    "SYN-CD": one_winner,
}


def final_regret(spec, name, runs=RUNS):
    """Return the strong regret of each run at the horizon."""
    policy, steps = POLICIES.parsed(spec), np.array([HORIZON])

    def one(run):
        prefs = checked_prefs(PREFS[name](run))
        trace = play_matrix(policy, prefs, HORIZON, run=run, steps=steps, seed=3)
        return strong_regret(trace, gaps(prefs))[-1]

    one(0)  # compiles before the threads start
    return np.array(Parallel(n_jobs=-1, prefer="threads")(delayed(one)(run) for run in range(runs)))


def mean_and_error(values):
    return values.mean(), values.std(ddof=1) / len(values) ** 0.5


def clearly_below(one, other, standard_errors=4):
    (mean, error), (other_mean, other_error) = mean_and_error(one), mean_and_error(other)
    return other_mean - mean > standard_errors * np.hypot(error, other_error)


def computed():
    """Yield (policy, matrix, mean, standard error) of each row of the tables."""
    rows = [line.split() for line in COMPUTED.strip().splitlines()]
    return [
        (row[0], name, float(row[place]), float(row[place + 1]))
        for row in rows
        for place, name in ((1, "six rankers"), (3, "sushi"))
    ]


@pytest.mark.parametrize(("spec", "name", "mean", "error"), computed())
def test_regret_is_that_of_an_independent_program(spec, name, mean, error):
    """Within 4 combined standard errors."""
    ours, our_error = mean_and_error(final_regret(spec, name))
    print(f"{spec} on {name}: {mean:.0f} ± {error:.0f}, ours {ours:.0f} ± {our_error:.0f}")
    assert abs(ours - mean) < 4 * np.hypot(error, our_error)


@pytest.mark.parametrize("policy", ["pcomp", "scomp"])
def test_figure_1_of_the_icml_paper(policy):
    """The tolerance is 35 % of the value in the figure: the threshold of the experiments is misprinted."""
    for name, published in zip(PREFS, READ_OFF[policy]):
        ours, error = mean_and_error(final_regret(policy, name, runs=40 if name.startswith("SYN") else RUNS))
        print(f"{policy} on {name}: {published}, ours {ours:.0f} ± {error:.0f}")
        assert abs(ours - published) < 0.35 * published + 4 * error


def test_scomp2_is_lowest_of_its_paper_but_not_as_low_as_published():
    """Of Figure 1 the order remains on three of four matrices; on SYN-CD all three are like random play.

    The algorithm as printed does not reach the 340 on six rankers, nor the 4,400 and 4,300 on the synthetic
    matrices: ours are 6, 3 and 6 times as large. The authors' program must eliminate arms, or change to
    PCOMP, sooner.
    """
    for name, published in list(zip(PREFS, READ_OFF["scomp2"]))[:3]:
        runs = 40 if name == "SYN-BTL" else RUNS
        regret = {policy: final_regret(policy, name, runs) for policy in READ_OFF}
        print(name, {spec: mean_and_error(values) for spec, values in regret.items()})
        assert clearly_below(regret["scomp2"], regret["scomp"])
        assert clearly_below(regret["scomp2"], regret["pcomp"])
        assert regret["scomp2"].mean() > published


@pytest.mark.parametrize("name", ["six rankers", "sushi"])
def test_c2b_with_log_t_batches(name):
    """NeurIPS 2022, B = 16: below BTM and SCOMP2, comparable to RUCB (here: 0.7 to 1.5 times)."""
    regret = {p: final_regret(p, name, 100) for p in ("c2b", "scomp2", "rucb", BTM)}
    print(name, {spec: mean_and_error(values) for spec, values in regret.items()})
    assert clearly_below(regret["c2b"], regret[BTM])
    assert clearly_below(regret["c2b"], regret["scomp2"])
    assert 0.7 < regret["c2b"].mean() / regret["rucb"].mean() < 1.5


@pytest.mark.parametrize("name", ["six rankers", "sushi"])
def test_c2b_with_six_batches_more(name):
    """NeurIPS 2022, B = 22: "below RUCB everywhere", comparable to RMED. Six more batches do lower regret.

    But the regret of the algorithm as printed is a tenth above that of RUCB on both. The radius c causes it:
    without it (c_scale=0) the regret is two thirds of that of RUCB, and 1.5 times that of RMED1.
    """
    specs = ("c2b", "c2b(extra=6)", "c2b(extra=6,c_scale=0)", "rucb", "rmed1")
    regret = {spec: final_regret(spec, name, 1000 if "c2b" in spec else 200) for spec in specs}
    print(name, {spec: mean_and_error(values) for spec, values in regret.items()})
    assert clearly_below(regret["c2b(extra=6)"], regret["c2b"])
    assert 0.95 < regret["c2b(extra=6)"].mean() / regret["rucb"].mean() < 1.2
    assert clearly_below(regret["c2b(extra=6,c_scale=0)"], regret["rucb"])
    assert 1.2 < regret["c2b(extra=6,c_scale=0)"].mean() / regret["rmed1"].mean() < 2


def main():
    print(f"{'independent program':32}{'':14}{'theirs':>14}{'ours':>18}")
    for spec, name, mean, error in computed():
        ours, our_error = mean_and_error(final_regret(spec, name))
        apart = (ours - mean) / np.hypot(error, our_error)
        print(f"{spec:32}{name:14}{mean:8.0f} ± {error:3.0f}{ours:12.0f} ± {our_error:3.0f} {apart:+5.1f}")
    print(f"\n{'curves':54}" + "".join(f"{name:>18}" for name in PREFS))
    others = {
        "c2b": (),
        "c2b(extra=6)": (),
        "c2b(extra=6,c_scale=0)": (),
        "rucb": (620, 1040),
        "rmed1": (250, 270),
        BTM: (4700, 9000),
    }
    for spec, published in (READ_OFF | others).items():
        cells = []
        for place, name in enumerate(PREFS if POLICIES.parsed(spec).thing.plan else list(PREFS)[:2]):
            ours, error = mean_and_error(final_regret(spec, name, 40))
            theirs = published[place] if published else ""
            cells.append(f"{theirs:>7}{ours:6.0f} ±{error:3.0f}")
        print(f"{spec:54}" + "".join(f"{cell:>18}" for cell in cells), flush=True)


if __name__ == "__main__":
    sys.exit(main())
