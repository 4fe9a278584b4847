"""Heat map of a preference matrix, with undecided pairs marked."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from rankduel.experiments.matrix.preferences import Preferences
from rankduel.experiments.report.charts.parts import PAGE, Layout, inline, layered
from rankduel.experiments.report.charts.styles import INK, ODDS, PAPER
from rankduel.experiments.report.names import ranker_titles
from rankduel.experiments.winners.certainty import is_undecided
from rankduel.experiments.winners.notions import copeland_order

MOST_RANKERS = 200  # with more rankers the cells are too small to see
_MOST_WITH_NUMBERS = 12  # with more rankers the cells are too small for numbers
_LONGEST_LEVEL_NAME = 4  # longer names above the columns are turned by 90 degrees
_MOST_WITH_HATCH = 60  # with more rankers the cells are too small for a hatch, and too many for SVG
_SIDE = 700  # largest side of a square map
_HATCH = "M-1,0L0,-1M-1,1L1,-1M0,1L1,0"


def heatmap(
    preferences: Preferences, highlight: Collection[str] | None = None, layout: Layout = PAGE
) -> alt.LayerChart:
    """Return a heat map of P(row beats column), with the rankers in Copeland order.

    Rows of `highlight` are framed. Undecided pairs are paler, and hatched if the cells are large enough.
    """
    order = copeland_order(preferences.matrix)[:MOST_RANKERS]
    names = [preferences.names[ranker] for ranker in order]
    titles = ranker_titles(preferences)
    framed = [row for row, name in enumerate(names) if name in (highlight or ())]
    cells = _cells(preferences, order)
    renderer = "canvas" if len(names) > _MOST_WITH_HATCH else "svg"  # SVG is slow with thousands of cells
    return layered(
        [*_odds_layers(cells, names, layout), *_frames(framed, len(names))],
        [
            alt.param(name="names", value=names),
            alt.param(name="titles", value=[titles[name] for name in names]),
        ],
        layout,
        **_size(len(names), layout),
        description=_description(preferences, names, int((cells["decided"] == 0).sum()) // 2),
        usermeta={"embedOptions": {"renderer": renderer}},
    )


def _size(rankers: int, layout: Layout) -> dict[str, float]:
    """Return the size of the map: as wide as the layout if cells hold numbers, otherwise a square.

    Cells of a square have whole pixels, as gaps would show between others.
    """
    if rankers <= _MOST_WITH_NUMBERS:
        return {"width": layout.width, "height": 2.7 * layout.font * rankers}
    side = int(min(_SIDE, layout.width))
    side = max(1, side // rankers) * rankers if side >= rankers else side
    return {"width": side, "height": side}


def _cells(preferences: Preferences, order: np.ndarray) -> pd.DataFrame:
    rows, columns = (part.ravel() for part in np.indices((len(order), len(order))))
    picked = np.ix_(order, order)
    return pd.DataFrame(
        {
            "row": rows,
            "column": columns,
            "p": preferences.matrix[picked].ravel(),
            "lo": preferences.lower[picked].ravel(),
            "hi": preferences.upper[picked].ravel(),
            "decided": (~is_undecided(preferences)[picked]).astype(int).ravel(),
        }
    )


def _odds_layers(cells: pd.DataFrame, names: Sequence[str], layout: Layout) -> list[alt.Chart]:
    """Return the layers of coloured cells, hatches over undecided pairs, and numbers if they fit."""
    rankers = len(names)
    upright = rankers > _MOST_WITH_NUMBERS or max(map(len, names)) > _LONGEST_LEVEL_NAME
    far = max(0.05, float((cells["p"] - 0.5).abs().max()))
    column = alt.X(
        "column:O", title="opponent", axis=_axis("names", orient="top", labelAngle=-90 if upright else 0)
    )
    base = alt.Chart(inline(cells)).encode(y=_ranker_rows(), x=column)
    base = base.transform_calculate(ranker="titles[datum.row]", opponent="titles[datum.column]")
    pale = alt.condition(alt.datum.decided == 1, alt.value(1), alt.value(0.4))
    layers = [base.mark_rect().encode(color=_odds_colour(far), opacity=pale, tooltip=_TOOLTIP)]
    if rankers <= _MOST_WITH_HATCH and (cells["decided"] == 0).any():
        area = alt.ExprRef("pow(min(bandwidth('x'), bandwidth('y')), 2)")
        hatch = base.transform_filter(alt.datum.decided == 0)
        layers.append(hatch.mark_point(shape=_HATCH, size=area, color=INK, opacity=0.3, strokeWidth=1))
    if rankers <= _MOST_WITH_NUMBERS:
        strong = (abs(alt.datum.p - 0.5) > 0.7 * far) & (alt.datum.decided == 1)
        ink = alt.condition(strong, alt.value(PAPER), alt.value(INK))
        text = base.mark_text(fontSize=alt.ExprRef(f"min({layout.font}, bandwidth('x') / 2.4)"))
        layers.append(text.encode(text=alt.Text("p:Q", format=".2f"), color=ink))
    return layers


def _frames(rows: list[int], size: int) -> list[alt.Chart]:
    if not rows:
        return []
    base = alt.Chart(alt.InlineData(values=[{"row": row} for row in rows]))
    frames = base.mark_rect(fill=None, stroke=INK, strokeWidth=2 if size <= _MOST_WITH_HATCH else 1)
    return [frames.encode(y=_ranker_rows(), x=alt.value(0), x2=alt.value("width"))]


def _ranker_rows() -> alt.Y:
    limit = alt.ExprRef("max(70, 0.4 * width)")
    return alt.Y("row:O", title="ranker, best first", axis=_axis("titles", labelLimit=limit))


def _description(preferences: Preferences, names: list[str], undecided: int) -> str:
    rankers = len(preferences)
    listed = f"the best {len(names)} of {rankers}" if len(names) < rankers else f"{rankers}"
    note = f" {undecided:,} pairs are undecided." if undecided else ""
    return (
        f"Preference matrix of {listed} rankers, by number of rankers beaten, from {names[0]} to "
        f"{names[-1]}: probability that the ranker of the row beats the ranker of the column.{note}"
    )


def _axis(names: str, **more: Any) -> alt.Axis:
    """Return an axis with names instead of numbers; labels that would overlap are left out."""
    more = {"labelLimit": 110} | more | {"labelExpr": f"{names}[datum.value]", "labelOverlap": "greedy"}
    return alt.Axis(labelPadding=4, ticks=False, domain=False, **more)


def _odds_colour(far: float) -> alt.Color:
    scale = alt.Scale(
        domain=[0.5 - far, 0.5 - far / 2, 0.5, 0.5 + far / 2, 0.5 + far], interpolate="rgb", range=list(ODDS)
    )
    legend = alt.Legend(format=".2~f", orient="bottom", gradientLength=alt.ExprRef("min(180, width)"))
    return alt.Color("p:Q", title="P(row beats column)", scale=scale, legend=legend)


_TOOLTIP = [
    alt.Tooltip("ranker:N"),
    alt.Tooltip("opponent:N"),
    alt.Tooltip("p:Q", title="P(ranker beats opponent)", format=".4f"),
    alt.Tooltip("lo:Q", title="interval from", format=".4f"),
    alt.Tooltip("hi:Q", title="to", format=".4f"),
]
