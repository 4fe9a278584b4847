"""Rows of Bernoulli variables: which arms an arm beats in a sampled tournament.

A Bernoulli variable with probability q is 1 if a uniform random number is below q. The first 15 bits of both
are compared; where they are equal, one more random number decides by the remaining bits of q. Nothing is
rounded, and a row is a plain loop over 16-bit integers, which compilers turn into vector instructions.

The random bits come from several generators (SFC64, by Chris Doty-Humphrey) that advance together. They are
seeded from the policy's own generator in every step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankduel.base.compiling import kernel, record

_BITS = 15  # the difference of two such numbers is a 16-bit integer, and its sign bit compares them
_ONE = 1 << _BITS
_BLOCK = 32  # row lengths are multiples of this, so that vector instructions leave no remainder
_LANES = 16  # number of generators
_PER_WORD = 4  # numbers of 15 bits in a random word of 64 bits
_WARM_UP = 12  # turns after which the similar seeds of the generators no longer matter

# Unsigned 64-bit integers, as the generators need them. The mask keeps 15 bits of every 16.
_1, _3, _11, _24, _40 = (np.uint64(shift) for shift in (1, 3, 11, 24, 40))
_MASK = np.uint64(0x7FFF7FFF7FFF7FFF)


class RowOdds(NamedTuple):
    """The probabilities by which rows are sampled."""

    level: np.ndarray  # (arms, row) int16, the first 15 bits of the probability that i beats j
    probability: np.ndarray  # (arms, arms) float64, probability that i beats j
    strength: np.ndarray  # (arms,) float64, approximate expected wins in a tournament


class BitsNow(NamedTuple):
    n_turns: int = 0  # number of turns of the generators in this step
    n_used: int = 0  # number of random numbers of `words` that were used


class RandomBits(NamedTuple):
    now: np.recarray  # (1,), fields of BitsNow
    lanes: np.ndarray  # (3, lanes) uint64, states of the generators
    words: np.ndarray  # (a multiple of lanes,) uint64, random bits, enough for a row


class TournamentNow(NamedTuple):
    n_unsampled: int = 0  # number of rows not sampled yet


class TournamentRoom(NamedTuple):
    """Workspace of one tournament. An arm is admitted until its row has been sampled."""

    now: np.recarray  # (1,), fields of TournamentNow
    admitted: np.ndarray  # (row,) int16: 1 for arms against which rows are sampled
    won: np.ndarray  # (arms or 1, row) int16: 1 for arms that arm i (or the latest arm) beat in its row
    lost: np.ndarray  # (row,) int16: number of arms in whose rows each arm won
    score: np.ndarray  # (arms,) int64: wins in all duels; -1 if an arm cannot have most, and was not sampled
    turn: np.ndarray  # (arms,) int64: number of rows not sampled yet before the row of the arm was
    single: np.ndarray  # (1,) int64, a list of one arm
    bits: RandomBits


def tournament_room(n_arms: int, keep_rows: bool) -> TournamentRoom:
    """Return workspace for tournaments that store the rows of all arms, or only the latest."""
    row = _row_length(n_arms)
    return TournamentRoom(
        now=record(TournamentNow()),
        admitted=np.zeros(row, np.int16),
        won=np.zeros((n_arms if keep_rows else 1, row), np.int16),
        lost=np.zeros(row, np.int16),
        score=np.zeros(n_arms, np.int64),
        turn=np.zeros(n_arms, np.int64),
        single=np.zeros(1, np.int64),
        bits=_random_bits(n_arms),
    )


def _random_bits(n_arms: int) -> RandomBits:
    n_words = max(16, -(-n_arms // (_LANES * _PER_WORD))) * _LANES
    return RandomBits(record(BitsNow()), np.zeros((3, _LANES), np.uint64), np.zeros(n_words, np.uint64))


def even_levels(n_arms: int) -> np.ndarray:
    """Return `RowOdds.level` for probabilities of 1/2."""
    return np.full((n_arms, _row_length(n_arms)), _ONE // 2, np.int16)


def _row_length(n_arms: int) -> int:
    return -(-n_arms // _BLOCK) * _BLOCK


@kernel
def update_levels(level, probability, one, other):
    """Recompute the levels of a pair after a duel."""
    level[one, other] = min(int(probability[one, other] * _ONE), _ONE - 1)
    level[other, one] = min(int(probability[other, one] * _ONE), _ONE - 1)


@kernel
def seed_bits(bits, rng):
    """Seed the generators; called before the first row of every step."""
    one = np.uint64(rng.random() * 2.0**53)
    other = np.uint64(rng.random() * 2.0**53)
    for lane in range(_LANES):
        bits.lanes[0, lane], bits.lanes[1, lane], bits.lanes[2, lane] = one, other, np.uint64(lane + 1)
    bits.now[0].n_turns = 0
    _draw_words(bits.lanes, bits.words[: _WARM_UP * _LANES], bits.now)
    bits.now[0].n_used = len(bits.words) * _PER_WORD


@kernel
def admit_all(room):
    """Begin a tournament of all arms."""
    for arm in range(len(room.score)):
        room.admitted[arm], room.lost[arm] = 1, 0
    room.now[0].n_unsampled = len(room.score)


@kernel
def sample_rows(odds, room, arms, last, weakest, most_wins, rng):
    """Sample the rows of `arms`, ascending, from the last, each against all arms that are still admitted.

    Arms are passed over if they are not admitted, if their strength is below `weakest`, and if they cannot
    reach a score of `most_wins`. Return `most_wins`, or the largest new score if that is larger. No arm after
    both `last` and the arm whose row is sampled may be admitted.
    """
    admitted, lost, now = room.admitted, room.lost, room.now[0]
    for place in range(len(arms) - 1, -1, -1):
        arm = arms[place]
        if admitted[arm] == 0:
            continue
        if odds.strength[arm] < weakest or lost[arm] + now.n_unsampled - 1 < most_wins:
            room.score[arm] = -1
            last = max(last, arm)
            continue
        room.turn[arm] = now.n_unsampled
        now.n_unsampled -= 1
        admitted[arm] = 0
        n = (max(arm, last + 1) + _BLOCK - 1) & -_BLOCK
        start = _take(room.bits.lanes, room.bits.words, room.bits.now, n)
        numbers, level = room.bits.words.view(np.int16)[start : start + n], odds.level[arm]
        won = room.won[arm % len(room.won)]
        n_won, undecided = _compare(numbers, level, admitted, won, lost)
        if undecided:
            n_won += _decide(numbers, level, odds.probability[arm], admitted, won, lost, rng)
        room.score[arm] = lost[arm] + n_won
        most_wins = max(most_wins, room.score[arm])
    return most_wins


@kernel
def _take(lanes, words, now, n):
    """Return the index of `n` unused random numbers in `words`, viewed as 16-bit integers."""
    used = now[0].n_used
    if used + n > len(words) * _PER_WORD:
        _draw_words(lanes, words, now)
        used = 0
    now[0].n_used = used + n
    return used


@kernel
def _compare(numbers, level, admitted, won, lost):
    """Return (wins, whether some variable is undecided); undecided variables count as lost.

    The loop has no branches, for vector instructions.
    """
    n_won = np.int16(0)
    undecided = np.int16(0)
    for j in range(len(numbers)):
        difference = np.int16(numbers[j] - level[j])
        up = np.int16((np.uint16(difference) >> _BITS) & admitted[j])  # the sign bit
        won[j] = up
        lost[j] += admitted[j] - up
        n_won = np.int16(n_won + up)
        undecided = np.int16(undecided | ((difference - 1) & ~difference))  # sign bit: some difference is 0
    return int(n_won), undecided < 0


@kernel
def _decide(numbers, level, probability, admitted, won, lost, rng):
    """Decide the undecided variables; return how many of them are wins."""
    n_won = 0
    for j in range(len(numbers)):
        if admitted[j] == 1 and numbers[j] == level[j] and rng.random() < probability[j] * _ONE - level[j]:
            won[j] = 1
            lost[j] -= 1
            n_won += 1
    return n_won


@kernel
def _draw_words(lanes, words, now):
    """Fill `words`, whose length is a multiple of _LANES, by turns of all generators."""
    first, second, third = lanes[0], lanes[1], lanes[2]
    place, count = 0, np.uint64(now[0].n_turns)
    for _ in range(len(words) // _LANES):
        for lane in range(_LANES):
            a, b, c = first[lane], second[lane], third[lane]
            word = a + b + count
            first[lane] = b ^ (b >> _11)
            second[lane] = c + (c << _3)
            third[lane] = ((c << _24) | (c >> _40)) + word
            words[place + lane] = word & _MASK
        place += _LANES
        count += _1
    now[0].n_turns += len(words) // _LANES
