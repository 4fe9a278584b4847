"""Interleaving: merge two rankings into one page and infer a winner from clicks; `multileave` merges many."""

from interleave.catalogue import METHODS, PRESETS, interleaving, preset
from interleave.contract import Method
from interleave.duel import impression_by, outcome_by
from interleave.duel_counts import play_duels
from interleave.exact.dispatch import is_exact, mean_odds, query_odds
from interleave.live import Live, go_live, live_duel_by, own_pages, shown_so_far, unmeasured_duel_by
from interleave.multileave import (
    MULTILEAVERS,
    make_shared_world,
    multileave_by,
    multileaved_page,
    multileaving,
)
from interleave.pages import Page, Verdict, interleave
from interleave.world import TIED_DUELS, for_another_thread, make_world

__all__ = [
    "METHODS",
    "MULTILEAVERS",
    "PRESETS",
    "TIED_DUELS",
    "Live",
    "Method",
    "Page",
    "Verdict",
    "for_another_thread",
    "go_live",
    "impression_by",
    "interleave",
    "interleaving",
    "is_exact",
    "live_duel_by",
    "make_shared_world",
    "make_world",
    "mean_odds",
    "multileave_by",
    "multileaved_page",
    "multileaving",
    "outcome_by",
    "own_pages",
    "play_duels",
    "preset",
    "query_odds",
    "shown_so_far",
    "unmeasured_duel_by",
]
