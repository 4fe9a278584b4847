"""Sample-only scored multileaving (SOSM): the rankers are judged by how they order the documents shown.

Brost, Cox, Seldin and Lioma, "An Improved Multileaving Algorithm for Online Ranker Evaluation", SIGIR 2016.
The page is a team draft, but a click counts for every ranker: with the shown documents alone in the ranker's
order, a clicked one at rank r earns it r^-tau. (The paper divides by a sum that is the same for all
rankers.) Of two rankers the one with the higher score is preferred, so one page compares all of them.
"""

from typing import NamedTuple

from interleave.contract import Tau
from interleave.multileave.contract import Multileaver
from interleave.multileave.methods.team_draft import draft
from interleave.multileave.world import clear_scores, order_page, prefer_higher
from interleave.world import CLICKED, RANK, WEIGHT
from rankduel.base.compiling import kernel


class Params(NamedTuple):
    tau: Tau = 3.0


@kernel
def make_page(shared, panel, length, users):
    draft(shared, panel, 0, length, users)


@kernel
def prefer(shared, panel, length, preferences, users):
    page, weights = shared.world.page, shared.world.weights
    order_page(shared, panel, length, users)
    clear_scores(shared, panel.n)
    for at in range(length):
        if page[CLICKED, at]:
            for seat in range(panel.n):
                shared.scores[seat] += weights[WEIGHT, _shown_above(page, seat, length, at)]
    prefer_higher(shared.scores, panel.n, preferences)


@kernel
def _shown_above(page, seat, length, at):
    """How many shown documents the seat's ranker puts above this one."""
    above = 0
    for other in range(length):
        above += page[RANK + seat, other] < page[RANK + seat, at]
    return above


METHOD = Multileaver(
    "sosm",
    "team-draft page; every ranker is scored by its order of the documents shown",
    "Brost et al., SIGIR 2016",
    make_page,
    prefer,
    Params,
)
