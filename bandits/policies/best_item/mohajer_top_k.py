"""TOP-k: knock-out tournaments of k groups, whose winners form a heap; the best leaves, its group refills.

Mohajer, Suh and Elmahdy, "Active Learning for Top-K Rank Aggregation from Noisy Comparisons", ICML 2017,
Algorithm 2. Their indices of the group that refills are taken for the group of the arm that left.

A tournament's layer is one agenda, and so is each match of the heap.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bandits.agenda import Agenda, add, clear, empty_agenda, rest, stepwise
from bandits.contract import Policy
from bandits.parts.matches.standings import add_wins, place_of_largest, wins_so_far
from bandits.parts.survivors import remove_at
from bandits.policies.best_item.mohajer_select import advance_winners, plan_layer, wins_match
from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting

FILLING, SIFTING, DONE = range(3)  # what State.now[STAGE] may be
# Entries of State.now. Filling: the group, and who is still in its tournament. Sifting: a node of the heap,
# the better of it and the child already seen, the child to see now, and how many nodes to sift after it.
STAGE, GROUP, N_SLOTS, NODE, BETTER, CHILD, N_UNSIFTED, N_HEAP, N_FOUND, REFILLS = range(10)


class State(NamedTuple):
    agenda: Agenda
    members: np.ndarray  # (groups, arms of a group) int64: who was not found yet; the first of them count
    size: np.ndarray  # (groups,) int64: how many they are
    best: np.ndarray  # (groups,) int64: winner of the group's last tournament
    heap: np.ndarray  # (groups,) int64: the group at each node, the root first
    slots: np.ndarray  # (arms of a group,) int64: who is still in the tournament
    found: np.ndarray  # (k,) int64: best first
    won: np.ndarray  # (arms,) int64: comparisons won in agendas that are over
    room: np.ndarray  # (arms,) int64
    now: np.ndarray  # (10,) int64


class Params(NamedTuple):
    k: int = 2
    m: int = 5
    final_refill: bool = False


def init(n_arms, params, rng):
    k = min(params.k, n_arms)
    group_size = -(-n_arms // k)
    n_groups = -(-n_arms // group_size)  # fewer than k where they do not divide
    members = np.full(n_groups * group_size, -1)
    members[:n_arms] = rng.permutation(n_arms)
    now = np.zeros(10, np.int64)
    now[[N_SLOTS, REFILLS]] = group_size, params.final_refill
    return State(
        agenda=empty_agenda(max(group_size // 2, 1)),
        members=members.reshape(n_groups, group_size),
        size=np.minimum(group_size, n_arms - group_size * np.arange(n_groups)),
        best=np.zeros(n_groups, np.int64),
        heap=np.arange(n_groups),
        slots=members[:group_size].copy(),
        found=np.zeros(k, np.int64),
        won=np.zeros(n_arms, np.int64),
        room=np.zeros(n_arms, np.int64),
        now=now,
    )


@kernel
def plan(state, params, rng):
    _go_on(state)  # for the first time; later `learn` has done so
    now = state.now
    if now[STAGE] == DONE:
        rest(state.agenda, state.found[0])
    elif now[STAGE] == FILLING:
        plan_layer(state.agenda, state.slots, now[N_SLOTS], params.m)
    else:
        clear(state.agenda, params.m)
        add(state.agenda, state.best[state.heap[now[CHILD]]], state.best[state.heap[now[BETTER]]])


@kernel
def learn(state):
    now = state.now
    add_wins(state.agenda, state.won)
    if now[STAGE] == FILLING:
        now[N_SLOTS] = advance_winners(state.agenda, state.slots, now[N_SLOTS])
    else:
        if wins_match(state.agenda, 0):
            now[BETTER] = now[CHILD]
        now[CHILD] += 1
    _go_on(state)


@kernel
def recommend(state):
    """The best arm found; before that, the one that has won the most comparisons."""
    wins_so_far(state.agenda, state.won, state.room)
    return state.found[0] if state.now[N_FOUND] > 0 else place_of_largest(state.room)


@kernel
def answers(state, chosen):
    """The arms found; for those still missing, the arms that have won the most comparisons."""
    wins_so_far(state.agenda, state.won, state.room)
    for place in range(len(state.found)):
        arm = state.found[place] if place < state.now[N_FOUND] else place_of_largest(state.room)
        chosen[arm] = True
        state.room[arm] = -1


@kernel
def finished(state):
    return state.now[STAGE] == DONE


@kernel
def _go_on(state):
    """Do what needs no comparison, until one is needed or everything is found."""
    now = state.now
    while now[STAGE] != DONE:
        if now[STAGE] == FILLING:
            if now[N_SLOTS] > 1:
                return
            state.best[now[GROUP]] = state.slots[0]
            _after_filling(state)
        else:
            if now[CHILD] < now[N_HEAP] and now[CHILD] <= 2 * now[NODE] + 2:
                return
            _after_children(state)


@kernel
def _after_filling(state):
    """The first time all groups are filled before the nodes are sifted, the last with a child first."""
    now = state.now
    if now[N_FOUND] > 0:
        _sift(now, 0)
        return
    now[N_HEAP] += 1
    if now[N_HEAP] < len(state.size):
        _fill(state, now[N_HEAP])
    else:
        now[N_UNSIFTED] = max(len(state.size) // 2, 1) - 1
        _sift(now, now[N_UNSIFTED])


@kernel
def _after_children(state):
    """The better child, if any, rises, and the node goes on from there; else it is in order."""
    now, heap = state.now, state.heap
    if now[BETTER] != now[NODE]:
        heap[now[NODE]], heap[now[BETTER]] = heap[now[BETTER]], heap[now[NODE]]
        _sift(now, now[BETTER])
    elif now[N_UNSIFTED] > 0:
        now[N_UNSIFTED] -= 1
        _sift(now, now[N_UNSIFTED])
    elif now[N_FOUND] < len(state.found):
        _pop(state)
    else:
        now[STAGE] = DONE


@kernel
def _pop(state):
    """The best arm leaves the heap and its group, which fills its place or leaves the heap too."""
    now, group = state.now, state.heap[0]
    arm = state.best[group]
    state.found[now[N_FOUND]] = arm
    now[N_FOUND] += 1
    for place in range(state.size[group]):
        if state.members[group, place] == arm:
            state.size[group] = remove_at(state.members[group], state.size[group], place)
            break
    if now[N_FOUND] == len(state.found) and not now[REFILLS]:
        now[STAGE] = DONE
    elif state.size[group] > 0:
        _fill(state, group)
    else:
        now[N_HEAP] -= 1
        state.heap[0] = state.heap[now[N_HEAP]]
        _sift(now, 0)


@kernel
def _fill(state, group):
    """Begin the tournament of a group."""
    for place in range(state.size[group]):
        state.slots[place] = state.members[group, place]
    state.now[STAGE], state.now[GROUP], state.now[N_SLOTS] = FILLING, group, state.size[group]


@kernel
def _sift(now, node):
    """Begin to put the arm of a node in its place, below all better ones."""
    now[STAGE], now[NODE], now[BETTER], now[CHILD] = SIFTING, node, node, 2 * node + 1


SELECT, UPDATE = stepwise(plan, learn)
POLICY = Policy(
    "mohajer_top_k",
    Params,
    init,
    SELECT,
    UPDATE,
    recommend,
    answers=answers,
    finished=finished,
    plan=plan,
    learn=learn,
    about="Winners of knock-out tournaments form a heap; the best leaves, and its group sends the next.",
    source="Mohajer, Suh, Elmahdy 2017 (ICML), Algorithm 2",
    assumes="a total order",
    settings={
        "k": Setting("how many of the best arms to find; all of them if there are fewer", at_least=1),
        "m": Setting("comparisons of a match", at_least=1),
        "final_refill": Setting("restore the heap after the last arm was found too, which changes nothing"),
    },
    variants={"paper": {"final_refill": True}},
)
