"""Words for readers of studies: names of policies as in legends, and captions of figures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import pandas as pd

from bandits.catalogue import FAMILIES
from experiments.report.charts.looks import Look, looks
from experiments.report.charts.parts import runs_in_words
from experiments.report.names import policy_names
from experiments.runs.summaries import QUANTILES
from experiments.studies.checks import Results, TooShort, sample
from experiments.studies.study import Curves, Figure, Runs, Study

_BANDS = {
    "error": ", with a band of one standard error",
    "quantiles": f", with a band from {QUANTILES[0]:.0%} to {QUANTILES[1]:.0%} of the runs",
    "none": "",
}
_WORDS = FAMILIES["Best items of a pool"]  # names such as 'knockout' are English words, too


def looks_of(study: Study, policies: Iterable[str]) -> dict[str, Look]:
    """Return the looks of policies of records, by the names that the study has for them."""
    texts = _texts(study)
    written = {policy: texts.get(policy, policy) for policy in policies}
    names = policy_names(written.values())
    return looks(written, {policy: names[text] for policy, text in written.items()})


def _texts(study: Study) -> dict[str, str]:
    """Policies as records name them -> as the study does, which may name a variant."""
    texts = [policy for part in study.parts if isinstance(part, Runs) for policy in part.policies]
    return {str(study.policy(text)): text for text in dict.fromkeys(texts)}


def in_names(text: str, study: Study) -> str:
    """Return a claim or a test with the names of policies as legends have them: 'MergeDTS', 'DTS'."""
    names: dict[str, str] = {}
    for full, written in _texts(study).items():
        bare = written.partition("(")[0]
        names |= policy_names([bare]) if bare not in _WORDS else {}
        names |= {
            text: policy_names([bare])[bare] + text[len(bare) :] for text in (full, written) if text != bare
        }
    if not names:
        return text
    known = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.sub(rf"(?<![\w./-])(?:{known})(?![\w(]|\.\w)", lambda found: names[found[0]], text)


def caption(figure: Figure, tier: str, results: Results, known: pd.DataFrame) -> str:
    """Return what a figure shows: of how many runs, with which band, in which tier."""
    text = _of_curves(figure, results) if isinstance(figure, Curves) else _of_points(figure, results)
    diamonds = " Hollow diamonds: values that the source or an independent program gives."
    return f"{text} Tier {tier}.{diamonds if len(known) else ''}"


def _of_curves(figure: Curves, results: Results) -> str:
    tables = [results.tables[part] for part in (figure.part, *figure.beside) if part in results.tables]
    table = pd.concat(tables)
    runs = runs_in_words(table.groupby("policy")["run"].nunique())
    duels = f"{table['step'].max():,} duels"
    band = (
        ", with a band of its 95 % interval (Wilson)" if figure.column == "correct" else _BANDS[figure.band]
    )
    return f"Mean of {runs} of each policy, up to {duels}{band}."


def _of_points(figure: Figure, results: Results) -> str:
    assert not isinstance(figure, Curves)
    counts = pd.Series(_sizes(figure.lines, results))
    if counts.max() == 1:
        return "Each mark is one value."
    n = f"{counts.min():,}" if counts.min() == counts.max() else f"{counts.min():,} to {counts.max():,}"
    return f"Means of n = {n} values, with bars of one standard error."


def _sizes(lines: Mapping, results: Results) -> list[int]:
    """How many values there are behind each mark that the tier has."""
    found = []
    for measures in lines.values():
        for measure in measures.values():
            try:
                found.append(sample(measure, results).n)
            except TooShort:
                continue
    return found
