"""Save charts as files: PDF, SVG and PNG pictures, or an HTML page with one chart."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import altair as alt
import vl_convert

from rankduel.base.errors import UsageError
from rankduel.base.files import replacing
from rankduel.experiments.report.charts.parts import HOVER, printable, vega_lite_version
from rankduel.experiments.report.html import chart_html

POINTS_PER_INCH = 72  # one unit of a chart is one point of a PDF
_FORMATS = ("pdf", "svg", "png", "html")
_DOTS_PER_INCH = 300  # of pictures for print
_SVG_SIZE = re.compile(r'<svg [^>]*?\bwidth="([0-9.]+)" height="([0-9.]+)"')


def save_chart(chart: alt.TopLevelMixin, path: str | Path, *, for_print: bool = False) -> None:
    """Save `chart` atomically in the format that the suffix of `path` names: .pdf, .svg, .png or .html.

    With `for_print`, one unit of the chart is one point on paper in every format.
    """
    path = Path(path)
    kind = path.suffix.lower().removeprefix(".")
    if kind not in _FORMATS:
        raise UsageError(
            f"{path}: charts cannot be saved as '{path.suffix}'; expected .{', .'.join(_FORMATS)}"
        )
    with replacing(path) as temporary:
        temporary.write_bytes(
            chart_html(chart, path.stem).encode() if kind == "html" else _picture(chart, kind, for_print)
        )


def _picture(chart: alt.TopLevelMixin, kind: str, for_print: bool) -> bytes:
    if kind == "svg":
        svg = chart_svg(chart)
        return (_SVG_SIZE.sub(_in_points, svg, count=1) if for_print else svg).encode()
    spec = _without_hover(printable(chart.to_dict()))
    version = vega_lite_version()
    if kind == "pdf":
        return vl_convert.vegalite_to_pdf(spec, vl_version=version)
    scale = _DOTS_PER_INCH / POINTS_PER_INCH if for_print else 2
    return vl_convert.vegalite_to_png(spec, vl_version=version, scale=scale)


def chart_svg(chart: alt.TopLevelMixin) -> str:
    """Return `chart` as SVG, without the layers that react to the pointer."""
    spec = _without_hover(printable(chart.to_dict()))
    return vl_convert.vegalite_to_svg(spec, vl_version=vega_lite_version())


def _in_points(found: re.Match[str]) -> str:
    return found[0].replace(
        f'width="{found[1]}" height="{found[2]}"', f'width="{found[1]}pt" height="{found[2]}pt"'
    )


def fit_to_width(make: Callable[[float], Any], width: float) -> Any:
    """Return `make(plot_width)` for the plot width at which the whole chart is `width` wide."""
    plot = 0.75 * width
    for _ in range(4):  # labels beside the plot may grow when the plot shrinks
        chart = make(plot)
        over = svg_width(chart_svg(chart)) - width
        if abs(over) < 0.6:
            break
        plot = max(0.2 * width, plot - over)
    return chart


def svg_width(svg: str) -> float:
    """Return the width attribute of the root element of an SVG."""
    found = _SVG_SIZE.search(svg)
    assert found is not None
    return float(found[1])


def _without_hover(spec: dict[str, Any]) -> dict[str, Any]:
    """Return the chart without the hover layer, whose invisible points would make a picture large."""
    layers = [layer for layer in spec.get("layer", []) if layer.get("name") != HOVER]
    params = [param for param in spec.get("params", []) if HOVER not in param.get("views", [])]
    return {**spec, "layer": layers, "params": params} if layers else spec
