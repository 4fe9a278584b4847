"""Draw the pictures of the documentation.

python docs/make_pictures.py [PUBLIC SYNTHETIC]

Run from the root of the repository, after `make demo` and the README's `rankduel multileave`. With two
matrices, the public MSLR matrix (text) and one of synthetic data (.npy), also draw these two side by side.
"""

import io
import re
import sys
from pathlib import Path

import altair as alt
import numpy as np
import pandas as pd
from rich.console import Console

from rankduel.cli import console as printed
from rankduel.cli import data
from rankduel.experiments.report.charts.curves import DEFAULT
from rankduel.experiments.report.files import save_chart
from rankduel.experiments.report.multileave import multileave_figures
from rankduel.experiments.report.run_set import run_set_figures
from rankduel.experiments.runs.run_set import read_run_sets
from rankduel.letor_data import read_data
from rankduel.letor_data.summary import describe_data

HERE = Path(__file__).parent


def draw_data_info() -> None:
    """Draw the terminal output of 'rankduel data info'."""
    console = Console(record=True, width=80, force_terminal=True, highlight=False, file=io.StringIO())
    data.screen = printed.screen = console  # headings are printed by the module of the console
    console.print("$ [bold]rankduel data info demo/mslr-demo.txt --top 5[/]")
    data.show_summary(describe_data(read_data("demo/mslr-demo.txt")), top=5)
    svg = console.export_svg(title="rankduel")
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)  # avoid fonts from the network
    (HERE / "data_info.svg").write_text(svg.replace("Fira Code", "DejaVu Sans Mono"))


def draw_demo_regret() -> None:
    """Draw the regret of the live runs of `make demo`."""
    live = next(run_set for run_set in read_run_sets("demo/records") if run_set.settings["mode"] == "live")
    regret = run_set_figures("live", live)[0]
    save_chart(regret.make(DEFAULT), HERE / "demo_regret.svg")


def draw_multileave() -> None:
    """Draw the share of wrong pairs of the README's multileaving runs."""
    run_set = read_run_sets("results/mslr-small-multileave-100000")[0]
    errors = multileave_figures("multileave", run_set)[0]
    save_chart(errors.make(DEFAULT), HERE / "multileave.svg")


def draw_matrices(public: str, synthetic: str) -> None:
    """Draw two preference matrices of 136 rankers side by side."""
    tables = []
    for title, matrix in (("MSLR-WEB30K", np.loadtxt(public)), ("synthetic", np.load(synthetic))):
        rows, columns = np.indices(matrix.shape) + 1
        cells = {"row": rows.ravel(), "column": columns.ravel(), "p": matrix.ravel().round(4)}
        tables.append(pd.DataFrame(cells).assign(title=title))
    alt.data_transformers.disable_max_rows()
    axis = alt.Axis(values=[1, *range(20, 137, 20)], ticks=False, domain=False)
    colour = alt.Color("p:Q", title=None, scale=alt.Scale(scheme="redblue", domain=[1, 0]))
    chart = alt.Chart(pd.concat(tables)).mark_rect()
    chart = chart.encode(
        x=alt.X("column:O", title=None, axis=axis),
        y=alt.Y("row:O", title=None, axis=axis),
        color=colour,
        column=alt.Column("title:N", title=None, sort=["MSLR-WEB30K", "synthetic"]),
    )
    chart.properties(width=alt.Step(2), height=alt.Step(2)).save(HERE / "mslr_matrices.png", ppi=72)


if __name__ == "__main__":
    draw_data_info()
    draw_demo_regret()
    draw_multileave()
    if len(sys.argv) > 2:
        draw_matrices(*sys.argv[1:3])
