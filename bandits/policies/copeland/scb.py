"""SCB, scalable Copeland bandits: a search for the arm that beats the most others, in ever longer rounds.

Zoghi, Karnin, Whiteson and de Rijke, "Copeland Dueling Bandits", NIPS 2015, Algorithms 2 to 4.

To beat an opponent drawn at random is a reward, whose mean is the share of the others that an arm beats: so
one may search for the best arm of an ordinary bandit. In each sweep every arm that is left meets an opponent,
duel after duel until it is sure who is better, and arms with a clearly smaller mean leave. Who is found plays
itself for the rest of the round, which is at once. Round r has 2^(2^r) steps and starts from nothing; its
errors have the chance ln(T) / T of its length T.

What is sure stays sure for a round, so a meeting may cost no duel; such sweeps pass by inside `select`. The
paper's search may also end with an arm that is nearly the best; exactly the best is asked for here, and then
it ends with one arm left or when all pairs of those left are sure. Arms that are left have had equally many
rewards, so the largest lower bound on a mean is that of the arm with the most, and one bound is enough.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bandits.contract import Policy
from bandits.parts.answers import leader, leaders, n_beaten
from bandits.parts.bounds import NEVER
from bandits.parts.picks import NO_ARM, pick, pick_flagged
from bandits.parts.relative_entropy import entropy
from bandits.parts.survivors import remove_at
from rankduel.base.compiling import kernel

ROUND, CLOCK, LENGTH, WINNER, N_LEFT, PLACE, OPPONENT, N_SWEEPS, N_REWARDS, FOUND = range(10)  # of State.now
PAIR, MEAN = range(2)  # entries of State.log_odds
_LAST_ROUND = 6  # longer than any run


class State(NamedTuple):
    wins: np.ndarray  # (arms, arms) int64, of all rounds
    round_wins: np.ndarray  # (arms, arms) int64, of this one
    verdict: np.ndarray  # (arms, arms) int64: 1 if it is sure that the row's arm beats the other, -1 if not
    left: np.ndarray  # (arms,) int64: arms the search has not given up, ascending; the first of them count
    rewards: np.ndarray  # (arms,) int64: in how many sweeps the arm's opponent was one that it beats
    found: np.ndarray  # (arms,) bool: what the last successful search came to
    log_odds: np.ndarray  # (2,) float64: ln(4 K^2 / delta) and ln(4 K / delta) of this round
    now: np.ndarray  # (10,) int64: this round, steps played in it and its length; its winner, or NO_ARM; arms
    # left; whose turn in the sweep it is, by place in `left`, and who it meets, or NO_ARM; sweeps ended,
    # rewards of all arms in them; the last winner, or NO_ARM


class Params(NamedTuple):
    pass


def init(n_arms, params, rng):
    def zeros(*shape: int) -> np.ndarray:
        return np.zeros(shape, np.int64)

    now = zeros(10)  # a round of no length is over: the first begins
    now[FOUND] = NO_ARM
    return State(
        wins=zeros(n_arms, n_arms),
        round_wins=zeros(n_arms, n_arms),
        verdict=zeros(n_arms, n_arms),
        left=zeros(n_arms),
        rewards=zeros(n_arms),
        found=np.zeros(n_arms, np.bool_),
        log_odds=np.zeros(2),
        now=now,
    )


@kernel
def select(state, params, rng):
    now = state.now
    _go_on(state, rng)
    if now[WINNER] != NO_ARM:
        return now[WINNER], now[WINNER]
    return state.left[now[PLACE]], now[OPPONENT]


@kernel
def update(state, first, second, first_won):
    state.now[CLOCK] += 1
    if first == second:
        return
    winner, loser = (first, second) if first_won else (second, first)
    state.wins[winner, loser] += 1
    state.round_wins[winner, loser] += 1
    if _is_sure(state.round_wins[winner, loser], state.round_wins[loser, winner], state.log_odds[PAIR]):
        state.verdict[winner, loser], state.verdict[loser, winner] = 1, -1


@kernel
def idle(state, params, limit, selves, rng):
    """The winner of the search plays itself to the end of the round."""
    now = state.now
    _go_on(state, rng)
    if now[WINNER] == NO_ARM:
        return 0
    n = min(limit, now[LENGTH] - now[CLOCK])
    selves[now[WINNER]] += n
    now[CLOCK] += n
    return n


@kernel
def recommend(state):
    """The last winner; before there is any, who leads in all duels so far."""
    return state.now[FOUND] if state.now[FOUND] != NO_ARM else leader(state.wins)


@kernel
def answers(state, chosen):
    if state.now[FOUND] == NO_ARM:
        leaders(state.wins, chosen)
        return
    for arm in range(len(chosen)):
        chosen[arm] = state.found[arm]


@kernel
def _is_sure(won, lost, log_odds):
    """Is won / n - 1/2 > sqrt(ln(4 n^2 K^2 / delta) / (2 n)) after n duels?"""
    n = float(won + lost)
    lead = float(won - lost)
    return lead > 0.0 and lead * lead > 2.0 * n * (log_odds + 2.0 * math.log(n))


@kernel
def _go_on(state, rng):
    """Up to the next pair that needs a duel, or to the winner of this round."""
    now, left, n_arms = state.now, state.left, len(state.left)
    if now[CLOCK] == now[LENGTH]:
        _begin_round(state)
    while now[WINNER] == NO_ARM:
        arm = left[now[PLACE]]
        if now[OPPONENT] == NO_ARM:
            other = pick(n_arms - 1, rng)
            now[OPPONENT] = other + (other >= arm)
        verdict = state.verdict[arm, now[OPPONENT]]
        if verdict == 0:
            return
        state.rewards[arm] += verdict == 1
        now[OPPONENT] = NO_ARM
        now[PLACE] += 1
        if now[PLACE] == now[N_LEFT]:
            _end_sweep(state, rng)


@kernel
def _begin_round(state):
    now, n_arms = state.now, len(state.left)
    now[ROUND] += 1
    now[LENGTH] = 1 << (1 << now[ROUND]) if now[ROUND] < _LAST_ROUND else NEVER
    now[WINNER] = now[OPPONENT] = NO_ARM
    now[N_LEFT] = n_arms
    now[CLOCK] = now[PLACE] = now[N_SWEEPS] = now[N_REWARDS] = 0
    log_length = math.log(2.0) * (1 << now[ROUND])
    minus_log_delta = log_length - math.log(log_length)
    state.log_odds[PAIR] = math.log(4.0 * n_arms * n_arms) + minus_log_delta
    state.log_odds[MEAN] = math.log(4.0 * n_arms) + minus_log_delta
    for arm in range(n_arms):
        state.left[arm], state.rewards[arm] = arm, 0
        for other in range(n_arms):
            state.round_wins[arm, other] = state.verdict[arm, other] = 0


@kernel
def _end_sweep(state, rng):
    now = state.now
    now[PLACE] = 0
    now[N_SWEEPS] += 1
    now[N_REWARDS] += now[N_LEFT]
    _drop_the_worse(state.left, state.rewards, state.log_odds, now)
    if now[N_LEFT] == 1 or _all_sure(state.verdict, state.left, now):
        _find_winners(state, rng)


@kernel
def _drop_the_worse(left, rewards, log_odds, now):
    """Drop whose mean reward is, at best, below that of the arm with the most rewards, at worst.

    Means q are possible while n d(rewards / n, q) is at most the radius, d being the relative entropy.
    """
    n = float(now[N_SWEEPS])
    tau = float(now[N_REWARDS])
    radius = (log_odds[MEAN] + math.log(tau) + 2.0 * math.log(math.log(max(tau, 3.0)))) / n
    most = 0
    for arm in left[: now[N_LEFT]]:
        most = max(most, rewards[arm])
    worst = _lowest_mean(most / n, radius)
    for place in range(now[N_LEFT] - 1, -1, -1):
        mean = rewards[left[place]] / n
        if mean < worst and entropy(mean, worst) > radius:
            now[N_LEFT] = remove_at(left, now[N_LEFT], place)


@kernel
def _lowest_mean(mean, radius):
    """The smallest q with d(mean, q) <= radius."""
    low, high = 0.0, mean
    for _ in range(50):
        q = 0.5 * (low + high)
        if entropy(mean, q) > radius:
            low = q
        else:
            high = q
    return high


@kernel
def _all_sure(verdict, left, now):
    """Is it sure of each arm that is left whom it beats?"""
    for arm in left[: now[N_LEFT]]:
        for other in range(len(left)):
            if verdict[arm, other] == 0 and other != arm:
                return False
    return True


@kernel
def _find_winners(state, rng):
    """Those left that surely beat the most; one of them, at random, plays on."""
    now, found, most, n = state.now, state.found, 0, 0
    for arm in range(len(found)):
        found[arm] = False
    for arm in state.left[: now[N_LEFT]]:
        most = max(most, n_beaten(state.verdict, arm))
    for arm in state.left[: now[N_LEFT]]:
        found[arm] = n_beaten(state.verdict, arm) == most
        n += found[arm]
    now[WINNER] = now[FOUND] = pick_flagged(found, n, rng)


POLICY = Policy(
    "scb",
    Params,
    init,
    select,
    update,
    recommend,
    idle=idle,
    answers=answers,
    about="Searches for who beats the most others, in ever longer rounds; who is found plays itself.",
    source="Zoghi, Karnin, Whiteson, de Rijke 2015 (NIPS), Algorithms 2 to 4",
    assumes="no ties",
    variants={"paper": {}},
)
