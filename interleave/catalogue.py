"""The interleaving methods by name: two functions each, the switches they understand, and the presets."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from interleave.errors import InterleaveError, known
from interleave.methods import (
    balanced,
    document_constraints,
    exploitative,
    optimized,
    probabilistic,
    team_draft,
)


class Method(NamedTuple):
    name: str
    about: str
    source: str
    next_document: Callable  # world, pair, at, users -> the document for rank `at` of the page
    credit: Callable  # world, pair, n_read, users -> positive where the clicks favour the first ranker
    choices: Mapping[str, Mapping[str, int]] = {}  # switch -> its values and their codes, the default first
    numbers: Mapping[str, float] = {}  # number -> default
    calls_python: bool = False  # its kernels need Numba's memory management
    longest_page: int = sys.maxsize  # documents


class Interleaving(NamedTuple):
    """A method with its settings; prints as it is asked for: 'probabilistic(credit=assignment,tau=2)'."""

    method: str
    settings: tuple[tuple[str, str | float], ...]  # all of them, defaults included

    def get(self, name: str, default: Any = None) -> Any:
        return dict(self.settings).get(name, default)

    @property
    def longest_page(self) -> int:
        """The most documents that a page of this method may have."""
        return METHODS[self.method].longest_page

    def code(self, switch: str) -> int:
        """The number that the kernels know a switch's value by; 0 for a switch the method does not have."""
        choices = METHODS[self.method].choices.get(switch, {})
        return choices.get(self.get(switch), 0)

    def __str__(self) -> str:
        usual = dict(interleaving(self.method).settings)
        changed = [(name, value) for name, value in self.settings if value != usual[name]]
        inside = ",".join(f"{name}={shortest_text(value)}" for name, value in changed)
        return f"{self.method}({inside})" if inside else self.method


METHODS = {
    method.name: method
    for method in (
        Method(
            "balanced",
            "both rankings' tops in turn; clicks compared down to a common depth",
            "Joachims, KDD 2002",
            balanced.next_document,
            balanced.credit,
            {"credit": {"joachims": balanced.JOACHIMS, "lerot": balanced.LEROT}},
        ),
        Method(
            "team_draft",
            "two captains pick in turn; a click counts for who picked",
            "Radlinski, Kurup and Joachims, CIKM 2008",
            team_draft.next_document,
            team_draft.credit,
            {"prefix": {"assign": team_draft.ASSIGN, "neutral": team_draft.NEUTRAL}},
        ),
        Method(
            "document_constraints",
            "balanced page; the ranking that contradicts fewer clicks wins",
            "He, Zhai and Li, CIKM 2009",
            document_constraints.next_document,
            document_constraints.credit,
            {"type": {"3": 3, "2": 2, "1": 1}},
        ),
        Method(
            "probabilistic",
            "a coin and a soft ranking fill each rank; credit with the coins left open",
            "Hofmann, Whiteson and de Rijke, CIKM 2011 and TOIS 2013",
            probabilistic.next_document,
            probabilistic.credit,
            {
                "credit": {
                    "marginal_sign": probabilistic.MARGINAL_SIGN,
                    "assignment": probabilistic.ASSIGNMENT,
                    "marginal_bernoulli": probabilistic.MARGINAL_BERNOULLI,
                    "marginal_sampled": probabilistic.MARGINAL_SAMPLED,
                }
            },
            {"tau": 3.0, "samples": 10_000.0},
        ),
        Method(
            "exploitative",
            "probabilistic, but mostly the first ranker's page; corrected by importance weights",
            "Hofmann, Whiteson and de Rijke, Information Retrieval 2013; Lerot",
            exploitative.next_document,
            exploitative.credit,
            {"weighting": {"corrected": exploitative.CORRECTED, "biased": exploitative.BIASED}},
            {"tau": 3.0, "rate": 0.1},
        ),
        Method(
            "optimized",
            "the most sensitive page distribution that is fair to random clicks",
            "Radlinski and Craswell, WSDM 2013",
            optimized.next_document,
            optimized.credit,
            {
                "credit": {
                    "linear": optimized.LINEAR,
                    "inverse": optimized.INVERSE,
                    "binary": optimized.BINARY,
                }
            },
            calls_python=True,
            longest_page=optimized.LONGEST,
        ),
    )
}

# What the field's experiments were run with; see the settings' own files for what they mean.
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


def interleaving(name: str, **settings: str | float) -> Interleaving:
    """A method by name, with the settings that should differ from its defaults."""
    method = known(name, METHODS, "interleaving method")
    values: dict[str, str | float] = {
        switch: next(iter(choices)) for switch, choices in method.choices.items()
    }
    values |= method.numbers
    for setting, value in settings.items():
        known(setting, values, f"setting of {name}")
        if setting in method.choices:
            values[setting] = _choice(str(value), method.choices[setting], f"{setting} of {name}")
        else:
            values[setting] = _number(value, setting, name)
    return Interleaving(name, tuple(values.items()))


def preset(name: str) -> dict[str, Any]:
    """The settings of a preset, for `make_world(rankings, labels, model, **preset("lerot"))`."""
    settings = known(name, PRESETS, "preset")
    method, changes = settings["interleaving"]
    return settings | {"interleaving": interleaving(method, **changes)}


def _choice(value: str, choices: Mapping[str, int], what: str) -> str:
    if value not in choices:
        raise InterleaveError(f"{what} must be one of {', '.join(choices)}, not '{value}'")
    return value


# A tau above 50 would leave the last of many ranks without any weight that a float can hold.
_RANGES = {"tau": (0.0, 50.0), "samples": (1.0, 1e9), "rate": (0.0, 1.0)}


def _number(value: str | float, setting: str, name: str) -> float:
    low, high = _RANGES[setting]
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    whole = setting == "samples"
    if not low <= number <= high or (whole and number % 1):
        kind = "whole number" if whole else "number"
        raise InterleaveError(f"{setting} of {name} must be a {kind} from {low:g} to {high:g}, not {value}")
    return number


def shortest_text(value: str | float) -> str:
    """As text that gives the value back."""
    if isinstance(value, str):
        return value
    short = format(value, "g")
    return short if float(short) == value else repr(value)
