"""Regret after 10^5 duels on four small matrices: results of independent programs, and of this package.

`PYTHONPATH=tests python -m support.anchors` prints the table; tests/bandits/published/test_anchors.py tests
every number to four combined standard errors. Policies that need a horizon get this one; arms are
relabelled at random.
"""

import sys

import numpy as np
from joblib import Parallel, delayed

from rankduel.bandits import checked_prefs, gaps, play_matrix
from rankduel.bandits.regret import strong_regret, weak_regret
from rankduel.experiments.matrix.builtin import MATRICES
from rankduel.experiments.specs import parse_policy

HORIZON, RUNS = 100_000, 200
NAMES = ("cyclic", "arithmetic", "arxiv6", "mslr5")

# Policy, then mean and standard error over 200 runs for each matrix. 'weak' is weak regret.
TABLE = """
random_pair                               7499.1 .7 | 17500.8 1.9 | 6000.7 .7 | 13404.1 1.8
interleaved_filter(version=1)             533 15    | 3154 62     | 4232 72   | 1792 24
interleaved_filter                        513 16    | 2983 56     | 4104 74   | 1767 24
beat_the_mean                             7499.9 .5 | 17392 5     | 5999.9 .4 | 13304 6
beat_the_mean(variant=komiyama)           1836 15   | 3565 18     | 4573 17   | 1972 11
savage                                    93.8 1.2  | 1208 8      | 1616 13   | 516 5
doubler                                   4346 194  | 3846 8      | 3048 9    | 2393 7
multi_sbm                                 9867 2    | 2478 11     | 2726 11   | 1286 8
sparring                                  750 11    | 1299 6      | 1462 7    | 845 4
sparring(variant=ucb1)                    668 23    | 1074 6      | 1265 8    | 719 5
sparring(inner=thompson)                  110 2     | 204 3       | 254 4     | 145 4
sparring(inner=exp3,schedule=fixed)       1066 6    | 1910 8      | 1491 10   | 1296 7
rucb                                      96.3 1.5  | 353.7 3.9   | 566.5 8.2 | 200.1 3.1
rcs                                       110.3 2.4 | 223.0 3.9   | 306.5 4.8 | 155.4 3.1
dts                                       52.4 .9   | 114.7 2.0   | 145.3 3.4 | 86.5 3.0
dts(alpha=0.2097152)                      47.7 1.7  | 117.0 5.3   | 159 15    | 88.0 4.1
dts(plus=true)                            52.6 1.1  | 114.9 2.8   | 152.5 4.5 | 77.9 3.0
rts                                       91.8 2.6  | 115.6 2.1   | 147.8 3.6 | 86.9 3.0
rmed1                                     68.8 1.3  | 179.6 2.9   | 264.0 4.0 | 147.5 2.9
rmed2                                     14.0 .4   | 212.9 2.8   | 310.6 5.1 | 156.4 2.9
rmed2fh                                   20.1 1.1  | 243.5 3.6   | 332.7 7.0 | 159.5 3.2
self_sparring                             69.0 2.1  | 123.6 2.2   | 160.2 3.4 | 91.7 2.5
self_sparring(self_feedback=none)         37.0 3.0  | 195 55      | 180 47    | 176 40
rex3(schedule=fixed,tau_factor=1)         441.9 2.3 | 885.8 3.4   | 612.5 3.9 | 589.8 3.0
rex3(schedule=fixed)                      494.6 2.4 | 959.1 3.4   | 693.3 4.3 | 643.3 3.1
rex3                                      118.3 1.2 | 431.2 3.7   | 194 15    | 252.2 4.2
winner_stays weak                         3.6 .5    | 5.1 .5      | 6.8 .7    | 2.2 .2
winner_stays                              5001.8 .3 | 6745 6      | 3008 2    | 4438 7
winner_stays(regret=strong)               77.0 .9   | 177.4 1.2   | 129.0 1.5 | 102.7 1.3
versatile_db                              237 4     | 392 5       | 493 8     | 299 5
versatile_db(mode=shared)                 142 3     | 242 4       | 310 15    | 178 4
versatile_db(kappa=2)                     278 4     | 478 5       | 556 11    | 342 5
versatile_db(mode=shared,kappa=2)         213 3     | 357 4       | 436 8     | 266 5
"""


def rows():
    """Return [(label, [(mean, standard error) of each matrix])] of TABLE."""
    found = []
    for line in TABLE.strip().splitlines():
        label, *numbers = line.split()
        if numbers[0] == "weak":
            label, numbers = f"{label} weak", numbers[1:]
        values = [float(number) for number in numbers if number != "|"]
        found.append((label, list(zip(values[::2], values[1::2]))))
    return found


def measure(label, name, runs=RUNS):
    """Return the regret of each of `runs` runs of this package."""
    spec, _, kind = label.partition(" ")
    prefs = checked_prefs(MATRICES[name].make())
    regret = weak_regret if kind == "weak" else strong_regret
    configured, steps = parse_policy(spec), np.array([HORIZON])
    traces = (play_matrix(configured, prefs, HORIZON, run=run, steps=steps, seed=7) for run in range(runs))
    return np.array([regret(trace, gaps(prefs))[-1] for trace in traces])


def distance(ours, mean, error):
    """Return (mean, standard error, difference to `mean` in combined standard errors) of `ours`."""
    mine = ours.std(ddof=1) / len(ours) ** 0.5
    return ours.mean(), mine, (ours.mean() - mean) / np.hypot(mine, error)


def main():
    print(f"{'R(10^5)':38}" + "".join(f"{name:>34}" for name in NAMES))
    for label, published in rows():
        cells = []
        measured = Parallel(n_jobs=-1, prefer="threads")(delayed(measure)(label, name) for name in NAMES)
        for ours, (mean, error) in zip(measured, published):
            mine, mine_error, apart = distance(ours, mean, error)
            cells.append(f"{mean:10.1f} {mine:10.1f} ± {mine_error:5.1f} {apart:+5.1f}")
        print(f"{label:38}" + "".join(f"{cell:>34}" for cell in cells), flush=True)


if __name__ == "__main__":
    sys.exit(main())
