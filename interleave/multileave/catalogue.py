"""The multileaving methods by name."""

from __future__ import annotations

from rankduel.base.errors import InterleaveError
from rankduel.base.settings import Catalogue, Configured, discovered
from rankduel.interleave.multileave import methods
from rankduel.interleave.multileave.contract import Multileaver

MULTILEAVERS: Catalogue[Multileaver] = Catalogue(
    "multileaving method", InterleaveError, discovered(methods, "METHOD")
)


def multileaving(name: str, **settings: str | float) -> Configured:
    """Return a multileaving method with settings.

    Parameters
    ----------
    name : str
        Name of a method; `multileavers` lists them.
    **settings : str or float
        Settings that differ from their defaults.

    Returns
    -------
    Configured
        The method with its settings.

    Raises
    ------
    RankduelError
        If the method or a setting is unknown, or a value is out of range.
    """
    return MULTILEAVERS.configured(name, **settings)
