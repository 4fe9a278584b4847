"""Multileaving: many rankings share one page, and clicks on it say who is preferred to whom."""

from interleave.multileave.crowd import Crowd
from interleave.multileave.crowds import for_another_thread, make_crowd
from interleave.multileave.impression import multileave_by
from interleave.multileave.methods import MULTILEAVERS, Multileaver, Multileaving, multileaving
from interleave.multileave.pages import MultileavedPage, multileaved_page

__all__ = [
    "MULTILEAVERS",
    "Crowd",
    "Multileaver",
    "MultileavedPage",
    "Multileaving",
    "for_another_thread",
    "make_crowd",
    "multileave_by",
    "multileaved_page",
    "multileaving",
]
