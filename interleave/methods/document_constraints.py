"""Document constraints: the ranking that violates fewer preferences between documents wins.

He, Zhai and Li, "Evaluation of Methods for Relative Comparison of Retrieval Systems Based on
Clickthroughs", CIKM 2009; constraint types as in Lerot. The page is that of balanced interleaving. A clicked
document is preferred to
  type 1: every unclicked document above it;
  type 2: and the document just below it, if unclicked;
  type 3: and the first unclicked document below the run of clicks it belongs to.

Lists that end: as in balanced interleaving. A ranking has unlisted documents below all listed ones, and
violates no preference between two unlisted documents.
"""

from typing import Annotated, NamedTuple

from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting
from rankduel.interleave.contract import Method
from rankduel.interleave.methods import balanced
from rankduel.interleave.world import CLICKED, FIRST, RANK, SECOND, rank_page

next_document = balanced.next_document


class Params(NamedTuple):
    type: Annotated[
        int, Setting("which unclicked documents a clicked one is preferred to", at_least=1, at_most=3)
    ] = 3


@kernel
def credit(world, pair, n_read, users):
    """Return the constraints that the second ranking violates minus the first's, as a share of both."""
    page, n_shown = world.page, n_read
    # The user left with a click: the document below it belongs to the constraints.
    if 0 < n_read < world.rules[0].n_drafted and page[CLICKED, n_read - 1]:
        balanced.add_document(world, pair, n_read, users)
        page[CLICKED, n_read] = 0
        n_shown += 1
    rank_page(world, pair, n_shown, users)
    return _compare(world, n_shown)


@kernel
def _compare(world, n_shown):
    wrong_first, wrong_second = 0, 0
    for high in range(n_shown):
        if world.page[CLICKED, high]:
            below = _just_below(world, high, n_shown)
            for low in range(n_shown):
                if not world.page[CLICKED, low] and (low < high or low == below):
                    wrong_first += _above(world, FIRST, low, high)
                    wrong_second += _above(world, SECOND, low, high)
    return (wrong_second - wrong_first) / max(1, wrong_first + wrong_second)


@kernel
def _just_below(world, high, n_shown):
    """Return the place below a click whose document belongs to the constraints; -1 if there is none."""
    if world.rules[0].type == 1:
        return -1
    below = high + 1
    while world.rules[0].type == 3 and below < n_shown and world.page[CLICKED, below]:
        below += 1
    return below


@kernel
def _above(world, side, low, high):
    """Return 1 if a side ranks the document at place `low` above that at place `high`, otherwise 0."""
    return 1 if world.page[RANK + side, low] < world.page[RANK + side, high] else 0


METHOD = Method(
    "document_constraints",
    "balanced page; the ranking that violates fewer click preferences wins",
    "He, Zhai and Li, CIKM 2009",
    next_document,
    credit,
    Params,
    n_drafted=balanced.n_drafted,
)
