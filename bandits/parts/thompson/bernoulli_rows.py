"""Rows of Bernoulli draws: whom does an arm beat in a simulated tournament?

A coin with chance q comes up if a random number is below q. Of both, the first 15 bits are compared; where
they agree, one more random number decides by what is left of q. Nothing is rounded, and a row of coins is a
plain loop over short integers, which compilers turn into vector instructions.

So many random bits come cheapest from a row of small generators (SFC64, by Chris Doty-Humphrey) that take
every turn together. They start anew from the policy's own generator in every step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankduel.base.compiling import force_inlined, kernel

_BITS = 15  # the difference of two such numbers is a short integer, whose sign says which is larger
_ONE = 1 << _BITS
_BLOCK = 32  # rows are this long or a multiple: vector instructions then have no rest to deal with
_LANES = 16  # generators
_PER_WORD = 4  # coins in a random word of 64 bits
_WARM_UP = 12  # turns until the generators have forgotten how alike their seeds were
_TURNS, _USED = 0, 1  # entries of BernoulliRows.now

# As the generators want them: numbers of 64 bits without a sign. The last keeps 15 bits of every 16.
_1, _3, _11, _24, _40 = (np.uint64(shift) for shift in (1, 3, 11, 24, 40))
_FIFTEEN = np.uint64(0x7FFF7FFF7FFF7FFF)

# Copied into their caller: handing over so many arrays takes as long as tossing a row.
_inlined = force_inlined


class BernoulliRows(NamedTuple):
    level: np.ndarray  # (arms, row) int16, the first 15 bits of the chance that i beats j
    lanes: np.ndarray  # (3, lanes) uint64, the generators
    words: np.ndarray  # (a multiple of lanes,) uint64, random bits, enough for a row
    now: np.ndarray  # (2,) int64: turns the generators took in this step; random bits used up, in coins


class DrawnRows(NamedTuple):
    """What is tossed, and who may still be tossed against; the room of one tournament."""

    present: np.ndarray  # (row,) int16 flags
    won: np.ndarray  # (arms or 1, row) int16 flags: whom arm i (or the latest) beat in its turn
    lost: np.ndarray  # (row,) int16: how many lost to each arm in their turn
    score: np.ndarray  # (arms,) int64: wins in all duels; -1 for who had no turn because it could not win
    turn: np.ndarray  # (arms,) int64: how many were present in its turn, itself included
    n_present: np.ndarray  # (1,) int64


class Tournament(NamedTuple):
    """What the rows of a tournament are tossed by."""

    coins: BernoulliRows
    chance: np.ndarray  # (arms, arms) float64: that the row's arm beats the column's
    strength: np.ndarray  # (arms,) float64: expected wins, roughly
    rows: DrawnRows


def new_rows(n_arms: int, keep: bool) -> DrawnRows:
    """`keep` the rows of all arms, or only the last one."""
    row = -(-n_arms // _BLOCK) * _BLOCK
    return DrawnRows(
        present=np.zeros(row, np.int16),
        won=np.zeros((n_arms if keep else 1, row), np.int16),
        lost=np.zeros(row, np.int16),
        score=np.zeros(n_arms, np.int64),
        turn=np.zeros(n_arms, np.int64),
        n_present=np.zeros(1, np.int64),
    )


def even_rows(n_arms: int) -> BernoulliRows:
    """Every chance is one half."""
    n_words = max(16, -(-n_arms // (_LANES * _PER_WORD))) * _LANES
    return BernoulliRows(
        np.full((n_arms, -(-n_arms // _BLOCK) * _BLOCK), _ONE // 2, np.int16),
        np.zeros((3, _LANES), np.uint64),
        np.zeros(n_words, np.uint64),
        np.zeros(2, np.int64),
    )


@kernel
def note_chance(level, chance, one, other):
    """Take over the chances of a pair that was just compared."""
    level[one, other] = min(int(chance[one, other] * _ONE), _ONE - 1)
    level[other, one] = min(int(chance[other, one] * _ONE), _ONE - 1)


@kernel
def new_step(coins, rng):
    """Seed the generators; before the first row of every step."""
    one = np.uint64(rng.random() * 2.0**53)
    other = np.uint64(rng.random() * 2.0**53)
    for lane in range(_LANES):
        coins.lanes[0, lane], coins.lanes[1, lane], coins.lanes[2, lane] = one, other, np.uint64(lane + 1)
    coins.now[_TURNS] = 0
    _draw_words(coins.lanes, coins.words[: _WARM_UP * _LANES], coins.now)
    coins.now[_USED] = len(coins.words) * _PER_WORD


@kernel
def all_present(rows):
    for arm in range(len(rows.score)):
        rows.present[arm], rows.lost[arm] = 1, 0
    rows.n_present[0] = len(rows.score)


@kernel
def toss_rows(tournament, arms, last, weakest, largest, rng):
    """Give each of the ascending `arms` its turn, from the last: it meets all present, and leaves them.

    Not those who are absent, or weaker than `weakest`, or can no longer reach the score `largest`; returns
    that, which grows with every score. Nobody is present behind both `last` and the arm whose turn it is.
    """
    coins, chance, strength, rows = tournament
    present, lost = rows.present, rows.lost
    for place in range(len(arms) - 1, -1, -1):
        arm = arms[place]
        if present[arm] == 0:
            continue
        if strength[arm] < weakest or lost[arm] + rows.n_present[0] - 1 < largest:
            rows.score[arm] = -1
            last = max(last, arm)
            continue
        rows.turn[arm] = rows.n_present[0]
        rows.n_present[0] -= 1
        present[arm] = 0
        n = (max(arm, last + 1) + _BLOCK - 1) & -_BLOCK
        start = _take(coins.lanes, coins.words, coins.now, n)
        numbers, level = coins.words.view(np.int16)[start : start + n], coins.level[arm]
        won = rows.won[arm % len(rows.won)]
        n_won, undecided = _toss(numbers, level, present, won, lost)
        if undecided:
            n_won += _settle(numbers, level, chance[arm], present, won, lost, rng)
        rows.score[arm] = lost[arm] + n_won
        largest = max(largest, rows.score[arm])
    return largest


@kernel
def _take(lanes, words, now, n):
    """Where in `words`, counted in coins, so many fresh random numbers are."""
    used = now[_USED]
    if used + n > len(words) * _PER_WORD:
        _draw_words(lanes, words, now)
        used = 0
    now[_USED] = used + n
    return used


@_inlined
def _toss(numbers, level, present, won, lost):
    """(wins, is some coin undecided?). Undecided ones count as lost. Shaped for vector instructions."""
    n_won = np.int16(0)
    undecided = np.int16(0)
    for j in range(len(numbers)):
        difference = np.int16(numbers[j] - level[j])
        up = np.int16((np.uint16(difference) >> _BITS) & present[j])  # its sign bit
        won[j] = up
        lost[j] += present[j] - up
        n_won = np.int16(n_won + up)
        undecided = np.int16(undecided | ((difference - 1) & ~difference))  # its sign bit: was one zero?
    return int(n_won), undecided < 0


@kernel
def _settle(numbers, level, chance, present, won, lost, rng):
    """Decide the undecided; returns how many of them are won."""
    n_won = 0
    for j in range(len(numbers)):
        if present[j] == 1 and numbers[j] == level[j] and rng.random() < chance[j] * _ONE - level[j]:
            won[j] = 1
            lost[j] -= 1
            n_won += 1
    return n_won


@kernel
def _draw_words(lanes, words, now):
    """Fill `words`, whose length is a multiple of _LANES, by turns of every generator."""
    first, second, third = lanes[0], lanes[1], lanes[2]
    place, count = 0, np.uint64(now[_TURNS])
    for _ in range(len(words) // _LANES):
        for lane in range(_LANES):
            a, b, c = first[lane], second[lane], third[lane]
            word = a + b + count
            first[lane] = b ^ (b >> _11)
            second[lane] = c + (c << _3)
            third[lane] = ((c << _24) | (c >> _40)) + word
            words[place + lane] = word & _FIFTEEN
        place += _LANES
        count += _1
    now[_TURNS] += len(words) // _LANES
