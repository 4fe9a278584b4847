"""The map of a matrix: how often each ranker beats each other, and which pairs are not decided."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from experiments.matrix.preferences import Preferences
from experiments.report.charts.looks import INK, ODDS, PAPER
from experiments.report.charts.parts import PAGE, Sheet, inline, layered
from experiments.report.names import ranker_titles
from experiments.winners.certainty import is_undecided
from experiments.winners.notions import copeland_order

MOST_RANKERS = 200  # a picture of more has cells too small to see
_FEW = 12  # rankers whose cells have room for numbers
_SHORT = 4  # letters of a name that fits above a cell
_MANY = 60  # from here on cells are too small for a hatch, and too many for a browser to draw one by one
_SIDE = 700  # of a square map
_HATCH = "M-1,0L0,-1M-1,1L1,-1M0,1L1,0"


def heatmap(
    preferences: Preferences, highlight: Collection[str] | None = None, sheet: Sheet = PAGE
) -> alt.LayerChart:
    """How often each ranker (row) beats each other (column), best first; rows of `highlight` are framed.

    Pairs that are not decided are paler, and hatched where cells are large enough.
    """
    order = copeland_order(preferences.matrix)[:MOST_RANKERS]
    names = [preferences.names[place] for place in order]
    titles = ranker_titles(preferences)
    framed = [place for place, name in enumerate(names) if name in (highlight or ())]
    cells = _cells(preferences, order)
    renderer = "canvas" if len(names) > _MANY else "svg"  # a picture of thousands of cells is drawn at once
    return layered(
        [*_odds_layers(cells, names, sheet), *_frames(framed, len(names))],
        [
            alt.param(name="names", value=names),
            alt.param(name="titles", value=[titles[name] for name in names]),
        ],
        sheet,
        **_size(len(names), sheet),
        description=_in_words(preferences, names, int((cells["decided"] == 0).sum()) // 2),
        usermeta={"embedOptions": {"renderer": renderer}},
    )


def _size(rankers: int, sheet: Sheet) -> dict[str, float]:
    """Cells as wide as the sheet where they hold numbers; else a square of whole pixels: no hairlines."""
    if rankers <= _FEW:
        return {"width": sheet.width, "height": 2.7 * sheet.font * rankers}
    side = int(min(_SIDE, sheet.width))
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


def _odds_layers(cells: pd.DataFrame, names: Sequence[str], sheet: Sheet) -> list[alt.Chart]:
    """Coloured cells, a hatch over pairs that are not decided, and numbers where there is room."""
    rankers = len(names)
    upright = rankers > _FEW or max(map(len, names)) > _SHORT
    far = max(0.05, float((cells["p"] - 0.5).abs().max()))
    column = alt.X(
        "column:O", title="opponent", axis=_axis("names", orient="top", labelAngle=-90 if upright else 0)
    )
    base = alt.Chart(inline(cells)).encode(y=_ranker_rows(), x=column)
    base = base.transform_calculate(ranker="titles[datum.row]", opponent="titles[datum.column]")
    pale = alt.condition(alt.datum.decided == 1, alt.value(1), alt.value(0.4))
    layers = [base.mark_rect().encode(color=_odds_colour(far), opacity=pale, tooltip=_TOOLTIP)]
    if rankers <= _MANY and (cells["decided"] == 0).any():
        area = alt.ExprRef("pow(min(bandwidth('x'), bandwidth('y')), 2)")
        hatch = base.transform_filter(alt.datum.decided == 0)
        layers.append(hatch.mark_point(shape=_HATCH, size=area, color=INK, opacity=0.3, strokeWidth=1))
    if rankers <= _FEW:
        strong = (abs(alt.datum.p - 0.5) > 0.7 * far) & (alt.datum.decided == 1)
        ink = alt.condition(strong, alt.value(PAPER), alt.value(INK))
        text = base.mark_text(fontSize=alt.ExprRef(f"min({sheet.font}, bandwidth('x') / 2.4)"))
        layers.append(text.encode(text=alt.Text("p:Q", format=".2f"), color=ink))
    return layers


def _frames(rows: list[int], size: int) -> list[alt.Chart]:
    if not rows:
        return []
    base = alt.Chart(alt.InlineData(values=[{"row": row} for row in rows]))
    frames = base.mark_rect(fill=None, stroke=INK, strokeWidth=2 if size <= _MANY else 1)
    return [frames.encode(y=_ranker_rows(), x=alt.value(0), x2=alt.value("width"))]


def _ranker_rows() -> alt.Y:
    limit = alt.ExprRef("max(70, 0.4 * width)")
    return alt.Y("row:O", title="ranker, by rankers beaten", axis=_axis("titles", labelLimit=limit))


def _in_words(preferences: Preferences, names: list[str], open_pairs: int) -> str:
    rankers = len(preferences)
    shown = f"the {len(names)} strongest of {rankers}" if len(names) < rankers else f"{rankers}"
    unknown = f" {open_pairs:,} pairs are not decided." if open_pairs else ""
    return (
        f"Matrix of preferences of {shown} rankers, by rankers beaten, from {names[0]} to {names[-1]}: "
        f"how often the ranker of the row beats that of the column.{unknown}"
    )


def _axis(names: str, **more: Any) -> alt.Axis:
    """Names instead of places; where they would touch, some are left out."""
    more = {"labelLimit": 110} | more | {"labelExpr": f"{names}[datum.value]", "labelOverlap": "greedy"}
    return alt.Axis(labelPadding=4, ticks=False, domain=False, **more)


def _odds_colour(far: float) -> alt.Color:
    scale = alt.Scale(
        domain=[0.5 - far, 0.5 - far / 2, 0.5, 0.5 + far / 2, 0.5 + far], interpolate="rgb", range=list(ODDS)
    )
    legend = alt.Legend(format=".2~f", orient="bottom", gradientLength=alt.ExprRef("min(180, width)"))
    return alt.Color("p:Q", title="row beats column", scale=scale, legend=legend)


_TOOLTIP = [
    alt.Tooltip("ranker:N"),
    alt.Tooltip("opponent:N"),
    alt.Tooltip("p:Q", title="ranker wins", format=".4f"),
    alt.Tooltip("lo:Q", title="interval from", format=".4f"),
    alt.Tooltip("hi:Q", title="to", format=".4f"),
]
