"""Share of runs that find the best of 100 items in 1,000 comparisons: published, and of this package.

Yan, "Dueling Bandits for Preference Judgments", thesis, University of Waterloo 2022, Figure 4.1: 1,000 runs
each. In case A the items have a total order, and the answer should contain the best one. In case B two items
are equal and better than all others, and the answer should contain one or both of them.

`PYTHONPATH=tests python -m support.yan_table [runs]` prints the table;
tests/bandits/published/test_yan_table.py tests it.
"""

import sys
import time
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed

from rankduel.bandits.contract import Policy, configure
from rankduel.bandits.loop import run_loop
from rankduel.bandits.matrix_duels import by_matrix, checked_prefs
from rankduel.bandits.parts.answers import copeland_leader, mark_copeland_leaders
from rankduel.bandits.policies.best_item import (
    active_ranking,
    mohajer_select,
    mohajer_top_k,
    parwis,
    prefbest,
    round_efficient,
)
from rankduel.bandits.policies.condorcet import dts, merge_dts
from rankduel.base.compiling import kernel
from rankduel.base.streams import stream
from rankduel.experiments.matrix.builtin import MATRICES

BUDGET, RUNS, THREADS = 1000, 1000, 2
PREFS = {"A": checked_prefs(MATRICES["case-a"].make()), "B": checked_prefs(MATRICES["case-b"].make())}
N_BEST = {"A": 1, "B": 2}


@kernel
def merge_dts_answers(state, params, chosen):
    mark_copeland_leaders(state.wins, chosen)


@kernel
def merge_dts_recommend(state, params):
    return copeland_leader(state.wins)


# In the thesis, eliminated arms may be in the answer.
MERGE_DTS = merge_dts.POLICY._replace(answers=merge_dts_answers, recommend=merge_dts_recommend)


class Published(NamedTuple):
    """Results of 1,000 runs."""

    found: dict[str, int]  # number of runs with the best item, or one or both of the best two, in the answer
    comparisons: tuple[int, int] = (1000, 1000)  # fewest and most
    judgments: tuple[int, int] | None = None  # fewest and most, of the pair with the most judgments in a run
    items: int | None = None  # total number of items in all answers, if published


class Row(NamedTuple):
    policy: Policy
    settings: dict[str, Any]
    cases: dict[str, Published]
    in_order: bool = False  # items are numbered from best to worst


def a(found, *rest):
    return Published({"best": found}, *rest)


def b(one, both, *rest):
    return Published({"one": one, "both": both}, *rest)


TABLE = {
    "PARWiS": Row(
        parwis.POLICY,
        {"order": "index"},
        {"A": a(537, (1000, 1000), (17, 68)), "B": b(686, 287, (1000, 1000), (7, 83))},
        in_order=True,
    ),
    "Active Ranking": Row(
        active_ranking.POLICY,
        {"delta": 0.1},
        {"A": a(175, (1000, 1000), (3, 11)), "B": b(405, 545, (1000, 1000), (3, 11))},
    ),
    "SELECT": Row(
        mohajer_select.POLICY,
        {"m": 10},
        {"A": a(715, (990, 990), (10, 10)), "B": b(905, 0, (990, 990), (10, 10))},
    ),
    # The thesis gives the 5 comparisons of one match as those of a pair; but pairs are compared again when a
    # group is refilled.
    "TOP-2": Row(mohajer_top_k.POLICY, {"m": 5, "final_refill": True}, {"B": b(588, 277, (980, 980))}),
    "prefBest, extra": Row(
        prefbest.POLICY,
        {"extra": 1},
        {"A": a(510, (624, 781), (3, 6), 1290), "B": b(733, 81, (616, 795), (3, 6), 1244)},
    ),
    "prefBest": Row(
        prefbest.POLICY,
        {},
        {"A": a(502, (599, 759), (2, 5), 1497), "B": b(666, 94, (592, 764), (2, 5), 1489)},
    ),
    "Round-Efficient": Row(
        round_efficient.POLICY,
        {"delta": 0.2},
        {"A": a(141, (1000, 1000), (2, 5), 1773), "B": b(680, 89, (1000, 1000), (2, 5))},
    ),
    "DTS": Row(
        dts.POLICY,
        {"alpha": 0.8**7},
        {"A": a(124, (1000, 1000), (4, 24), 1046), "B": b(710, 7, (1000, 1000), (4, 20), 1074)},
    ),
    "MergeDTS": Row(
        MERGE_DTS,
        {"alpha": 0.8**6, "batch": 16, "c": 4e6},
        {"A": a(108, (1000, 1000), (31, 93), 1611), "B": b(581, 58, (1000, 1000), (28, 81), 1553)},
    ),
}
CELLS = [(name, case) for name, row in TABLE.items() for case in row.cases]


class Measured(NamedTuple):
    answers: np.ndarray  # (runs, items) bool
    comparisons: np.ndarray  # (runs,) int64
    judgments: np.ndarray  # (runs,) int64, of the pair with the most judgments

    def share(self, what, case):
        """Return the share of runs with the best item, or one or both of the best two, in the answer."""
        n_found = self.answers[:, : N_BEST[case]].sum(axis=1)
        return float((n_found == (2 if what == "both" else 1)).mean())


def configured(name, case, **changed):
    row = TABLE[name]
    wants_k = "k" in row.policy.params._fields
    return configure(row.policy, **row.settings | changed, **({"k": N_BEST[case]} if wants_k else {}))


def measure(name, case, runs=RUNS, seed=0, **changed):
    played, prefs = configured(name, case, **changed), PREFS[case]

    def play(run):
        labels, rng, users = (stream(seed, name, case, run, what) for what in ("labels", "policy", "users"))
        order = np.arange(len(prefs)) if TABLE[name].in_order else labels.permutation(len(prefs))
        trace = run_loop(
            played, by_matrix(prefs), np.zeros(len(prefs)), order, np.array([BUDGET]), rng, users
        )
        return trace.answers[0], trace.duels[0].sum() // 2, trace.most[0]

    play(0)  # compiles the loop
    traces = Parallel(n_jobs=THREADS, prefer="threads")(delayed(play)(run) for run in range(runs))
    return Measured(*map(np.array, zip(*traces)))


def distance(share, count, runs):
    """Return the difference to the published share in standard errors; 0 if both are 0 or both are 1."""
    published = count / 1000
    error = np.sqrt(published * (1 - published) * (1 / 1000 + 1 / runs))
    return (share - published) / error if error > 0 else (0.0 if share == published else np.inf)


def between(values):
    low, high = (int(f(values)) for f in (np.min, np.max))
    return f"{low}-{high}" if low < high else f"{low}"


def main(runs=RUNS):
    began = time.perf_counter()
    print(f"of 1,000 runs (ours: {runs}){'':17}published  ours    SE   comparisons      judgments    items")
    for name, case in CELLS:
        published, ours = TABLE[name].cases[case], measure(name, case, runs)
        for what, count in published.found.items():
            share = ours.share(what, case)
            line = (
                f"{name:18}{case}  {what:5}{count:25}{1000 * share:9.1f}{distance(share, count, runs):+6.1f}"
            )
            line += f"   {between(published.comparisons):>8} {between(ours.comparisons):>8}"
            line += f"   {between(published.judgments or [5]):>6} {between(ours.judgments):>6}"
            print(f"{line}   {published.items or '':>5} {1000 * ours.answers.sum() / runs:6.0f}", flush=True)
    print(f"{len(CELLS) * runs} runs in {time.perf_counter() - began:.0f} s, compiling included")


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
