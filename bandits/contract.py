"""The contract of policies: their functions, and `policy_of`, which makes a policy of a module.

A policy is a module with two NamedTuples and a few functions. Every function takes the state and the
parameters, so nothing is copied from the parameters into the state.

    Params                                                   settings, each with a default and its meaning
    State                                                    arrays, records and NamedTuples of these
    init(n_arms, params, rng) -> state                       plain Python
    select(state, params, rng) -> (first, second)            choose the pair to duel; draw all random numbers
    update(state, params, first, second, first_won)          learn from the outcome
    recommend(state, params) -> arm                          optional: the best arm by the duels so far
    survivors(state, params) -> n                            optional: number of arms not eliminated
    idle(state, params, limit, self_duels, rng) -> n         optional: skip steps, see below
    answers(state, params, chosen)                           optional: mark all arms of the answer in `chosen`
    scores(state, params, out)                               optional: write the scores of arms to `out`
    finished(state, params) -> bool                          optional: whether nothing is left to compare
    plan(state, params, rng), learn(state, params)           instead of `select` and `update`: bandits/agenda
    needs_horizon(params) -> bool                            optional: whether the parameter `horizon` is used

The state holds everything that later steps depend on. Workspace is a NamedTuple in a field called `room`: its
content could be computed again from the other fields.

`select` is followed by `update` before the next `select`. The exception is a tied duel, which may be passed
over: then `select` is called again. An arm chosen against itself is not played, and `first_won` has no
meaning then. An algorithm that needs a random outcome for such a step draws it in `select`.

`idle` may skip up to `limit` steps, provided each of them is an arm against itself from which nothing is
learned. It adds them to self_duels[arm], advances the policy's clock, and returns their number. The
distribution of all steps has to remain that of a run without skipping. This includes the step after the
skipped ones: if it is known not to be idle, a field of the state has to say so, and `select` to use it.

A policy that is `finished` chooses an arm of its answer against itself from then on.

`scores` writes the numbers by which the policy orders its arms, larger ones for better arms. Before the call
`out` is NaN for every arm, and remains NaN for arms without a score. Only `Stepper.scores` calls it.

A policy for `sets` of arms compares many arms in one step. These functions differ:

    select(state, params, arms, copies, rng) -> n            write the arms of the step to arms[:n], all
                                                             different, and how often each is in the set
    update(state, params, arms, n, won)                      arms[x] won won[x, y] duels against arms[y]
    idle(state, params, limit, alone, rng) -> n              skip steps that show one arm alone

It must define `recommend`. A step is one page. Two arms with a and b copies have a times b duels on it. If
the page does not decide a pair, neither arm of the pair has a win.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, NamedTuple

from rankduel.bandits.agenda import stepwise
from rankduel.base.compiling import python_version
from rankduel.base.errors import PolicyError
from rankduel.base.settings import Configured
from rankduel.base.settings import configure as configured_thing

# Parameters of the functions of a policy, as in the table above.
_PARAMETERS = {
    "init": "n_arms, params, rng",
    "select": "state, params, rng",
    "update": "state, params, first, second, first_won",
    "recommend": "state, params",
    "survivors": "state, params",
    "idle": "state, params, limit, self_duels, rng",
    "answers": "state, params, chosen",
    "scores": "state, params, out",
    "finished": "state, params",
    "plan": "state, params, rng",
    "learn": "state, params",
    "needs_horizon": "params",
}
_PARAMETERS_OF_SETS = {
    "select": "state, params, arms, copies, rng",
    "update": "state, params, arms, n, won",
    "idle": "state, params, limit, alone, rng",
}
_MOST_WORDS_OF_NAME = 4  # a longer text before a colon is part of a sentence
REQUIRED = ("Params", "init", "select", "update")
OPTIONAL = tuple(name for name in _PARAMETERS if name not in REQUIRED)


class Policy(NamedTuple):
    name: str
    params: type  # NamedTuple of settings, every field with a default
    init: Callable
    select: Callable
    update: Callable
    recommend: Callable | None = None
    survivors: Callable | None = None
    idle: Callable | None = None
    answers: Callable | None = None
    scores: Callable | None = None
    finished: Callable | None = None
    plan: Callable | None = None
    learn: Callable | None = None
    needs_horizon: Callable | None = None  # params -> whether the parameter `horizon` is used; None: always
    late_feedback: bool = False  # outcomes may arrive after other pairs were chosen
    sets: bool = False  # `select` chooses a set of arms
    title: str = ""  # name in the literature
    about: str = ""  # description of one line
    source: str = ""  # authors, year, venue, number of the algorithm
    assumes: str = ""  # assumptions of the guarantees
    variants: Mapping[str, Mapping[str, Any]] = {}  # named sets of settings: 'variant=...'

    @property
    def functions(self) -> tuple[Any, ...]:
        """Return all functions except `init` and `needs_horizon`."""
        named = (getattr(self, name) for name in ("select", "update", *OPTIONAL) if name != "needs_horizon")
        return tuple(function for function in named if function is not None)

    @property
    def is_built_in(self) -> bool:
        """Return whether the policy is one of this package, and not from a file of the user."""
        return self.init.__module__.startswith("rankduel.bandits.")


def policy_of(
    module_name: str,
    *,
    source: str = "",
    assumes: str = "",
    variants: Mapping[str, Mapping[str, Any]] | None = None,
    late_feedback: bool = False,
    sets: bool = False,
) -> Policy:
    """Make a policy of the functions that a module defines.

    Functions that the module imports are not used. The name of the policy is that of the module. The first
    line of the module's docstring, ``NAME: description``, gives its name in the literature and a description.

    Parameters
    ----------
    module_name : str
        ``__name__`` of the module.
    source : str, default ""
        Authors, year, venue and number of the algorithm.
    assumes : str, default ""
        Assumptions of the guarantees of the algorithm.
    variants : mapping, optional
        Named sets of settings.
    late_feedback : bool, default False
        Whether outcomes may arrive after other pairs were chosen.
    sets : bool, default False
        Whether `select` chooses sets of arms.

    Returns
    -------
    Policy
        The policy.

    Raises
    ------
    PolicyError
        If a function is missing or takes other parameters than the contract says, or if `Params` is not a
        NamedTuple in which every field has a default.
    """
    module = sys.modules[module_name]
    defined = {name: vars(module)[name] for name in (*REQUIRED, *OPTIONAL) if _defines(module, name)}
    if "plan" in defined and "learn" in defined and "select" not in defined:
        defined["select"], defined["update"] = stepwise(defined["plan"], defined["learn"])
    where = module.__file__ or module_name
    missing = [name for name in REQUIRED if name not in defined]
    if missing:
        raise PolicyError(
            f"{where}: no {', '.join(missing)} in this file; expected {', '.join(REQUIRED)}, "
            f"optionally {', '.join(OPTIONAL)} (see bandits/contract.py)"
        )
    params = defined.pop("Params")
    _check_params(where, params)
    for name, function in defined.items():
        _check_signature(where, name, function, sets)
    return Policy(
        name=module_name.rpartition(".")[2],
        params=params,
        **defined,
        late_feedback=late_feedback,
        sets=sets,
        title=_title(module),
        about=_description(module),
        source=source,
        assumes=assumes,
        variants=variants or {},
    )


def _defines(module: ModuleType, name: str) -> bool:
    """Return whether a module defines `name` itself, rather than importing it."""
    value = vars(module).get(name)
    return value is not None and python_version(value).__module__ == module.__name__


def _title(module: ModuleType) -> str:
    return _first_line(module)[0] or module.__name__.rpartition(".")[2]


def _description(module: ModuleType) -> str:
    text = _first_line(module)[1]
    return text[:1].upper() + text[1:]


def _first_line(module: ModuleType) -> tuple[str, str]:
    """Return the name, which may be empty, and the description in the first line of a module's docstring."""
    first = (module.__doc__ or "").strip().partition("\n")[0]
    name, colon, text = first.partition(": ")
    return (name, text) if colon and len(name.split()) <= _MOST_WORDS_OF_NAME else ("", first)


def _check_params(where: str, params: type) -> None:
    fields = getattr(params, "_fields", None)
    if fields is None or set(getattr(params, "_field_defaults", {})) != set(fields):
        raise PolicyError(f"{where}: Params must be a NamedTuple in which every field has a default")


def _check_signature(where: str, name: str, function: Any, sets: bool) -> None:
    """Raise an error if the number of parameters of a function differs from that in the contract."""
    expected = (_PARAMETERS | _PARAMETERS_OF_SETS if sets else _PARAMETERS)[name]
    found = inspect.signature(python_version(function))
    try:
        found.bind(*expected.split(", "))
    except TypeError:
        raise PolicyError(f"{where}: {name}{found}; expected {name}({expected})") from None


def configure(policy: Any, /, **settings: Any) -> Configured:
    """Return a policy with settings, given as values or as text; `variant` names a set of settings."""
    return configured_thing(policy, PolicyError, **settings)
