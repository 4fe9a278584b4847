"""Making worlds: rankings, grades, a user and a method come together, and everything is checked once."""

from __future__ import annotations

from typing import Any

import numpy as np

from clickmodels.tables import ClickModel, check_grades
from interleave import optimized
from interleave.methods import InterleaveError, Interleaving, known
from interleave.world import CREDIT, DROP_TIES, REDRAW, SAMPLES, VARIANT, World
from letor_data.rankings import Rankings
from letor_data.sorting import read_only

TIED_DUELS = {"coin": "a fair coin decides", "drop": "played again with another query until somebody wins"}


def make_world(
    rankings: Rankings,
    labels: np.ndarray,
    model: ClickModel,
    interleaving: Interleaving,
    length: int = 10,
    ties: str = "random_impression",
    tied_duels: str = "coin",
    queries: str | np.ndarray = "uniform",
    seed: int = 0,
) -> World:
    """What a live duel needs.

    ties        between documents, see letor_data.ties.TIE_MODES; `seed` is for those broken once per run
    tied_duels  between rankers, see TIED_DUELS
    queries     "uniform", "cycle" (in file order), or a weight per query
    """
    if length < 1:
        raise InterleaveError(f"a page must have at least 1 document, not {length}")
    if len(labels) != rankings.n_docs:
        raise InterleaveError(f"{len(labels)} labels for rankings of {rankings.n_docs} documents")
    longest = int(np.diff(rankings.offsets).max())
    if interleaving.method == "optimized" and min(length, longest) > optimized.LONGEST:
        raise InterleaveError(f"optimized pages have at most {optimized.LONGEST} documents, not {length}")
    known(tied_duels, TIED_DUELS, "way to settle tied duels")
    check_grades(model, labels)
    settled = rankings.resolve(ties, seed)
    rules = np.zeros(5, np.int64)
    rules[CREDIT] = interleaving.code("credit")
    rules[VARIANT] = max(interleaving.code(switch) for switch in ("prefix", "type", "weighting"))
    rules[REDRAW] = ties == "random_impression_redraw"
    rules[DROP_TIES] = tied_duels == "drop"
    rules[SAMPLES] = interleaving.get("samples", 0)
    return World(
        # Numba compiles for read-only arrays apart: they are so here wherever they came from.
        order=read_only(settled.order),
        positions=read_only(settled.positions),
        ties=read_only(settled.ties),
        labels=read_only(np.ascontiguousarray(labels, np.int8)),
        offsets=read_only(np.ascontiguousarray(rankings.offsets, np.int64)),
        turns=_turns(queries, rankings.n_queries),
        user=user_table(model, length),
        weights=rank_weights(longest, interleaving.get("tau", 1.0)),
        rules=rules,
        rate=float(interleaving.get("rate", 0.5)),
        **_room(length),
    )


def for_another_thread(world: World) -> World:
    """The same world with a page of its own."""
    return world._replace(turns=world.turns.copy(), **_room(world.user.shape[1]))


def user_table(model: ClickModel, length: int) -> np.ndarray:
    """(3, length, grades): with one uniform number per rank, the user clicks below the first entry, clicks
    and leaves below the second, and leaves without a click from the third on."""
    ranks = np.minimum(np.arange(length), len(model.attention) - 1)
    click = model.attention[ranks][:, None] * model.p_click
    stay = 1.0 - (1.0 - click) * model.p_stop * model.leaves_unclicked
    return np.stack([click, click * model.p_stop, stay])


def rank_weights(longest: int, tau: float) -> np.ndarray:
    """(2, longest): rank^-tau and its running sum."""
    weights = np.arange(1.0, longest + 1) ** -tau
    return np.stack([weights, np.cumsum(weights)])


def _room(length: int) -> dict[str, Any]:
    # A side settles at most two ties for each rank of the page: a rank it walks over, and a document it is
    # asked for.
    return {
        "page": np.zeros((6, length + 2), np.int64),
        "chances": np.zeros((4, length + 2)),
        "settled": np.zeros((2, 2, 4 * length + 8), np.int64),
    }


def _turns(queries: str | np.ndarray, n_queries: int) -> np.ndarray:
    if isinstance(queries, str):
        return known(queries, {"uniform": np.empty(0), "cycle": np.zeros(1)}, "choice of queries").copy()
    weights = np.asarray(queries, np.float64)
    if weights.shape != (n_queries,) or not (
        np.isfinite(weights).all() and (weights >= 0).all() and weights.sum() > 0
    ):
        raise InterleaveError(
            f"query weights must be {n_queries} numbers that are not negative and not all 0"
        )
    if n_queries == 1:  # one number would mean a cycle
        return np.empty(0)
    shares = np.cumsum(weights) / weights.sum()
    shares[np.flatnonzero(weights)[-1] :] = 1.0  # whatever rounding made of the sum
    return shares
