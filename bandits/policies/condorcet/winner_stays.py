"""Winner stays: the two arms with the largest lead (wins - losses) duel, the last pair preferred in a tie.

Chen and Frazier, "Dueling Bandits with Weak Regret", ICML 2017, Algorithms 1 (WS-W) and 2 (WS-S).

That rule organises itself into rounds, and only the rounds are kept here. At the start of round r all arms
but one have lost r - 1 times more than they won. In its K - 1 iterations the incumbent meets every other arm;
the pair stays until one of the two has fallen to -r, which is then out of the round, and the other goes on as
incumbent. So a step looks at two arms, and only the next challenger, any arm still to come, is searched for.
The loser of a round's last iteration opens the next round as challenger: all others are tied with it, and the
last pair is preferred.

For strong regret, round r is followed by floor(beta^r) steps of its winner against itself.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bandits.contract import Policy
from bandits.parts.picks import NO_ARM, pick_flagged
from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting

WEAK, STRONG = range(2)
# Entries of State.now. FIRST leads SECOND, or was ahead of it before they drew level; SECOND is NO_ARM when
# the next challenger is still to be drawn. RESTING counts the coming steps of BEST against itself.
FIRST, SECOND, ROUND, TO_COME, BEST, RESTING = range(6)
_LONGEST_REST = float(1 << 60)  # steps, more than any run has


class State(NamedTuple):
    lead: np.ndarray  # (arms,) int64: wins - losses
    to_come: np.ndarray  # (arms,) bool: not yet met in this round
    growth: np.ndarray  # (1,) float64: beta; 0 for weak regret, which never rests
    now: np.ndarray  # (6,) int64: the pair, the round, arms to come, the last round's winner, rest steps


class Params(NamedTuple):
    regret: str = "weak"
    beta: float = 1.1


def init(n_arms, params, rng):
    return State(
        lead=np.zeros(n_arms, np.int64),
        to_come=np.ones(n_arms, np.bool_),
        growth=np.array([params.beta if params.regret == STRONG else 0.0]),
        now=np.array([NO_ARM, NO_ARM, 1, n_arms, NO_ARM, 0]),
    )


@kernel
def select(state, params, rng):
    now = state.now
    if now[RESTING] > 0:
        return now[BEST], now[BEST]
    for place in (FIRST, SECOND):
        if now[place] == NO_ARM:
            now[place] = pick_flagged(state.to_come, now[TO_COME], rng)
            state.to_come[now[place]] = False
            now[TO_COME] -= 1
    return now[FIRST], now[SECOND]


@kernel
def update(state, first, second, first_won):
    now, lead = state.now, state.lead
    if first == second:
        now[RESTING] -= 1
        return
    winner, loser = (first, second) if first_won else (second, first)
    lead[winner] += 1
    lead[loser] -= 1
    if lead[second] > lead[first]:
        now[FIRST], now[SECOND] = second, first
    if lead[loser] == -now[ROUND]:
        _end_iteration(state)


@kernel
def idle(state, params, limit, selves, rng):
    """The winner of the last round against itself, for as long as it rests."""
    now = state.now
    n = min(limit, now[RESTING])
    if n > 0:
        selves[now[BEST]] += n
        now[RESTING] -= n
    return n


@kernel
def recommend(state):
    """For weak regret the arm in the lead, for strong regret the winner of the last round."""
    if state.growth[0] > 0.0 and state.now[BEST] != NO_ARM:
        return state.now[BEST]
    return state.now[FIRST]


@kernel
def _end_iteration(state):
    """The second of the pair is out of the round; the first, then ahead of everybody, meets the next arm."""
    now = state.now
    if now[TO_COME] > 0:
        now[SECOND] = NO_ARM
        return
    now[BEST] = now[FIRST]
    now[RESTING] = int(min(state.growth[0] ** float(now[ROUND]), _LONGEST_REST))
    now[ROUND] += 1
    state.to_come[:] = True
    state.to_come[now[FIRST]] = state.to_come[now[SECOND]] = False
    now[TO_COME] = len(state.lead) - 2


POLICY = Policy(
    "winner_stays",
    Params,
    init,
    select,
    update,
    recommend,
    idle=idle,
    about="The arms with most wins over losses duel, and the winner stays.",
    source="Chen, Frazier 2017 (ICML), Algorithms 1 and 2",
    assumes="Condorcet winner; for strong regret also beta below p / (1 - p) for the smallest p above 1/2",
    settings={
        "regret": Setting("what to keep small", choices=("weak", "strong")),
        "beta": Setting("growth of the rests after each round; closer to 1 for many arms", above=1),
    },
    variants={"paper": {}, "paper-strong": {"regret": "strong"}},
)
