"""Multileaving: merge many rankings into one page and infer preferences between all of them from clicks."""

from rankduel.interleave.multileave.catalogue import MULTILEAVERS, multileaving
from rankduel.interleave.multileave.contract import Multileaver
from rankduel.interleave.multileave.impression import multileave_by
from rankduel.interleave.multileave.pages import MultileavedPage, multileaved_page
from rankduel.interleave.multileave.world import SharedWorld, for_another_thread, make_shared_world

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
