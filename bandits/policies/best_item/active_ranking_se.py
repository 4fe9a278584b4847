"""Active ranking by elimination: every undecided arm is sampled once per round, the clear ones are decided.

Heckel, Shah, Ramchandran and Wainwright, "Active Ranking from Pairwise Comparisons and when Parametric
Assumptions Don't Help", Annals of Statistics 2019, for two sets: the best k arms and the others.

To sample an arm is to compare it with a random other one, decided or not, of which only the arm itself
learns. All undecided arms have been sampled equally often, so whole numbers of wins are compared. A round is
one agenda.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bandits.agenda import N_PAIRS, Agenda, add, clear, empty_agenda, rest, stepwise
from bandits.contract import Policy
from bandits.policies.best_item.active_ranking import log_term, other_arm, radius_constant, sort_by
from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting

PAPER, CODED = range(2)  # choices of `radius`
N_ROUNDS, N_IN, N_OUT, K, RULE = range(5)  # entries of State.now


class State(NamedTuple):
    agenda: Agenda
    order: np.ndarray  # (arms,) int64: arms accepted, undecided, rejected; the undecided best first
    wins: np.ndarray  # (arms,) int64: of the arm's own samples, in rounds that are over
    constant: np.ndarray  # (1,) float64: the part of the radius that delta decides
    now: np.ndarray  # (5,) int64: rounds that are over; arms accepted, arms rejected; k; choice of `radius`


class Params(NamedTuple):
    k: int = 1
    delta: float = 0.1
    radius: str = "paper"


def init(n_arms, params, rng):
    k = min(params.k, n_arms)
    by_paper = radius_constant(n_arms, params.delta)
    by_code = math.log(3.0 * n_arms / params.delta)
    return State(
        agenda=empty_agenda(n_arms),
        order=np.arange(n_arms),
        wins=np.zeros(n_arms, np.int64),
        constant=np.array([by_paper if params.radius == PAPER else by_code]),
        now=np.array([0, 0, 0, k, params.radius]),
    )


@kernel
def plan(state, params, rng):
    now, n_arms = state.now, len(state.order)
    if finished(state):
        rest(state.agenda, state.order[0])
        return
    clear(state.agenda, 1)
    for arm in state.order[now[N_IN] : n_arms - now[N_OUT]]:
        add(state.agenda, arm, other_arm(arm, n_arms, rng))


@kernel
def learn(state):
    """Accept who is clearly above the best arm beyond the border, reject who is below the last one inside."""
    now, wins, n_arms = state.now, state.wins, len(state.order)
    for index in range(state.agenda.now[N_PAIRS]):
        wins[state.agenda.pairs[index, 0]] += state.agenda.wins[index]
    now[N_ROUNDS] += 1
    undecided = state.order[now[N_IN] : n_arms - now[N_OUT]]
    sort_by(wins, undecided)
    margin = _margin(state)
    n_places = now[K] - now[N_IN]
    last_inside, first_beyond = wins[undecided[n_places - 1]], wins[undecided[n_places]]
    for arm in undecided:
        now[N_IN] += wins[arm] - first_beyond > margin
        now[N_OUT] += last_inside - wins[arm] > margin


@kernel
def recommend(state):
    return state.order[0]


@kernel
def answers(state, chosen):
    """The first k, as of the last full round."""
    for arm in state.order[: state.now[K]]:
        chosen[arm] = True


@kernel
def survivors(state):
    return len(state.order) - state.now[N_OUT]


@kernel
def finished(state):
    """All places are taken, or only as many arms are left as there are places."""
    now = state.now
    return now[N_IN] == now[K] or len(state.order) - now[N_OUT] == now[K]


@kernel
def _margin(state):
    """The confidence radius, in wins."""
    n = state.now[N_ROUNDS]
    if state.now[RULE] == PAPER:
        return math.sqrt(2.0 * n * log_term(state.constant[0], n))
    return math.sqrt(n * max(state.constant[0] + math.log(math.log(1.12 * n)), 0.0))


SELECT, UPDATE = stepwise(plan, learn)
POLICY = Policy(
    "active_ranking_se",
    Params,
    init,
    SELECT,
    UPDATE,
    recommend,
    survivors,
    answers=answers,
    finished=finished,
    plan=plan,
    learn=learn,
    about="Every undecided arm meets a random opponent once per round; clear ones are accepted or rejected.",
    source="Heckel, Shah, Ramchandran, Wainwright 2019 (Annals of Statistics)",
    assumes="best items by Borda score, the chance to beat a random opponent",
    settings={
        "k": Setting("how many of the best arms to find; all of them if there are fewer", at_least=1),
        "delta": Setting("chance of an error", above=0, at_most=1),
        "radius": Setting("confidence radius of the paper, or the public code's", choices=("paper", "coded")),
    },
    variants={"paper": {}},
)
