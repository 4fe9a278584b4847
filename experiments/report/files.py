"""Charts as files: pictures for papers, or a page with one chart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import altair as alt
import vl_convert

from experiments.report.charts.parts import HOVER, printable, vega_lite_version
from experiments.report.html import chart_html
from rankduel.base.errors import UsageError
from rankduel.base.files import replacing

_FORMATS = ("pdf", "svg", "png", "html")


def save_chart(chart: alt.TopLevelMixin, path: str | Path) -> None:
    """As the file's name says: .pdf, .svg, .png, or .html that needs no network. Whole or not at all."""
    path = Path(path)
    kind = path.suffix.lower().removeprefix(".")
    if kind not in _FORMATS:
        raise UsageError(f"{path}: no chart is written as '{path.suffix}'; expected .{', .'.join(_FORMATS)}")
    with replacing(path) as temporary:
        temporary.write_bytes(
            chart_html(chart, path.stem).encode() if kind == "html" else _drawn(chart, kind)
        )


def _drawn(chart: alt.TopLevelMixin, kind: str) -> bytes:
    spec = _still(printable(chart.to_dict()))
    version = vega_lite_version()
    if kind == "pdf":
        return vl_convert.vegalite_to_pdf(spec, vl_version=version)
    if kind == "png":
        return vl_convert.vegalite_to_png(spec, vl_version=version, scale=2)
    return vl_convert.vegalite_to_svg(spec, vl_version=version).encode()


def _still(spec: dict[str, Any]) -> dict[str, Any]:
    """Without what only answers the pointer: hundreds of points that nobody sees make a picture large."""
    layers = [layer for layer in spec.get("layer", []) if layer.get("name") != HOVER]
    params = [param for param in spec.get("params", []) if HOVER not in param.get("views", [])]
    return {**spec, "layer": layers, "params": params} if layers else spec
