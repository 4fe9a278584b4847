"""How often the best of 100 items is found in 1,000 comparisons: as published, and by our policies.

Yan, "Dueling Bandits for Preference Judgments", thesis, University of Waterloo 2022, Figure 4.1: 1,000 runs
each. In case A items are in a total order, and the best one is to be in the answer; in case B two items are
equal and better than all others, and one of them or both are to be in the answer.

`PYTHONPATH=tests python -m support.yan_table [runs]` prints the table;
tests/bandits/published/test_yan_table.py holds it to account.
"""

import sys
import time
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed

from bandits.contract import Policy, configure
from bandits.loop import run_loop
from bandits.matrix_duels import by_matrix, checked_prefs
from bandits.parts.answers import leader, leaders
from bandits.policies.best_item import (
    active_ranking,
    mohajer_select,
    mohajer_top_k,
    parwis,
    prefbest,
    round_efficient,
)
from bandits.policies.condorcet import dts, merge_dts
from experiments.matrix.builtin import MATRICES
from rankduel.base.compiling import kernel
from rankduel.base.streams import stream

BUDGET, RUNS, THREADS = 1000, 1000, 2
PREFS = {"A": checked_prefs(MATRICES["case-a"].make()), "B": checked_prefs(MATRICES["case-b"].make())}
N_BEST = {"A": 1, "B": 2}


@kernel
def merge_dts_answers(state, params, chosen):
    leaders(state.wins, chosen)


@kernel
def merge_dts_recommend(state, params):
    return leader(state.wins)


# The thesis lets arms answer that were given up.
MERGE_DTS = merge_dts.POLICY._replace(answers=merge_dts_answers, recommend=merge_dts_recommend)


class Published(NamedTuple):
    """Of 1,000 runs."""

    found: dict[str, int]  # in how many the best item, one or both of the best two were in the answer
    comparisons: tuple[int, int] = (1000, 1000)  # fewest and most
    judgments: tuple[int, int] | None = None  # the same, of the pair with the most in a run
    items: int | None = None  # in all answers together, as far as given


class Row(NamedTuple):
    policy: Policy
    settings: dict[str, Any]
    cases: dict[str, Published]
    in_order: bool = False  # the policy sees items in the order from best to worst


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
    # The thesis gives comparisons of one match, 5, as those of a pair; but pairs meet again when a group
    # refills.
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
    judgments: np.ndarray  # (runs,) int64: of the pair with the most

    def share(self, what, case):
        """Of runs in which the best, one or both were in the answer."""
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

    play(0)  # compiles it, once
    traces = Parallel(n_jobs=THREADS, prefer="threads")(delayed(play)(run) for run in range(runs))
    return Measured(*map(np.array, zip(*traces)))


def distance(share, count, runs):
    """From the published count, in standard errors of the difference; 0 if nothing else can happen."""
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
