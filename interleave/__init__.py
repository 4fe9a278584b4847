"""Interleaving: two rankings become one page, and clicks on it become a winner; or many (`multileave`)."""

from interleave.catalogue import METHODS, PRESETS, Interleaving, Method, interleaving, preset
from interleave.duel import duel_by, impression_by
from interleave.duel_counts import play_duels
from interleave.errors import InterleaveError
from interleave.exact.dispatch import is_exact, mean_odds, query_odds
from interleave.live import Live, go_live, live_duel_by, own_pages, shown_so_far
from interleave.multileave import (
    MULTILEAVERS,
    Multileaving,
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
    "InterleaveError",
    "Interleaving",
    "Live",
    "Method",
    "Multileaving",
    "Page",
    "Verdict",
    "duel_by",
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
    "own_pages",
    "play_duels",
    "preset",
    "query_odds",
    "shown_so_far",
]
