"""Sequential elimination: an anchor has one match with each other arm, in a random order.

The common part of Seq-Eliminate and MallowsMPI, which differ in the test of a match. A better challenger
becomes the anchor; the other arm of the match is eliminated. In a match the challenger is the first arm.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankduel.bandits.parts.matches.match import BETTER, UNDECIDED, no_match, record_duel
from rankduel.bandits.parts.picks import NO_ARM
from rankduel.bandits.parts.survivors import skip_all
from rankduel.base.compiling import kernel, record


class EliminationNow(NamedTuple):
    anchor: int = NO_ARM
    place: int = 1  # place of the challenger in `order`


class Elimination(NamedTuple):
    now: np.recarray  # (1,), fields of EliminationNow
    order: np.ndarray  # (arms,) int64: all arms; the first of them is the first anchor
    match: np.recarray  # (1,), fields of Match


def new_elimination(n_arms: int, rng: np.random.Generator) -> Elimination:
    """Return a random order of the arms, with the first of them as the anchor."""
    order = rng.permutation(n_arms)
    return Elimination(record(EliminationNow(anchor=int(order[0]))), order, no_match())


@kernel
def challenger_of(elimination):
    return elimination.order[elimination.now[0].place]


@kernel
def all_challenged(elimination):
    """Return whether the anchor was decided against every other arm."""
    return elimination.now[0].place == len(elimination.order)


@kernel
def n_not_eliminated(elimination):
    """Return the number of challengers to come, and one for the anchor."""
    return len(elimination.order) - elimination.now[0].place + 1


@kernel
def record_challenge(elimination, first_won):
    """Record a duel of the challenger and the anchor; if it decides their match, eliminate one of them."""
    if all_challenged(elimination):
        return
    verdict = record_duel(elimination.match, first_won)
    if verdict == UNDECIDED:
        return
    now = elimination.now[0]
    if verdict == BETTER:
        now.anchor = challenger_of(elimination)
    now.place += 1


@kernel
def skip_if_all_challenged(elimination, limit, self_duels):
    """Skip `limit` self-duels of the anchor if no challenger is left, else none; return their number."""
    if not all_challenged(elimination):
        return 0
    return skip_all(elimination.now[0].anchor, limit, self_duels)
