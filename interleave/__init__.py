"""Interleaving: two rankings become one page, and clicks on it become a winner."""

from interleave.duel import duel_by, impression_by
from interleave.exact import is_exact, mean_odds, query_odds
from interleave.methods import METHODS, PRESETS, InterleaveError, Interleaving, Method, interleaving, preset
from interleave.pages import Page, Verdict, interleave
from interleave.play import play
from interleave.worlds import TIED_DUELS, for_another_thread, make_world

__all__ = [
    "METHODS",
    "PRESETS",
    "TIED_DUELS",
    "InterleaveError",
    "Interleaving",
    "Method",
    "Page",
    "Verdict",
    "duel_by",
    "for_another_thread",
    "impression_by",
    "interleave",
    "interleaving",
    "is_exact",
    "make_world",
    "mean_odds",
    "play",
    "preset",
    "query_odds",
]
