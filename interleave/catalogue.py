"""The interleaving methods by name, and presets for the settings of published experiments."""

from __future__ import annotations

from typing import Any

from rankduel.base.errors import InterleaveError
from rankduel.base.settings import Catalogue, Configured, discovered, find
from rankduel.interleave import methods
from rankduel.interleave.contract import Method

METHODS: Catalogue[Method] = Catalogue("interleaving method", InterleaveError, discovered(methods, "METHOD"))

# Settings of published experiments; rankduel.interleave.methods and rankduel.letor_data.ties explain them.
PRESETS: dict[str, dict[str, Any]] = {
    "paper": {"interleaving": ("probabilistic", {}), "ties": "random_impression", "tied_duels": "coin"},
    "lerot": {
        "interleaving": ("probabilistic", {}),
        "ties": "random_impression_redraw",
        "tied_duels": "coin",
    },
    "repo_multileave": {
        "interleaving": ("probabilistic", {"credit": "marginal_sampled"}),
        "ties": "random_run",
        "tied_duels": "coin",
    },
}


def interleaving(name: str, **settings: str | float) -> Configured:
    """Return an interleaving method with settings.

    Parameters
    ----------
    name : str
        Name of a method; `interleavers` lists them.
    **settings : str or float
        Settings that differ from their defaults.

    Returns
    -------
    Configured
        The method with its settings. ``str`` of it is text that commands and functions accept.

    Raises
    ------
    RankduelError
        If the method or a setting is unknown, or a value is out of range.

    Examples
    --------
    >>> str(rankduel.interleaving("probabilistic", tau=2))
    'probabilistic(tau=2)'
    """
    return METHODS.configured(name, **settings)


def preset(name: str) -> dict[str, Any]:
    """Return the settings of a preset, for `make_world(rankings, labels, model, **preset("lerot"))`."""
    settings = find(name, PRESETS, "preset", InterleaveError)
    method, changes = settings["interleaving"]
    return settings | {"interleaving": interleaving(method, **changes)}
