"""Multileaving: merge many rankings into one page and infer preferences between all of them from clicks."""

from interleave.multileave.catalogue import MULTILEAVERS, multileaving
from interleave.multileave.contract import Multileaver
from interleave.multileave.impression import multileave_by
from interleave.multileave.pages import MultileavedPage, multileaved_page
from interleave.multileave.world import SharedWorld, for_another_thread, make_shared_world

__all__ = [
    "MULTILEAVERS",
    "SharedWorld",
    "Multileaver",
    "MultileavedPage",
    "for_another_thread",
    "make_shared_world",
    "multileave_by",
    "multileaved_page",
    "multileaving",
]
