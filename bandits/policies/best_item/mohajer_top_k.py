"""TOP: build a heap of the winners of k tournaments; k times, remove the root and refill from its group.

Mohajer, Suh and Elmahdy, "Active Learning for Top-K Rank Aggregation from Noisy Comparisons", ICML 2017,
Algorithm 2. Assumes a total order of the arms.

The arms are split at random into k groups, and a heap is built of the winners of a SELECT tournament in each.
Then the root is output and removed from its group, and the winner of another tournament in that group
replaces it. If the group is empty, the heap shrinks by one node instead.

    Algorithm 2                                     here
    split into k groups                             init
    SELECT in every group                           _begin_select, plan_layer, advance_winners, _end_select
    build the heap, from the last inner node up     _end_select, _sift_down, _end_sift_step
    output the root, remove it from its group       _output_root
    SELECT in that group, restore the heap          _output_root, _end_select

The paper's indices of the group to refill, j = floor(Z / K) and C_i, are read as the group of the root. A
layer of a tournament is one agenda, and so is a match in the heap. `_advance` does everything that needs no
comparison. Given the same random numbers, the pairs equal those of the literal twin,
tests/naive/policies/mohajer_top_k.py.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from rankduel.bandits.agenda import Agenda, add, clear, empty_agenda, play_one_arm
from rankduel.bandits.contract import policy_of
from rankduel.bandits.parts.common_settings import NumberToFind
from rankduel.bandits.parts.matches.standings import add_wins, place_of_largest, wins_so_far
from rankduel.bandits.parts.single_elimination import (
    ComparisonsPerMatch,
    advance_winners,
    first_wins,
    plan_layer,
)
from rankduel.bandits.parts.survivors import remove_at
from rankduel.base.compiling import kernel, record
from rankduel.base.settings import Setting

SELECTING, SIFTING, FINISHED = range(3)  # values of Now.stage


class Params(NamedTuple):
    k: NumberToFind = 2
    m: ComparisonsPerMatch = 5
    final_refill: Annotated[
        bool, Setting("restore the heap after the last output as well, which changes no answer")
    ] = False


class Now(NamedTuple):
    stage: int = SELECTING
    group: int = 0  # group of the tournament
    n_slots: int = 0  # arms in the current layer of the tournament
    node: int = 0  # node to sift down
    best: int = 0  # the best of the node and the children compared so far
    child: int = 0  # child to compare next
    n_unsifted: int = 0  # nodes still to be sifted to build the heap
    n_heap: int = 0  # number of nodes of the heap
    n_found: int = 0  # number of arms output


class Room(NamedTuple):
    wins: np.ndarray  # (arms,) int64, `wins` of the state with those of the current agenda


class State(NamedTuple):
    now: np.recarray  # (1,), fields of Now
    agenda: Agenda
    members: np.ndarray  # (groups, arms of a group) int64: arms not output are first in their row
    n_members: np.ndarray  # (groups,) int64, how many these are
    winner: np.ndarray  # (groups,) int64, Z: winner of the last tournament of each group
    heap: np.ndarray  # (groups,) int64, group of each node; node 0 is the root, 2i + 1 the first child of i
    slots: np.ndarray  # (arms of a group,) int64: the arms of the current layer are in the first slots
    found: np.ndarray  # (k,) int64, arms output
    wins: np.ndarray  # (arms,) int64, comparisons won in complete agendas
    room: Room


def init(n_arms, params, rng):
    k = min(params.k, n_arms)
    group_size = -(-n_arms // k)
    n_groups = -(-n_arms // group_size)  # may be fewer than k
    members = np.full(n_groups * group_size, -1)
    members[:n_arms] = rng.permutation(n_arms)
    return State(
        now=record(Now(n_slots=group_size)),
        agenda=empty_agenda(max(group_size // 2, 1)),
        members=members.reshape(n_groups, group_size),
        n_members=np.minimum(group_size, n_arms - group_size * np.arange(n_groups)),
        winner=np.zeros(n_groups, np.int64),
        heap=np.arange(n_groups),
        slots=members[:group_size].copy(),
        found=np.zeros(k, np.int64),
        wins=np.zeros(n_arms, np.int64),
        room=Room(wins=np.zeros(n_arms, np.int64)),
    )


@kernel
def plan(state, params, rng):
    _advance(state, params)  # past groups of one arm at the start; later, `learn` has done so
    now = state.now[0]
    if now.stage == FINISHED:
        play_one_arm(state.agenda, state.found[0])
    elif now.stage == SELECTING:
        plan_layer(state.agenda, state.slots, now.n_slots, params.m)
    else:
        clear(state.agenda, params.m)
        add(state.agenda, state.winner[state.heap[now.child]], state.winner[state.heap[now.best]])


@kernel
def learn(state, params):
    now = state.now[0]
    add_wins(state.agenda, state.wins)
    if now.stage == SELECTING:
        now.n_slots = advance_winners(state.agenda, state.slots, now.n_slots)
    else:
        if first_wins(state.agenda, 0):
            now.best = now.child
        now.child += 1
    _advance(state, params)


@kernel
def recommend(state, params):
    """Return the first arm output; before that, the arm with most wins."""
    wins_so_far(state.agenda, state.wins, state.room.wins)
    return state.found[0] if state.now[0].n_found > 0 else place_of_largest(state.room.wins)


@kernel
def answers(state, params, chosen):
    """Mark the arms output, and of the other arms those with most wins, k in total."""
    wins_so_far(state.agenda, state.wins, state.room.wins)
    for place in range(len(state.found)):
        arm = state.found[place] if place < state.now[0].n_found else place_of_largest(state.room.wins)
        chosen[arm] = True
        state.room.wins[arm] = -1


@kernel
def finished(state, params):
    return state.now[0].stage == FINISHED


@kernel
def _advance(state, params):
    """Proceed until a comparison is needed, or all arms are output."""
    now = state.now[0]
    while now.stage != FINISHED:
        if now.stage == SELECTING:
            if now.n_slots > 1:
                return
            _end_select(state)
        else:
            if now.child < now.n_heap and now.child <= 2 * now.node + 2:
                return
            _end_sift_step(state, params)


@kernel
def _begin_select(state, group):
    """Begin the tournament of a group."""
    now = state.now[0]
    for place in range(state.n_members[group]):
        state.slots[place] = state.members[group, place]
    now.stage, now.group, now.n_slots = SELECTING, group, state.n_members[group]


@kernel
def _end_select(state):
    """Record the winner of a group; begin the next tournament, build the heap, or restore it."""
    now, n_groups = state.now[0], len(state.heap)
    state.winner[now.group] = state.slots[0]
    if now.n_found > 0:
        _sift_down(state, 0)
        return
    now.n_heap += 1
    if now.n_heap < n_groups:
        _begin_select(state, now.n_heap)
    else:
        now.n_unsifted = max(n_groups // 2, 1) - 1
        _sift_down(state, now.n_unsifted)


@kernel
def _sift_down(state, node):
    """Begin to move the arm of a node below all arms that beat it."""
    now = state.now[0]
    now.stage, now.node, now.best, now.child = SIFTING, node, node, 2 * node + 1


@kernel
def _end_sift_step(state, params):
    """Swap the node with its best child and go on there; if the node is best, take the next step."""
    now, heap = state.now[0], state.heap
    if now.best != now.node:
        heap[now.node], heap[now.best] = heap[now.best], heap[now.node]
        _sift_down(state, now.best)
    elif now.n_unsifted > 0:
        now.n_unsifted -= 1
        _sift_down(state, now.n_unsifted)
    elif now.n_found < len(state.found):
        _output_root(state, params)
    else:
        now.stage = FINISHED


@kernel
def _output_root(state, params):
    """Output the arm of the root; refill the root from its group, or remove it if the group is empty."""
    now, group = state.now[0], state.heap[0]
    state.found[now.n_found] = state.winner[group]
    now.n_found += 1
    _remove_winner(state, group)
    if now.n_found == len(state.found) and not params.final_refill:
        now.stage = FINISHED
    elif state.n_members[group] > 0:
        _begin_select(state, group)
    else:
        now.n_heap -= 1
        state.heap[0] = state.heap[now.n_heap]
        _sift_down(state, 0)


@kernel
def _remove_winner(state, group):
    """Remove the winner of a group from its members."""
    members, n = state.members[group], state.n_members[group]
    for place in range(n):
        if members[place] == state.winner[group]:
            state.n_members[group] = remove_at(members, n, place)
            return


POLICY = policy_of(
    __name__,
    source="Mohajer, Suh, Elmahdy 2017 (ICML), Algorithm 2",
    assumes="a total order",
    variants={"paper": {"final_refill": True}},
)
