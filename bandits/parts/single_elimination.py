"""Single-elimination tournaments, one layer of matches per agenda: what SELECT and TOP share.

Mohajer, Suh and Elmahdy 2017, Algorithm 1. The arms of a layer are in slots. Slots 0 and 1, 2 and 3, ... play
matches of m comparisons, and the winner of match i takes slot i of the next layer. An even match goes to the
first slot of the pair. In a layer with an odd number of slots the last one advances without a match.
"""

from __future__ import annotations

from typing import Annotated

from rankduel.bandits.agenda import add, clear
from rankduel.bandits.parts.common_settings import MOST_COMPARISONS
from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting

ComparisonsPerMatch = Annotated[
    int, Setting("number of comparisons in a match", at_least=1, at_most=MOST_COMPARISONS)
]


@kernel
def plan_layer(agenda, slots, n_slots, m):
    """Plan the matches of the arms in the first `n_slots` slots."""
    clear(agenda, m)
    for match in range(n_slots // 2):
        add(agenda, slots[2 * match], slots[2 * match + 1])


@kernel
def advance_winners(agenda, slots, n_slots):
    """Move the arms of the next layer to the first slots; return how many there are."""
    for match in range(n_slots // 2):
        slots[match] = slots[2 * match + (not first_wins(agenda, match))]
    if n_slots % 2 == 1:
        slots[n_slots // 2] = slots[n_slots - 1]
    return n_slots - n_slots // 2


@kernel
def first_wins(agenda, match):
    """Return whether the first arm of a match won at least half of the comparisons."""
    return 2 * agenda.wins[match] >= agenda.now[0].times
