"""Measures by name, and their text form: 'ndcg@10', 'ndcg(gain=linear)@10', 'map(rel=2)', 'rbp(p=0.95)'."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rankduel.base.errors import UsageError
from rankduel.base.settings import Catalogue, Configured, discovered, parse_spec
from rankduel.base.text import shortened
from rankduel.letor_data.evaluation import measures
from rankduel.letor_data.evaluation.contract import Measure

MEASURES: Catalogue[Measure] = Catalogue("measure", UsageError, discovered(measures, "MEASURE"))
_CUTOFF = re.compile(r"\s*([0-9]{1,18})\s*")


def measure(text: str) -> Configured:
    """Return a measure of rankings.

    Parameters
    ----------
    text : str
        Name of a measure, as listed by `measures`, with settings and a cut-off, such as
        ``"ndcg(gain=linear)@10"``. Case does not matter.

    Returns
    -------
    Configured
        The measure with its settings.

    Raises
    ------
    RankduelError
        If the measure or a setting is unknown, or a value is out of range.

    Examples
    --------
    >>> str(rankduel.measure("nDCG(gain=linear)@10"))
    'ndcg(gain=linear,k=10)'
    """
    return parse_measure(text)


def parse_measure(text: str) -> Configured:
    """Return the measure of a text such as 'nDCG(gain=linear)@10', which is not case-sensitive."""
    before, at, cutoff = text.lower().partition("@")
    name, settings = parse_spec(before)
    if "k" in settings:
        raise UsageError(f"'{shortened(text)}': expected the cut-off after '@', as in {name}@10")
    if not at:
        return MEASURES.configured(name, **settings)
    found = _CUTOFF.fullmatch(cutoff)
    if found is None or int(found[1]) == 0:
        raise UsageError(
            f"'{shortened(text)}': expected a whole number from 1 after '@' and nothing else, "
            "as in ndcg@10 or ndcg(gain=linear)@10"
        )
    return MEASURES.configured(name, **settings, k=int(found[1]))


def parse_measures(texts: Sequence[str]) -> list[Configured]:
    """Return the measures of `texts`; raise an error if there are none or two are the same."""
    if not texts:
        raise UsageError("no measures are named; expected some, such as 'ndcg@10'")
    chosen = [parse_measure(text) for text in texts]
    for n, one in enumerate(chosen):
        if one in chosen[:n]:
            raise UsageError(f"measure '{measure_text(one)}' is named twice; leave one out")
    return chosen


def measure_text(chosen: Configured) -> str:
    """Return the text of a measure, which `parse_measure` reads."""
    k = chosen.get("k", 0)
    default = {"k": chosen.thing.params().k} if k else {}
    without_k = Configured(chosen.thing, chosen.params._replace(**default))
    return f"{without_k}@{k}" if k else str(chosen)
