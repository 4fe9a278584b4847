"""SCB: search for an arm that beats the most others, in rounds of squared length; it then duels itself.

Zoghi, Karnin, Whiteson and de Rijke, "Copeland Dueling Bandits", NIPS 2015, Algorithms 2 to 4 (scalable
Copeland bandits). Assumes that no pair has p_ij = 1/2.

To beat an opponent drawn uniformly is a reward, whose mean is the normalised Copeland score of an arm, so a
best-arm search for ordinary bandits finds a Copeland winner. In each sweep every arm of the set A gets a
reward, for which its pair with the opponent is duelled until decided, and arms whose mean is clearly not the
largest are removed from A. Round r has T_r = 2^(2^r) steps, uses no duels of earlier rounds, and fails with
probability delta_r = ln(T_r) / T_r.

    Round r of the algorithm                                              here
    A = all arms, no statistics, T_r, delta_r                             _begin_round
    for each arm i of A: opponent j, reward if i beats j                  _advance
    duel i and j until decided with error delta_r / K^2                   update (_is_decided)
    KL confidence intervals of the means, elimination from A              _eliminate
    |A| = 1, or all pairs of A decided: winner                            _end_sweep, _choose_winner
    the winner duels itself until the round ends                          select, idle

A decided pair remains decided for the round, so a reward may need no duel. The paper's search may also end
with an arm that is nearly the best; here epsilon = 0. All arms of A have equally many rewards, so the largest
lower bound on a mean is that of the arm with the largest sum. `idle` is not in the paper: it skips the
self-duels. Given the same random numbers, the pairs equal those of the literal twin,
tests/naive/policies/scb.py.

Both tests compare n duels or rewards with a logarithm, where s is the number of steps of the round:

    `limits`         a pair is decided                      an arm is eliminated
    delta (paper)    ln(4 n^2 K^2 / delta_r)                ln(4 tau K / delta_r) + 2 ln ln tau
    steps (Wu, Liu)  ln(4 s K) + 2 max(1, ln ln s)          ln(4 T_r K) + 2 max(1, ln ln s)

The paper requires only enough duels to decide a pair with error delta_r / K^2; Hoeffding's bound for all n is
one such test. The public program of Wu and Liu (NIPS 2016, github.com/HuasenWu/DuelingBandits) has the second
line, 0.51 times as large, decides pairs by KL divergence, and begins with a round of 1000 steps.
"""

from __future__ import annotations

import math
from enum import IntEnum
from typing import Annotated, NamedTuple

import numpy as np

from rankduel.bandits.contract import policy_of
from rankduel.bandits.parts.answers import copeland_leader, mark_copeland_leaders, n_beaten
from rankduel.bandits.parts.bounds import NEVER
from rankduel.bandits.parts.common_settings import LARGEST_FACTOR
from rankduel.bandits.parts.picks import NO_ARM, pick, pick_flagged
from rankduel.bandits.parts.relative_entropy import divergence, entropy
from rankduel.bandits.parts.survivors import remove_at
from rankduel.base.compiling import kernel, record
from rankduel.base.settings import Setting

_LONGEST_SQUARED = 1 << 30  # no run ends a round that is longer than the square of this length
_BISECTIONS = 50


class PairTest(IntEnum):
    """Test that decides a pair: Hoeffding's bound on the win rate, or the KL divergence from 1/2."""

    HOEFFDING = 0
    KL = 1


class Limits(IntEnum):
    """Logarithms of both tests: of the error probability delta_r, or of the steps of the round."""

    DELTA = 0
    STEPS = 1


class Params(NamedTuple):
    pair_test: Annotated[
        PairTest, Setting("test that decides a pair: Hoeffding's bound or the KL divergence")
    ] = PairTest.HOEFFDING
    limits: Annotated[
        Limits, Setting("logarithms of the tests: of the error probability delta, or of the steps")
    ] = Limits.DELTA
    scale: Annotated[
        float, Setting("factor of the logarithms of the tests", at_least=1e-9, at_most=LARGEST_FACTOR)
    ] = 1.0
    first_round: Annotated[
        int, Setting("steps of the first round; each later round has the square of the last", at_least=2)
    ] = 4


class Now(NamedTuple):
    round_number: int = 0  # r
    round_length: int = 0  # T_r
    round_clock: int = 0  # steps played in this round, s
    log_length: float = 0.0  # ln T_r
    pair_log: float = 0.0  # ln(4 K^2 / delta_r)
    mean_log: float = 0.0  # ln(4 K / delta_r)
    n_remaining: int = 0  # |A|
    place: int = 0  # place in A of the arm that gets the next reward
    opponent: int = NO_ARM  # its opponent, if drawn
    n_sweeps: int = 0  # number of rewards of each arm of A
    n_rewards: int = 0  # tau, number of rewards of all arms
    winner: int = NO_ARM  # winner of the search of this round
    last_winner: int = NO_ARM  # winner of the last successful search


class State(NamedTuple):
    now: np.recarray  # (1,), fields of Now
    wins: np.ndarray  # (arms, arms) int64, of all rounds
    round_wins: np.ndarray  # (arms, arms) int64, of this round
    decided: np.ndarray  # (arms, arms) int64: 1 if i is decided to beat j, -1 if j to beat i, 0 if undecided
    remaining: np.ndarray  # (arms,) int64: the n_remaining arms of A, ascending
    rewards: np.ndarray  # (arms,) int64: sum of the rewards of each arm
    copeland_winners: np.ndarray  # (arms,) bool: arms that the last successful search found


def init(n_arms, params, rng):
    shape = (n_arms, n_arms)
    return State(
        now=record(Now()),  # a round of length 0 is over: the first step begins a round
        wins=np.zeros(shape, np.int64),
        round_wins=np.zeros(shape, np.int64),
        decided=np.zeros(shape, np.int64),
        remaining=np.zeros(n_arms, np.int64),
        rewards=np.zeros(n_arms, np.int64),
        copeland_winners=np.zeros(n_arms, np.bool_),
    )


@kernel
def select(state, params, rng):
    now = state.now[0]
    _advance(state, params, rng)
    if now.winner != NO_ARM:
        return now.winner, now.winner
    return state.remaining[now.place], now.opponent


@kernel
def update(state, params, first, second, first_won):
    now, round_wins = state.now[0], state.round_wins
    now.round_clock += 1
    if first == second:
        return
    winner, loser = (first, second) if first_won else (second, first)
    state.wins[winner, loser] += 1
    round_wins[winner, loser] += 1
    if _is_decided(state, params, round_wins[winner, loser], round_wins[loser, winner]):
        state.decided[winner, loser], state.decided[loser, winner] = 1, -1


@kernel
def idle(state, params, limit, self_duels, rng):
    """Skip the steps to the end of the round if the search has a winner, which duels itself."""
    now = state.now[0]
    _advance(state, params, rng)
    if now.winner == NO_ARM:
        return 0
    n = min(limit, now.round_length - now.round_clock)
    self_duels[now.winner] += n
    now.round_clock += n
    return n


@kernel
def recommend(state, params):
    """Return the last winner; before the first search ends, the arm that leads most others."""
    now = state.now[0]
    return now.last_winner if now.last_winner != NO_ARM else copeland_leader(state.wins)


@kernel
def answers(state, params, chosen):
    if state.now[0].last_winner == NO_ARM:
        mark_copeland_leaders(state.wins, chosen)
        return
    for arm in range(len(chosen)):
        chosen[arm] = state.copeland_winners[arm]


@kernel
def _is_decided(state, params, won, lost):
    """Return whether `won` of n duels are clearly more than half, by the test and limit of `params`.

    With L = ln(4 n^2 K^2 / delta), Hoeffding's test is won / n - 1/2 > sqrt(L / (2 n)).
    """
    now = state.now[0]
    n = float(won + lost)
    lead = float(won - lost)
    if lead <= 0.0:
        return False
    if params.limits == Limits.DELTA:
        limit = params.scale * (now.pair_log + 2.0 * math.log(n))
    else:
        limit = params.scale * _limit_of_steps(state, math.log(float(now.round_clock)))
    if params.pair_test == PairTest.KL:
        return divergence(lost, won) > limit
    return lead * lead > 2.0 * n * limit


@kernel
def _limit_of_steps(state, log_steps):
    """Return ln(4 K) + `log_steps` + 2 max(1, ln ln s) after s steps of the round."""
    log_log = math.log(max(1.0, math.log(float(state.now[0].round_clock))))
    return math.log(4.0 * len(state.remaining)) + log_steps + 2.0 * max(1.0, log_log)


@kernel
def _advance(state, params, rng):
    """Give rewards up to the next pair that has to be duelled, or to the winner of this round."""
    now, n_arms = state.now[0], len(state.remaining)
    if now.round_clock == now.round_length:
        _begin_round(state, params)
    while now.winner == NO_ARM:
        arm = state.remaining[now.place]
        if now.opponent == NO_ARM:
            other = pick(n_arms - 1, rng)
            now.opponent = other + (other >= arm)
        decided = state.decided[arm, now.opponent]
        if decided == 0:
            return
        state.rewards[arm] += decided == 1
        now.opponent = NO_ARM
        now.place += 1
        if now.place == now.n_remaining:
            _end_sweep(state, params, rng)


@kernel
def _begin_round(state, params):
    """Begin the next round: no arm is eliminated, no pair is decided."""
    now, n_arms = state.now[0], len(state.remaining)
    now.round_number += 1
    if now.round_number == 1:
        now.round_length = params.first_round
    elif now.round_length <= _LONGEST_SQUARED:
        now.round_length *= now.round_length
    else:
        now.round_length = NEVER
    now.winner = now.opponent = NO_ARM
    now.n_remaining = n_arms
    now.round_clock = now.place = now.n_sweeps = now.n_rewards = 0
    now.log_length = math.log(float(params.first_round)) * 2.0 ** (now.round_number - 1)
    minus_log_delta = now.log_length - math.log(now.log_length)
    now.pair_log = math.log(4.0 * n_arms * n_arms) + minus_log_delta
    now.mean_log = math.log(4.0 * n_arms) + minus_log_delta
    for arm in range(n_arms):
        state.remaining[arm], state.rewards[arm] = arm, 0
        for other in range(n_arms):
            state.round_wins[arm, other] = state.decided[arm, other] = 0


@kernel
def _end_sweep(state, params, rng):
    """Eliminate arms; end the search if one arm remains, or if nothing is left to decide."""
    now = state.now[0]
    now.place = 0
    now.n_sweeps += 1
    now.n_rewards += now.n_remaining
    _eliminate(state, params)
    if now.n_remaining == 1 or _all_decided(state):
        _choose_winner(state, rng)


@kernel
def _eliminate(state, params):
    """Remove from A the arms whose upper bound on the mean is below the largest lower bound.

    The confidence interval of a mean holds the q with n d(rewards / n, q) <= L, where d is the
    Kullback-Leibler divergence and L is ln(4 tau K / delta) + 2 ln ln tau in the paper.
    """
    now, remaining, rewards = state.now[0], state.remaining, state.rewards
    n = float(now.n_sweeps)
    tau = float(now.n_rewards)
    if params.limits == Limits.DELTA:
        limit = now.mean_log + math.log(tau) + 2.0 * math.log(math.log(max(tau, 3.0)))
    else:
        limit = _limit_of_steps(state, now.log_length)
    radius = params.scale * limit / n
    most = 0
    for arm in remaining[: now.n_remaining]:
        most = max(most, rewards[arm])
    bound = _lower_bound(most / n, radius)
    for place in range(now.n_remaining - 1, -1, -1):
        mean = rewards[remaining[place]] / n
        if mean < bound and entropy(mean, bound) > radius:
            now.n_remaining = remove_at(remaining, now.n_remaining, place)


@kernel
def _lower_bound(mean, radius):
    """Return the smallest q with d(mean, q) <= radius, by bisection."""
    low, high = 0.0, mean
    for _ in range(_BISECTIONS):
        q = 0.5 * (low + high)
        if entropy(mean, q) > radius:
            low = q
        else:
            high = q
    return high


@kernel
def _all_decided(state):
    """Return whether every pair of an arm of A is decided."""
    for arm in state.remaining[: state.now[0].n_remaining]:
        for other in range(len(state.remaining)):
            if state.decided[arm, other] == 0 and other != arm:
                return False
    return True


@kernel
def _choose_winner(state, rng):
    """Mark the arms of A that beat the most others, as far as decided; draw the winner from them."""
    now, decided, winners = state.now[0], state.decided, state.copeland_winners
    most, n = 0, 0
    for arm in range(len(winners)):
        winners[arm] = False
    for arm in state.remaining[: now.n_remaining]:
        most = max(most, n_beaten(decided, arm))
    for arm in state.remaining[: now.n_remaining]:
        winners[arm] = n_beaten(decided, arm) == most
        n += winners[arm]
    now.winner = now.last_winner = pick_flagged(winners, n, rng)


POLICY = policy_of(
    __name__,
    source="Zoghi, Karnin, Whiteson, de Rijke 2015 (NIPS), Algorithms 2 to 4",
    assumes="no ties",
    variants={
        "paper": {},
        "wu-liu": {"pair_test": "kl", "limits": "steps", "scale": 0.51, "first_round": 1000},
    },
)
