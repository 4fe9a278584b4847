"""Write the report of run sets, and their charts as files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from rankduel.experiments.runs.run_set import list_run_sets, read_for_charts


@dataclass(frozen=True)
class Report:
    """Files that `report` wrote.

    Parameters
    ----------
    page : Path
        The HTML page.
    figures : tuple of Path
        Charts as files.
    tables : tuple of Path
        Tables in LaTeX.
    run_sets : int
        Number of run sets.
    repeated : int
        Number of run sets with the same runs as another; the page shows equal runs once.

    Examples
    --------
    >>> _ = rankduel.run("arxiv6", ["rucb"], horizon=1000, runs=2, folder="records/arxiv6")
    >>> rankduel.report("records", "report.html").page.exists()
    True
    """

    page: Path
    figures: tuple[Path, ...]
    tables: tuple[Path, ...]
    run_sets: int
    repeated: int

    def to_pandas(self) -> pd.DataFrame:
        """Return a row per file."""
        return pd.DataFrame({"file": [str(path) for path in (self.page, *self.figures, *self.tables)]})

    def to_dict(self) -> dict[str, Any]:
        """Return the names of the files and the numbers, as plain values."""
        texts = {name: [str(path) for path in getattr(self, name)] for name in ("figures", "tables")}
        return {**asdict(self), "page": str(self.page), **texts}


def report(
    folder: str | Path,
    output: str | Path = "report.html",
    *,
    figures: str | Path | None = None,
    format: Literal["pdf", "svg", "png"] = "pdf",
    width: str | float = "text",
    font_size: float = 8,
    x: Literal["log", "linear"] = "log",
    y: Literal["log", "linear"] = "log",
    policies: Sequence[str] = (),
) -> Report:
    """Write charts and tables of run sets as one HTML page, and optionally as files for papers.

    Parameters
    ----------
    folder : str or Path
        A run set, or a folder of run sets.
    output : str or Path, default "report.html"
        HTML file to write; it needs no network.
    figures : str or Path, optional
        Folder for every chart as a file of its own, and for the tables of results in LaTeX (booktabs).
    format : {"pdf", "svg", "png"}, default "pdf"
        Format of the charts in `figures`.
    width : str or float, default "text"
        Width of these charts: "column" (3.33 inches), "text" (7 inches) or a number of inches.
    font_size : float, default 8
        Font size of these charts in points.
    x : {"log", "linear"}, default "log"
        Scale of their duels axis.
    y : {"log", "linear"}, default "log"
        Scale of their regret axis.
    policies : sequence of str, optional
        Policies in `figures`, in this order, optionally with a label: ``"dts"`` or ``"dts=DTS (ours)"``. By
        default, all, by their names in the literature.

    Returns
    -------
    Report
        The files written.

    Raises
    ------
    RankduelError
        If there are no records in `folder`, they are damaged, or a value is out of range.

    Examples
    --------
    >>> _ = rankduel.run("arxiv6", ["rucb"], horizon=1000, runs=2, folder="records/arxiv6")
    >>> written = rankduel.report("records", "report.html")
    >>> written.page.name, written.run_sets, written.figures
    ('report.html', 1, ())
    """
    from rankduel.experiments.report.page import count_repeated, write_report  # imported here: slow
    from rankduel.experiments.report.paper import paper_of, write_figures

    paper = paper_of(format, width, font_size, x, y, policies)
    run_sets = read_for_charts(folder)
    write_report(run_sets, output)
    written = [] if figures is None else write_figures(run_sets, Path(figures), paper)
    charts = tuple(path for path in written if path.suffix == f".{format}")
    tables = tuple(path for path in written if path not in charts)
    return Report(Path(output), charts, tables, len(run_sets), count_repeated(list_run_sets(folder)))
