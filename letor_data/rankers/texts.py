"""The text form of rankers, which the option --ranker takes and files contain.

    39                    a feature, by number or by name, in the direction of the data's profile
    BM25, body            a feature by its published name, ignoring case, spaces and punctuation
    -39, +39              a feature, smallest or largest value first
    0.7*39+0.3*"tf-idf"   a weighted sum of values; names with + - * ( ) or " are in double quotes, with a
                          quote inside them doubled
    minmax(0.7*39+0.3*23) the same with each feature scaled to [0, 1] within every query
    KIND:FILE             see KINDS
    ...,name=NAME         any of these under another name

A single feature needs no quotes, whatever its name. The text of a ranker made in Python is 'python:NAME',
which can be shown and compared, but not parsed.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping

from rankduel.base.errors import DataError, UsageError
from rankduel.base.settings import find, take, unexpected
from rankduel.base.text import shortened
from rankduel.letor_data.catalogue import PROFILES
from rankduel.letor_data.letor import Letor, few
from rankduel.letor_data.rankers.by_docid import run
from rankduel.letor_data.rankers.columns import feature, linear, sum_text
from rankduel.letor_data.rankers.contract import NAMED, Ranker, checked_name
from rankduel.letor_data.rankers.models import FORMATS, model
from rankduel.letor_data.rankers.score_files import scores

KINDS = {
    "scores": "one score for each document line of the data, or the columns of a TREC run",
    "run": "a TREC run",
    **{kind: form.about for kind, form in FORMATS.items()},
}
PYTHON = "python"  # kind of rankers made in Python

_KIND = re.compile(r"\s*([A-Za-z][A-Za-z0-9_]*):(.*)", re.DOTALL)
_WEIGHT = re.compile(r"\s*((?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)\s*")
_TIMES = re.compile(r"\s*(\*)\s*")
_SIGN = re.compile(r"\s*([+-])\s*")
_QUOTED = re.compile(r'\s*"((?:[^"]|"")*)"\s*')
_PLAIN = re.compile(r'\s*([^\s"*+()-](?:[^"*+()-]*[^\s"*+()-])?)\s*')
_MINMAX = re.compile(r"\s*minmax\s*\((.*)\)\s*", re.DOTALL)
_IS_SUM = re.compile(r"\*|\s*minmax\s*\(")  # for texts that are not a feature of the data


def parse(text: str, letor: Letor) -> Ranker:
    """Return the ranker of a text.

    Parameters
    ----------
    text : str
        A feature, such as ``"39"``, ``"-39"`` or ``"BM25, body"``; a weighted sum, such as
        ``"0.7*39+0.3*23"`` or ``"minmax(0.7*39+0.3*23)"``; or a file, such as ``"lightgbm:model.txt"``,
        ``"scores:FILE"`` or ``"run:FILE"``. Any of these may end in ``",name=NAME"``.
    letor : Letor
        The data to be ranked, which determine the names of features and their direction.

    Returns
    -------
    Ranker
        The ranker.

    Raises
    ------
    UsageError
        If the text cannot be parsed. The message states the position, and what is expected there.
    DataError
        If the data have no such feature, or a file cannot be used.

    Examples
    --------
    >>> data = rankduel.synthetic_data("small", queries=10)
    >>> rankduel.rankers.parse("bm25 body", data).name
    '106'
    >>> mix = rankduel.rankers.parse("0.7*110+0.3*5,name=mix", data)
    >>> mix.name, mix.text
    ('mix', '0.7*110+0.3*5,name=mix')
    """
    lone = _lone_feature(text, letor)
    if lone is not None:
        return lone
    body, named, name = text.rpartition(NAMED)
    if not named:
        return _unnamed(text.strip(), None, letor)
    return _unnamed(body.strip(), checked_name(name.strip()), letor)


def _unnamed(text: str, name: str | None, letor: Letor) -> Ranker:
    lone = _lone_feature(text, letor, name)
    if lone is not None:
        return lone
    found = _KIND.fullmatch(text)
    if found is not None and _QUOTED.match(text) is None:
        return _of_file(found[1].lower(), found[2].strip(), name)
    if _IS_SUM.search(text) and _QUOTED.fullmatch(text) is None:
        weights, normalize = _weights(text, letor)
        return linear(weights, normalize, name or sum_text(weights, normalize))
    raise _no_feature(text, letor)


def _of_file(kind: str, path: str, name: str | None) -> Ranker:
    if kind == PYTHON:
        raise UsageError(
            f"'{PYTHON}:{shortened(path)}' was made in Python; give the ranker itself, in Python"
        )
    find(kind, KINDS, "kind of ranker", UsageError)
    if not path or "\0" in path:
        raise UsageError(f"'{kind}:{shortened(path)}': expected the name of a file after '{kind}:'")
    makers: Mapping[str, Callable[[str, str | None], Ranker]] = {"scores": scores, "run": run}
    return makers[kind](path, name) if kind in makers else model(kind, path, name)


# ---- features ----


def _lone_feature(text: str, letor: Letor, name: str | None = None) -> Ranker | None:
    """Return the ranker of a text that is one feature of the data, with or without a sign."""
    known = _feature(text, letor)
    if known is not None:
        return feature(known, PROFILES[letor.profile].sign, name=name)
    known = _feature(text[1:], letor) if text[:1] in ("+", "-") else None
    if known is None:
        return None
    ranker = feature(known, -1 if text[0] == "-" else 1, name=name)
    needs_sign = text[0] == "+" and PROFILES[letor.profile].sign == -1  # the text without it means '-'
    return ranker._replace(text=f"+{ranker.text}") if needs_sign else ranker


def _feature(text: str, letor: Letor) -> str | None:
    """Return the name of a feature in the data; None if there is no such feature."""
    quoted = _QUOTED.fullmatch(text)
    spellings = [text, text.strip(), quoted[1].replace('""', '"') if quoted else ""]
    for name in spellings:
        if name in letor.feature_names:
            return name
    title = spellings[2] or spellings[1]
    return _titles(letor).get(_loose(title)) if title[:1].isalnum() else None  # a sign is not part of a title


def _titles(letor: Letor) -> dict[str, str]:
    """Return names of features by published title, reduced to letters and digits."""
    profile = PROFILES[letor.profile]
    if not profile.titles:
        return {}
    titles = {_loose(profile.title(name)): name for name in letor.feature_names}
    titles.pop("", None)
    return titles


def _loose(title: str) -> str:
    """Return the letters and digits of a title, so that 'BM25, body' equals 'bm25 body' and 'bm25.body'."""
    return re.sub(r"[\W_]+", "", title).casefold()


def _no_feature(text: str, letor: Letor) -> DataError:
    profile = PROFILES[letor.profile]
    names = {name.casefold(): name for name in letor.feature_names}
    names |= {title.casefold(): title for name in letor.feature_names if (title := profile.title(name))}
    names |= {kind: f"{kind}:FILE" for kind in KINDS}
    close = [] if text.isdigit() else difflib.get_close_matches(text.casefold(), names, n=1)
    if re.search(r"\d\s*[+-]\s*\d", text):
        hint = (
            "a sum has weights, as in '0.7*39+0.3*23', and a range is for lists of features (--rankers 1-5)"
        )
    elif close:
        hint = f"did you mean '{names[close[0]]}'?"
    else:
        hint = f"there are {letor.n_features}: {few(letor.feature_names)}"
    return DataError(f"no feature '{shortened(text)}'; {hint}")


# ---- sums ----


def _weights(text: str, letor: Letor) -> tuple[dict[int | str, float], bool]:
    """Return the weights of '0.7*39-0.3*23' by feature, and whether the text is 'minmax(...)'."""
    inside = _MINMAX.fullmatch(text)
    at = inside.start(1) if inside else 0
    stop = inside.end(1) if inside else len(text)
    weights: dict[int | str, float] = {}
    sign = _SIGN.match(text, at, stop)
    while at < stop:
        start = at
        if sign is not None:
            at = sign.end()
        weight, at = take(_WEIGHT, text, at, "a weight, as in '0.7*39+0.3*23'")
        _, at = take(_TIMES, text, at, "'*' after the weight, as in '0.7*39+0.3*23'")
        name, at = _term_feature(text, at, letor)
        if name in weights:
            raise unexpected(text, start, f"feature '{name}' only once")
        weights[name] = -float(weight) if sign is not None and sign[1] == "-" else float(weight)
        sign = _SIGN.match(text, at, stop)
        if at < stop and sign is None:
            raise unexpected(text, at, "'+' or '-'")
    if not weights or sign is not None:
        raise unexpected(text, stop, "a weighted feature, such as '0.7*39'")
    return weights, inside is not None


def _term_feature(text: str, at: int, letor: Letor) -> tuple[str, int]:
    quoted = _QUOTED.match(text, at)
    if quoted is not None:
        name = quoted[1].replace('""', '"')
        at = quoted.end()
    else:
        name, at = take(_PLAIN, text, at, "a feature, by number or name (in double quotes if it has marks)")
    known = _feature(name, letor)
    if known is None:
        raise _no_feature(name, letor)
    return known, at
