"""Parse the texts by which the command line and studies name policies, click models and rankers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from rankduel.bandits.catalogue import POLICIES
from rankduel.bandits.own_file import configured_file, policy_file
from rankduel.base.arguments import check_type
from rankduel.base.errors import PolicyError, UsageError
from rankduel.base.settings import Configured, format_spec, parse_spec
from rankduel.base.text import shortened
from rankduel.clickmodels import ClickModel, describe_model, load_model, model_from_text

_LISTING_COMMANDS = {"policy": "policies", "multileaving method": "multileavers"}


def parse_model(text: str, grades: int) -> ClickModel:
    """Return the click model that `text` names, for relevance grades 0 to `grades` - 1.

    `text` is a name with settings, such as 'navigational(stop=any)' or 'custom(p_click=0/1,p_stop=0/0)', or a
    .toml file.
    """
    check_type("the click model", text, str, "text such as 'navigational(stop=any)'")
    if text.endswith(".toml"):
        return load_model(text, grades)
    return model_from_text(*parse_spec(text), grades)


def spec_of(model: ClickModel) -> str:
    """Return the text from which `parse_model` makes `model` again."""
    return format_spec(*describe_model(model))


def parse_policy(text: str, *, trust: bool = False) -> Configured:
    """Return the policy that `text` names.

    Parameters
    ----------
    text : str
        A name with settings, 'merge_dts(alpha=0.262144,batch=16)', or a Python file: 'mine.py',
        'folder/mine.py(alpha=1)'.
    trust : bool, default False
        Allow Python files. A policy file is code that is run. Set `trust` only for text that the user typed,
        never for text from a data file.

    Raises
    ------
    PolicyError
        If the policy is unknown or cannot be read, or if it is a file and `trust` is false.
    """
    file = policy_file(text)
    if file is not None:
        if not trust:
            raise PolicyError(
                f"'{text}' is a policy file, which is code that would be run, and a data file names it. If "
                "you trust it, add --trust, or name it with --policy"
            )
        return configured_file(file)
    name, given = parse_spec(text)
    return POLICIES.configured(name, **{key: value.strip("'\"") for key, value in given.items()})


def policies_of(given: Configured | str | Iterable[Configured | str]) -> list[Configured]:
    """Return `given`, one policy or several, as a list; texts are parsed, and may name Python files."""
    return listed(given, "policy", lambda text: parse_policy(text, trust=True))


def listed(
    given: Configured | str | Iterable[Configured | str], kind: str, parse: Callable[[str], Configured]
) -> list[Configured]:
    """Return `given`, one value or several, as a list; texts are parsed with `parse`.

    Raises
    ------
    UsageError
        If `given` is empty, holds a value that is neither text nor Configured, or holds one twice.
    """
    lists = f"'rankduel {_LISTING_COMMANDS[kind]}' lists them"
    wanted: Any = [given] if isinstance(given, (str, Configured)) else given
    if not isinstance(wanted, Iterable):
        raise UsageError(f"{kind} is {shortened(repr(given))}; expected a name or a list of names; {lists}")
    found = []
    for one in wanted:
        if not isinstance(one, (str, Configured)):
            raise UsageError(f"{kind} is {shortened(repr(one))}; expected a name such as 'dts'; {lists}")
        found.append(parse(one) if isinstance(one, str) else one)
    if not found:
        raise UsageError(f"no {kind} is given; expected at least one; {lists}")
    if len(set(map(str, found))) < len(found):
        raise UsageError(f"{kind} {_first_repeated(found)} is given twice; expected each once")
    return found


def _first_repeated(found: list[Configured]) -> str:
    texts = [str(one) for one in found]
    return next(text for text in texts if texts.count(text) > 1)
