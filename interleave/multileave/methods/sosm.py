"""Sample-only scored multileaving (SOSM): rankers are scored by their order of the documents shown.

Brost, Cox, Seldin and Lioma, "An Improved Multileaving Algorithm for Online Ranker Evaluation", SIGIR 2016.
The page is a team draft, but a click is credited to every ranker: a clicked document that has rank r in the
ranker's order of the shown documents adds r^-tau to its score. (The paper divides by a sum that is the same
for all rankers.) Of two rankers the one with the higher score is preferred, so one page compares all of them.

Lists that end: the drafted places are those of team-draft multileaving. A ranker has the shown documents that
it does not list below those that it does, in no order: a click on one of them earns the mean of what these
last ranks earn. So all documents shown earn every ranker the same sum, and users who click every place
equally often earn all rankers the same mean score, as with full lists.
"""

from typing import NamedTuple

from rankduel.base.compiling import kernel
from rankduel.interleave.contract import Tau
from rankduel.interleave.multileave.contract import Multileaver
from rankduel.interleave.multileave.methods.team_draft import draft, n_drafted
from rankduel.interleave.multileave.world import clear_scores, order_page, prefer_higher
from rankduel.interleave.world import CLICKED, RANK, TOTAL, WEIGHT


class Params(NamedTuple):
    tau: Tau = 3.0


@kernel
def make_page(shared, group, length, users):
    draft(shared, group, 0, length, users)


@kernel
def prefer(shared, group, length, preferences, users):
    page = shared.world.page
    order_page(shared, group, length, users)
    clear_scores(shared, group.n)
    for at in range(length):
        if page[CLICKED, at]:
            for side in range(group.n):
                is_unlisted = page[RANK + side, at] == group.n_docs
                shared.scores[side] += _earned(shared.world, side, length, at, is_unlisted)
    prefer_higher(shared.scores, group.n, preferences)


@kernel
def _earned(world, side, length, at, is_unlisted):
    """Return what a click on place `at` earns a side, by how many shown documents its ranker has above it."""
    page, weights, above = world.page, world.weights, 0
    for other in range(length):
        above += page[RANK + side, other] < page[RANK + side, at]
    if not is_unlisted:
        return weights[WEIGHT, above]
    listed = weights[TOTAL, above - 1] if above > 0 else 0.0
    return (weights[TOTAL, length - 1] - listed) / (length - above)


METHOD = Multileaver(
    "sosm",
    "team-draft page; every ranker is scored by its order of the documents shown",
    "Brost et al., SIGIR 2016",
    make_page,
    prefer,
    Params,
    n_drafted,
)
