"""Draw the pictures of README.md; run from the root after `make demo` and README's `rankduel multileave`."""

import re
from pathlib import Path

from rich.console import Console

from experiments.report.charts.curves import DEFAULT
from experiments.report.files import save_chart
from experiments.report.multileave import multileave_figures
from experiments.report.run_set import run_set_figures
from experiments.runs.records import read_run_sets
from letor_data import read_data
from letor_data.summary import summarize
from rankduel.cli.shown import data

HERE = Path(__file__).parent


def draw_data_info() -> None:
    console = Console(
        record=True, width=80, force_terminal=True, highlight=False, file=open("/dev/null", "w")
    )
    data.screen = console
    console.print("$ [bold]rankduel data info demo/mslr-demo.txt --top 5[/]")
    data.show_summary(summarize(read_data("demo/mslr-demo.txt")), top=5)
    svg = console.export_svg(title="rankduel")
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)  # no fonts from the network
    (HERE / "data_info.svg").write_text(svg.replace("Fira Code", "DejaVu Sans Mono"))


def draw_demo_regret() -> None:
    live = next(study for study in read_run_sets("demo/records") if study.settings["mode"] == "live")
    regret = run_set_figures("live", live)[0]
    save_chart(regret.make(DEFAULT), HERE / "demo_regret.svg")


def draw_multileave() -> None:
    study = read_run_sets("results/mslr-small-multileave-100000")[0]
    errors = multileave_figures("multileave", study)[0]
    save_chart(errors.make(DEFAULT), HERE / "multileave.svg")


if __name__ == "__main__":
    draw_data_info()
    draw_demo_regret()
    draw_multileave()
