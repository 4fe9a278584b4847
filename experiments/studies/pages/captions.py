"""Text of study pages: names of policies as in legends, and captions of figures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import pandas as pd

from rankduel.bandits.catalogue import FAMILIES
from rankduel.experiments.report.charts.parts import as_published, runs_text
from rankduel.experiments.report.charts.styles import LineStyle, line_styles
from rankduel.experiments.report.names import policy_names
from rankduel.experiments.runs.summaries import QUANTILES
from rankduel.experiments.studies.checks import CheckSkipped, Results, sample
from rankduel.experiments.studies.study import Bubbles, Curves, Figure, Points, Runs, Study

_BANDS = {
    "error": "; the band is one standard error",
    "quantiles": f"; the band is from the {QUANTILES[0]:.0%} to the {QUANTILES[1]:.0%} quantile",
    "none": "",
}
_MOST_LISTED = 8  # published values in a caption
_ENGLISH_WORDS = FAMILIES["Best items of a pool"]  # names such as 'knockout' may be words of a claim


def styles_of(study: Study, policies: Iterable[str]) -> dict[str, LineStyle]:
    """Return line styles of policies of records, labelled as the study names them."""
    texts = _texts(study)
    written = {policy: texts.get(policy, policy) for policy in policies}
    names = policy_names(written.values())
    return line_styles(written, {policy: names[text] for policy, text in written.items()})


def _texts(study: Study) -> dict[str, str]:
    """Return the names of policies in records -> the texts in the study, which may name a variant."""
    texts = [policy for part in study.parts if isinstance(part, Runs) for policy in part.policies]
    return {str(study.policy(text)): text for text in dict.fromkeys(texts)}


def with_policy_titles(text: str, study: Study) -> str:
    """Return a claim or a test with policies named as in legends: 'MergeDTS' for 'merge_dts'."""
    names: dict[str, str] = {}
    for full, written in _texts(study).items():
        bare = written.partition("(")[0]
        names |= policy_names([bare]) if bare not in _ENGLISH_WORDS else {}
        names |= {
            text: policy_names([bare])[bare] + text[len(bare) :] for text in (full, written) if text != bare
        }
    if not names:
        return text
    known = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.sub(rf"(?<![\w./-])(?:{known})(?![\w(]|\.\w)", lambda found: names[found[0]], text)


def caption(study: Study, figure: Figure, tier: str, results: Results, known: pd.DataFrame) -> str:
    """Return the caption of a figure: number of runs, band, tier, and what was published.

    `known` are the published values that the figure shows.
    """
    if isinstance(figure, Curves):
        text = _curves_caption(figure, results)
    else:
        text = _points_caption(figure, results)
    described = f" Published: {figure.published}" if figure.published else ""
    return f"{text} Tier {tier}.{_published_text(study, figure, results, known)}{described}"


def _published_text(study: Study, figure: Figure, results: Results, known: pd.DataFrame) -> str:
    """Return ' Diamonds: published values (RUCB 620).', or nothing without values; many are not listed."""
    if known.empty:
        return ""
    if len(known) > _MOST_LISTED:
        return " Diamonds: published values."
    rows: Iterable[tuple[str, float, float]] = known.itertuples(index=False, name=None)
    if isinstance(figure, Curves):
        table = _curves_table(figure, results)
        styles = styles_of(study, table["policy"])
        last = table["step"].max()
        listed = [
            f"{styles[policy].label} {as_published(mean)}{f' after {step:,.0f} duels' if step < last else ''}"
            for policy, step, mean in rows
        ]
    else:
        listed = [f"{line} {as_published(mean)} at {as_published(x)}" for line, x, mean in rows]
    return f" Diamonds: published values ({', '.join(listed)})."


def _curves_table(figure: Curves, results: Results) -> pd.DataFrame:
    """Return the records of all curves of a figure."""
    return pd.concat(
        [results.tables[part] for part in (figure.part, *figure.beside) if part in results.tables]
    )


def _curves_caption(figure: Curves, results: Results) -> str:
    table = _curves_table(figure, results)
    runs = runs_text(table.groupby("policy")["run"].nunique())
    duels = f"{table['step'].max():,} duels"
    band = "; the band is the 95 % interval (Wilson)" if figure.column == "correct" else _BANDS[figure.band]
    return f"Mean of {runs} of each policy, up to {duels}{band}."


def _points_caption(figure: Points | Bubbles, results: Results) -> str:
    counts = pd.Series(_sizes(figure.lines, results))
    if counts.max() == 1:
        return "Each point is a single value."
    n = f"{counts.min():,}" if counts.min() == counts.max() else f"{counts.min():,} to {counts.max():,}"
    whole_range = isinstance(figure, Points) and figure.bars == "range"
    bars = "from the smallest to the largest value" if whole_range else "one standard error"
    return f"Each point is the mean of n = {n} values; bars are {bars}."


def _sizes(lines: Mapping, results: Results) -> list[int]:
    """Return the number of values behind each point that the tier provides."""
    found = []
    for measures in lines.values():
        for measure in measures.values():
            try:
                found.append(sample(measure, results).n)
            except CheckSkipped:
                continue
    return found
