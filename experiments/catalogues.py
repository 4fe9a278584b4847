"""List policies, interleavers, multileavers, click models, measures and matrices as tables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from rankduel.bandits.catalogue import POLICIES
from rankduel.base.settings import written
from rankduel.clickmodels.catalogue import USERS
from rankduel.experiments.matrix.builtin import FAMILIES, MATRICES
from rankduel.interleave.catalogue import METHODS
from rankduel.interleave.multileave.catalogue import MULTILEAVERS
from rankduel.letor_data.evaluation.catalogue import MEASURES


def policies() -> pd.DataFrame:
    """List the policies.

    Returns
    -------
    DataFrame
        One row per policy: ``name``, ``about``, ``source``, and its ``settings`` with their defaults.

    Examples
    --------
    >>> "merge_dts" in set(rankduel.policies()["name"])
    True
    """
    return _table(POLICIES.values())


def interleavers() -> pd.DataFrame:
    """List the interleaving methods.

    Returns
    -------
    DataFrame
        One row per method: ``name``, ``about``, ``source``, and its ``settings`` with their defaults.

    Examples
    --------
    >>> rankduel.interleavers()["name"].tolist()[:2]
    ['balanced', 'document_constraints']
    """
    return _table(METHODS.values())


def multileavers() -> pd.DataFrame:
    """List the multileaving methods.

    Returns
    -------
    DataFrame
        One row per method: ``name``, ``about``, ``source``, and its ``settings`` with their defaults.

    Examples
    --------
    >>> rankduel.multileavers().set_index("name").loc["sosm", "settings"]
    'tau=3'
    """
    return _table(MULTILEAVERS.values())


def click_models() -> pd.DataFrame:
    """List the click models.

    Returns
    -------
    DataFrame
        One row per model: ``name``, ``about``, ``source``, and its ``settings`` with their defaults.

    Examples
    --------
    >>> rankduel.click_models()["name"].tolist()
    ['almost_random', 'informational', 'navigational', 'perfect', 'random']
    """
    return _table(USERS.values())


def measures() -> pd.DataFrame:
    """List the measures of rankers.

    Returns
    -------
    DataFrame
        One row per measure: ``name``, ``about``, ``source``, and its ``settings`` with their defaults. The
        cut-off ``k`` is written after the name, as in ``ndcg@10``; 0 means all ranks.

    Examples
    --------
    >>> rankduel.measures().set_index("name").loc["rbp", "settings"]
    'p=0.8, rel=1, k=0, no_relevant=zero'
    """
    return _table(MEASURES.values())


def matrices() -> pd.DataFrame:
    """List the built-in preference matrices, and the families whose settings determine a matrix.

    Returns
    -------
    DataFrame
        One row per matrix or family: ``name``, ``about``, ``source``, and its ``settings`` with their
        defaults.

    See Also
    --------
    read_preferences : Return the matrix of a name with settings.

    Examples
    --------
    >>> rankduel.matrices().set_index("name").loc["mallows", "settings"]
    'k=10, phi=0.5'
    """
    return _table([*MATRICES.values(), *FAMILIES.values()])


def _table(things: Iterable[Any]) -> pd.DataFrame:
    return pd.DataFrame([_row(thing) for thing in things])


def _row(thing: Any) -> dict[str, str]:
    usual = thing.params()
    settings = ", ".join(f"{name}={written(value)}" for name, value in zip(usual._fields, usual))
    return {"name": thing.name, "about": thing.about, "source": thing.source, "settings": settings}
