"""The multileaving methods by name: two functions each, and the settings they understand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from interleave.catalogue import shortest_text
from interleave.errors import InterleaveError, known
from interleave.multileave.methods import optimized, pairwise, probabilistic, sosm, team_draft


class Choice(NamedTuple):
    """A setting that is one of a few words, the default first; the kernels know them by number."""

    codes: Mapping[str, int]

    @property
    def default(self) -> str:
        return next(iter(self.codes))

    def checked(self, value: Any, what: str) -> str:
        if str(value) not in self.codes:
            raise InterleaveError(f"{what} must be one of {', '.join(self.codes)}, not '{value}'")
        return str(value)


class Number(NamedTuple):
    """A setting that is a number within bounds."""

    default: float
    low: float
    high: float
    whole: bool = False

    def checked(self, value: Any, what: str) -> float:
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = float("nan")
        if not self.low <= number <= self.high or (self.whole and number % 1):
            kind = "whole number" if self.whole else "number"
            raise InterleaveError(f"{what} must be a {kind} from {self.low:g} to {self.high:g}, not {value}")
        return number


class Multileaver(NamedTuple):
    name: str
    about: str
    source: str
    make_page: Callable  # shared, panel, length, users -> None; world.page is filled
    prefer: Callable  # shared, panel, length, preferences, users -> None; preferences are filled
    settings: Mapping[str, Choice | Number] = {}
    calls_python: bool = False  # its kernels need Numba's memory management


class Multileaving(NamedTuple):
    """A method with its settings; prints as it is asked for: 'probabilistic(credit=expected,tau=2)'."""

    method: str
    settings: tuple[tuple[str, str | float], ...]  # all of them, defaults included

    def get(self, name: str, default: Any = None) -> Any:
        return dict(self.settings).get(name, default)

    def code(self, name: str) -> int:
        """The number that the kernels know a choice by; 0 for a setting the method does not have."""
        setting = MULTILEAVERS[self.method].settings.get(name)
        return setting.codes[self.get(name)] if isinstance(setting, Choice) else 0

    def __str__(self) -> str:
        usual = MULTILEAVERS[self.method].settings
        changed = [(name, value) for name, value in self.settings if value != usual[name].default]
        inside = ",".join(f"{name}={shortest_text(value)}" for name, value in changed)
        return f"{self.method}({inside})" if inside else self.method


# Above 50 the last of many ranks would be left without any weight that a float can hold.
_TAU = Number(3.0, 0.0, 50.0)

MULTILEAVERS = {
    method.name: method
    for method in (
        Multileaver(
            "team_draft",
            "captains pick in random turns; a click counts for who picked",
            "Schuth et al., CIKM 2014",
            team_draft.make_page,
            team_draft.prefer,
            {"prefix": Choice({"assign": team_draft.ASSIGN, "neutral": team_draft.NEUTRAL})},
        ),
        Multileaver(
            "optimized",
            "of sampled pages, the fairest and then the most even distribution",
            "Schuth et al., CIKM 2014",
            optimized.make_page,
            optimized.prefer,
            {
                "credit": Choice({"inverse": optimized.INVERSE, "linear": optimized.LINEAR}),
                "n_lists": Number(10, 1, 10_000, whole=True),
            },
            calls_python=True,
        ),
        Multileaver(
            "probabilistic",
            "a random ranker's soft ranking fills each rank; credit with the rankers left open",
            "Schuth et al., SIGIR 2015",
            probabilistic.make_page,
            probabilistic.prefer,
            {
                "ranker": Choice({"iid": probabilistic.IID, "rounds": probabilistic.ROUNDS}),
                "credit": Choice(
                    {
                        "pairwise": probabilistic.PAIRWISE,
                        "expected": probabilistic.EXPECTED,
                        "sampled": probabilistic.SAMPLED,
                    }
                ),
                "tau": _TAU,
                "n_samples": Number(10_000, 1, 1e9, whole=True),
            },
        ),
        Multileaver(
            "sosm",
            "team-draft page; every ranker is scored by its order of the documents shown",
            "Brost et al., SIGIR 2016",
            sosm.make_page,
            sosm.prefer,
            {"tau": _TAU},
        ),
        Multileaver(
            "pairwise",
            "uniform choice among the tops; clicks prefer documents, and these their rankers",
            "Oosterhuis and de Rijke, CIKM 2017",
            pairwise.make_page,
            pairwise.prefer,
            {"considered": Choice({"last_plus_one": pairwise.LAST_PLUS_ONE, "strict": pairwise.STRICT})},
        ),
    )
}


def multileaving(name: str, **settings: str | float) -> Multileaving:
    """A method by name, with the settings that should differ from its defaults."""
    understood = known(name, MULTILEAVERS, "multileaving method").settings
    values = {setting: kind.default for setting, kind in understood.items()}
    for setting, value in settings.items():
        values[setting] = known(setting, understood, f"setting of {name}").checked(
            value, f"{setting} of {name}"
        )
    return Multileaving(name, tuple(values.items()))
