"""The multileaving methods by name."""

from __future__ import annotations

from interleave.multileave import methods
from interleave.multileave.contract import Multileaver
from rankduel.base.errors import InterleaveError
from rankduel.base.settings import Catalogue, Configured, discovered

MULTILEAVERS: Catalogue[Multileaver] = Catalogue(
    "multileaving method", InterleaveError, discovered(methods, "METHOD")
)


def multileaving(name: str, **settings: str | float) -> Configured:
    """Return a method by name, with the settings that should differ from its defaults."""
    return MULTILEAVERS.configured(name, **settings)
