"""Runs of the policies with a budget of 1,000 comparisons: what their answers contain, and what they cost."""

from typing import Any

import numpy as np
from joblib import Parallel, delayed

from rankduel.bandits.loop import run_loop
from rankduel.bandits.matrix_duels import by_matrix
from rankduel.bandits.parts.answers import copeland_leader, mark_copeland_leaders
from rankduel.bandits.regret import winners_by
from rankduel.base.compiling import kernel
from rankduel.base.settings import Configured
from rankduel.base.streams import stream
from rankduel.experiments.cluster import threads_here
from rankduel.experiments.specs import parse_policy
from rankduel.experiments.studies.published.budget_1000.counts import N_BEST, Row
from rankduel.experiments.studies.study import Inputs


@kernel
def leaders_of_all(state, params, chosen):
    """Mark the arms with most wins, eliminated arms included."""
    mark_copeland_leaders(state.wins, chosen)


@kernel
def leader_of_all(state, params):
    """Return the arm with most wins, eliminated arms included."""
    return copeland_leader(state.wins)


def policy_of(row: Row, case: str) -> Configured:
    found = parse_policy(row.policy.format(k=N_BEST[case]))
    if row.eliminated_too:
        return found._replace(thing=found.thing._replace(answers=leaders_of_all, recommend=leader_of_all))
    return found


def answer_contents(row: Row, case: str, inputs: Inputs) -> dict[str, Any]:
    """Return per run the content of the answer, and the numbers of comparisons and judgments."""
    assert inputs.preferences is not None
    matrix = np.array(inputs.preferences.matrix)
    policy = policy_of(row, case)
    duel = by_matrix(matrix)
    best = winners_by("copeland", matrix)
    budget = np.array([int(inputs.size.horizon)])
    no_loss = np.zeros(len(matrix))  # regret is not measured

    def play(run: int) -> tuple[int, ...]:
        shuffle, rng, users = (
            stream(0, str(policy), case, run, what) for what in ("labels", "policy", "users")
        )
        labels = np.arange(len(matrix)) if row.in_order else shuffle.permutation(len(matrix))
        trace = run_loop(policy, duel, no_loss, labels, budget, rng, users)
        answer = trace.answers[0]
        return answer[best].sum(), answer.sum(), trace.duels[0].sum() // 2, trace.most[0]

    play(0)  # compile before the threads start
    runs = Parallel(n_jobs=threads_here(inputs.jobs), prefer="threads")(
        delayed(play)(run) for run in range(inputs.size.runs)
    )
    found, items, comparisons, judgments = np.array(runs).T
    return {
        "one": found == 1,
        "both": found == 2,
        "at least one": found > 0,
        "items": items,
        "wrong items": items - found,
        "comparisons": comparisons,
        "judgments": judgments + row.prior,
        "judgments out of range": _is_outside(judgments + row.prior, row.cases[case].judgments),
    }


def _is_outside(values: np.ndarray, limits: tuple[int, int] | None) -> np.ndarray:
    """Return whether each value is outside the published range; False if there is no published range."""
    low, high = limits or (-np.inf, np.inf)
    return (values < low) | (values > high)
