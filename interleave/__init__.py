"""Interleaving: two rankings become one page, and clicks on it become a winner; or many (`multileave`)."""

from interleave.duel import duel_by, impression_by
from interleave.exact import is_exact, mean_odds, query_odds
from interleave.live import Live, go_live, live_duel_by, own_pages, shown_so_far
from interleave.methods import METHODS, PRESETS, InterleaveError, Interleaving, Method, interleaving, preset
from interleave.multileave import (
    MULTILEAVERS,
    Multileaving,
    make_crowd,
    multileave_by,
    multileaved_page,
    multileaving,
)
from interleave.pages import Page, Verdict, interleave
from interleave.play import play
from interleave.worlds import TIED_DUELS, for_another_thread, make_world

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
    "make_crowd",
    "make_world",
    "mean_odds",
    "multileave_by",
    "multileaved_page",
    "multileaving",
    "own_pages",
    "play",
    "preset",
    "query_odds",
    "shown_so_far",
]
