"""Tournament-k-Selection: select k arms of every small block in each round, until k arms are left.

Ren, Liu and Shroff, "The Sample Complexity of Best-k Items Selection from Pairwise Comparisons", ICML 2020.
The policy tournament_k consists of one tournament, and SEEBS of several with k = 1.

A block has at most 2k arms. Epsilon-Quick-Select finds its best k: each other arm has one match with a random
pivot, and the search continues among the arms above or below the pivot. Selected arms are moved to the front
of `arms`, to places whose arms are in a block already.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rankduel.bandits.parts.matches.match import (
    BETTER,
    EVEN,
    UNDECIDED,
    WORSE,
    distribute_item,
    no_match,
    record_duel,
)
from rankduel.bandits.parts.picks import NO_ARM, pick, shuffle
from rankduel.base.compiling import kernel, record

_NO_VERDICT = -1


class TournamentNow(NamedTuple):
    round_number: int = 1  # t
    n_remaining: int = 0  # arms that are not eliminated
    n_entered: int = 0  # arms that entered the round, |R|
    place: int = 0  # place of the next block in `arms`
    n_selected: int = 0  # arms selected in this round
    n_block: int = 0  # arms of the block, |S|; 0 between two blocks
    wanted: int = 0  # arms still to be selected in the block
    pivot: int = NO_ARM  # place of the pivot v in the block
    turn: int = 0  # place in the block of the arm that duels the pivot
    delta: float = 0.0  # probability of an error of the quick-select


class Tournament(NamedTuple):
    now: np.recarray  # (1,), fields of TournamentNow
    arms: np.ndarray  # (arms,) int64, R: the arms selected in this round; from `place` on the blocks to come
    block: np.ndarray  # (2k,) int64, S: the arms of the quick-select
    verdict: np.ndarray  # (2k,) int64: BETTER, EVEN or WORSE than the pivot, by place in the block
    remains: np.ndarray  # (arms,) bool: not eliminated
    n_won: np.ndarray  # (arms,) int64: duels won
    match: np.recarray  # (1,), fields of Match


def new_tournament(n_arms: int, k: int) -> Tournament:
    """Return a tournament of all arms."""
    block_capacity = 2 * min(k, n_arms)
    return Tournament(
        now=record(TournamentNow(n_remaining=n_arms, n_entered=n_arms)),
        arms=np.arange(n_arms),
        block=np.zeros(block_capacity, np.int64),
        verdict=np.zeros(block_capacity, np.int64),
        remains=np.ones(n_arms, np.bool_),
        n_won=np.zeros(n_arms, np.int64),
        match=no_match(),
    )


@kernel
def restart_tournament(tournament, arms, n):
    """Begin a tournament of the first `n` of these arms; wins of earlier tournaments still count."""
    now = tournament.now[0]
    for arm in range(len(tournament.remains)):
        tournament.remains[arm] = False
    for place in range(n):
        tournament.arms[place] = arms[place]
        tournament.remains[arms[place]] = True
    now.round_number, now.n_remaining, now.n_entered = 1, n, n
    now.place = now.n_selected = now.n_block = 0


@kernel
def has_selected(tournament, k):
    """Return whether at most k arms remain."""
    return tournament.now[0].n_remaining <= k


@kernel
def most_successful(tournament):
    """Return the remaining arm that has won most duels; the lowest of equals."""
    best = NO_ARM
    for arm in range(len(tournament.n_won)):
        if tournament.remains[arm] and (best == NO_ARM or tournament.n_won[arm] > tournament.n_won[best]):
            best = arm
    return best


@kernel
def begin_next_match(tournament, k, epsilon, delta, rng):
    """Begin the match of the next arm and the pivot, in a new block or with a new pivot if one is due."""
    now, block = tournament.now[0], tournament.block
    if now.n_block == 0:
        _begin_block(tournament, k, delta, rng)
    if now.pivot == NO_ARM:
        _choose_pivot(tournament, rng)
    n, epsilon_t = now.n_block, epsilon / 4.0 * 0.8**now.round_number
    share = now.delta / (n * (n - 1))
    distribute_item(tournament.match, block[now.turn], block[now.pivot], epsilon_t / 2.0, 0.0, 0.0, share)


@kernel
def record_tournament_duel(tournament, first, second, first_won):
    """Record a duel; if it decides the last match of the pivot, divide the block."""
    tournament.n_won[first if first_won else second] += 1
    verdict, now = record_duel(tournament.match, first_won), tournament.now[0]
    if verdict == UNDECIDED:
        return
    tournament.verdict[now.turn] = verdict
    now.turn += 1
    now.turn += now.turn == now.pivot
    if now.turn >= now.n_block:
        _divide_block(tournament)


@kernel
def _begin_block(tournament, k, delta, rng):
    """Begin the quick-select of the next block of more than k arms; smaller blocks are selected whole."""
    now = tournament.now[0]
    while now.n_block <= k:
        for place in range(now.n_block):
            _select_arm(tournament, tournament.block[place])
        if now.place == now.n_entered:
            now.n_entered, now.place, now.n_selected = now.n_selected, 0, 0
            now.round_number += 1
        if now.place == 0:
            shuffle(tournament.arms, now.n_entered, rng)
        now.n_block = min(2 * k, now.n_entered - now.place)
        for place in range(now.n_block):
            tournament.block[place] = tournament.arms[now.place + place]
        now.place += now.n_block
    now.wanted, now.pivot = k, NO_ARM
    delta_t = 6.0 * delta / (math.pi * math.pi * now.round_number * now.round_number)
    now.delta = delta_t / k


@kernel
def _choose_pivot(tournament, rng):
    now = tournament.now[0]
    now.pivot = pick(now.n_block, rng)
    tournament.verdict[now.pivot] = EVEN
    now.turn = now.pivot == 0


@kernel
def _divide_block(tournament):
    """Select or eliminate every arm of the block, except those among which the search continues."""
    now, block, verdict = tournament.now[0], tournament.block, tournament.verdict
    n = now.n_block
    open_places = now.wanted - _count(verdict, n, BETTER)
    searched = _searched_group(open_places, _count(verdict, n, EVEN))
    now.n_block = 0
    for place in range(n):
        arm = block[place]
        if verdict[place] == searched:
            block[now.n_block] = arm
            now.n_block += 1
        elif verdict[place] == BETTER or (verdict[place] == EVEN and open_places > 0):
            open_places -= verdict[place] == EVEN
            _select_arm(tournament, arm)
            now.wanted -= 1
        else:
            tournament.remains[arm] = False
            now.n_remaining -= 1
    now.pivot = NO_ARM
    now.delta *= (n - 1) / n


@kernel
def _searched_group(open_places, n_even):
    """Return the verdict of the arms among which the search continues, given the places below BETTER."""
    if open_places < 0:
        return BETTER
    return WORSE if open_places > n_even else _NO_VERDICT


@kernel
def _count(values, n, value):
    count = 0
    for place in range(n):
        count += values[place] == value
    return count


@kernel
def _select_arm(tournament, arm):
    now = tournament.now[0]
    tournament.arms[now.n_selected] = arm
    now.n_selected += 1
