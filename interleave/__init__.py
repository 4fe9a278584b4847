"""Interleaving: merge two rankings into one page and infer a winner from clicks; `multileave` merges many."""

from rankduel.interleave.catalogue import METHODS, PRESETS, interleaving, preset
from rankduel.interleave.contract import Method
from rankduel.interleave.duel import impression_by, outcome_by
from rankduel.interleave.duel_counts import play_duels
from rankduel.interleave.exact.dispatch import is_exact, mean_odds, query_odds
from rankduel.interleave.live import Live, go_live, live_duel_by, own_pages, shown_so_far, unmeasured_duel_by
from rankduel.interleave.multileave import (
    MULTILEAVERS,
    make_shared_world,
    multileave_by,
    multileaved_page,
    multileaving,
)
from rankduel.interleave.pages import Page, Verdict, interleaved_page
from rankduel.interleave.world import TIED_DUELS, for_another_thread, make_world

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
    "interleaved_page",
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
