"""`rankduel matrix`: preference matrices from judged data, and what they look like."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Annotated, Any, cast

import numpy as np
import typer
from rich.color import Color
from rich.console import Console
from rich.markup import escape
from rich.style import Style
from rich.text import Text
from typer.core import TyperGroup

from experiments.arena import Arena
from experiments.matrix.build import PRIORS, USUAL_MOST, USUAL_TIMES
from experiments.matrix.preferences import Preferences
from experiments.matrix.shared_pages import checked_impressions
from experiments.winners.notions import copeland_order
from rankduel.api.matrices import USUAL_IMPRESSIONS, Prior, build_matrix, chosen_preferences
from rankduel.base.errors import DataError, UsageError
from rankduel.cli.console import file_size, runs_progress, screen
from rankduel.cli.endings import keeping
from rankduel.cli.lists import title
from rankduel.cli.options import DataOptions, DuelOptions, Files, Force, number, with_options
from rankduel.cli.winners import Chosen

_ENDINGS = (".parquet", ".npy", ".txt")


class _BuildUnlessTold(TyperGroup):
    """`rankduel matrix DATA` is short for `rankduel matrix build DATA`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in self.get_help_option_names(ctx):
            args = ["build", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=_BuildUnlessTold,
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="Preference matrices: who beats whom, how often. 'matrix DATA' is short for 'matrix build DATA'.",
)


@app.command()
@with_options(DuelOptions, "duel_options")
@with_options(DataOptions, "data_options")
def build(
    files: Files,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="NAME.prefs.parquet; or .npy, .txt: probabilities alone.")
    ],
    *,
    duels: Annotated[
        int | None,
        typer.Option(
            help=f"Drawn pages, ties or duels of a pair that is not exact ({USUAL_TIMES} a query); the most, "
            f"with another aim ({USUAL_MOST:,}).",
            show_default=False,
        ),
    ] = None,
    precision: Annotated[
        float | None,
        typer.Option(help="Go on with a pair until its interval is p ± this.", show_default=False),
    ] = None,
    decide: Annotated[
        float | None,
        typer.Option(
            help="Go on with a pair until its interval excludes 1/2; the chance that any of the intervals "
            "is ever wrong.",
            show_default=False,
        ),
    ] = None,
    simulate: Annotated[bool, typer.Option("--simulate", help="Play live duels: no exact odds.")] = False,
    alpha: Annotated[float, typer.Option(help="The chance that a pair's interval is wrong.")] = 0.05,
    prior: Annotated[str, typer.Option(help=f"Added to what was drawn: {', '.join(PRIORS)}.")] = "none",
    multileave: Annotated[
        str | None,
        typer.Option(
            help="Not pair by pair: infer all preferences from pages that all rankers share. 'rankduel "
            "multileavers' lists how.",
            show_default=False,
        ),
    ] = None,
    impressions: Annotated[
        float | None,
        typer.Option(
            help=f"Pages shown, with --multileave ({USUAL_IMPRESSIONS:,}).",
            show_default=False,
            parser=number,
            metavar="NUMBER",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Same seed, same bytes.")] = 0,
    jobs: Annotated[int, typer.Option(help="Threads; -1: as many as there are cores.")] = -1,
    force: Force = False,
    data_options: DataOptions,
    duel_options: DuelOptions,
) -> None:
    """For every pair of rankers, how often one beats the other: exactly where that is possible.

    If it is stopped, the same command goes on from there.

    [dim]Example:[/] rankduel matrix train.txt -o train.prefs.parquet --interleave team_draft
    """
    _check_output(output, force)
    if multileave is not None:
        _refuse_duel_options(duel_options, multileave)
    started = time.perf_counter()
    arena = duel_options.open(data_options.read(files))
    pages = USUAL_IMPRESSIONS if impressions is None else checked_impressions(impressions)
    kept = keeping(f"what was counted up to the last checkpoint is kept beside {output}")
    with kept, runs_progress("impressions", pages) as progress:
        made = build_matrix(
            arena,
            duels=duels,
            precision=precision,
            decide=decide,
            simulate=simulate,
            alpha=alpha,
            prior=cast(Prior, prior),  # `build_matrix` refuses other words
            multileave=multileave,
            impressions=impressions,
            output=output,
            seed=seed,
            jobs=jobs,
            progress=progress.build_status,
            page_progress=progress.done,
        )
    _tell(made, arena, output, time.perf_counter() - started)


def _refuse_duel_options(options: DuelOptions, multileave: str) -> None:
    for name in ("interleave", "tied_duels"):
        if getattr(options, name) is not None:
            option = name.replace("_", "-")
            raise UsageError(
                f"--{option} is for pages of two rankers; leave it out, or --multileave {multileave}"
            )


def _check_output(output: Path, force: bool) -> None:
    """Before any work: can the result be written there?"""
    if output.suffix not in _ENDINGS:
        raise DataError(f"{output}: the name must end in .prefs.parquet, or in {' or '.join(_ENDINGS[1:])}")
    if output.is_dir():
        raise DataError(f"{output}: is a folder; choose another name")
    if output.exists() and not force:
        raise DataError(f"{output}: exists already\n  choose another name, or --force to replace it")
    folder = output.absolute().parent
    if not folder.is_dir():
        raise DataError(f"{output}: there is no folder {output.parent} to write to")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise DataError(f"{output}: no permission to write to the folder {folder}")


def _tell(made: Preferences, arena: Arena, output: Path, seconds: float) -> None:
    pairs, shared = made.pairs, made.settings.get("multileave")
    way = f"{arena.interleaving}" if shared is None else f"{made.settings['impressions']:,} pages by {shared}"
    screen.print(
        f"{len(made):,} rankers, {arena.rankings.n_queries:,} queries, {escape(way)}, "
        f"{escape(made.settings['clicks'])}: {len(pairs):,} pairs in {seconds:,.1f} s",
        soft_wrap=True,
    )
    found = [f"{count:,} {method}" for method, count in pairs["method"].value_counts().items()]
    undecided = ((pairs["lo"] <= 0.5) & (pairs["hi"] >= 0.5)).sum()
    half = ((pairs["hi"] - pairs["lo"]) / 2).max()
    within = f", all within ± {half:.2g}" if half else ""
    screen.print(f"{', '.join(found)}{within}; {undecided:,} undecided (1/2 is in the interval)")
    screen.print(f"wrote [bold]{escape(str(output))}[/] ({file_size(output)})", soft_wrap=True)
    screen.print(
        f"next: [bold]rankduel winners {escape(str(output))}[/] or "
        f"[bold]rankduel run {escape(str(output))} --policy merge_dts[/]",
        soft_wrap=True,
    )


# From never to always winning, through white for even; as in experiments.report.charts.matrix_and_final.
_COLOURS = np.array(
    [(0x8F, 0x3B, 0), (0xE8, 0xA1, 0x5C), (255, 255, 255), (0x6A, 0xAE, 0xD6), (0x08, 0x45, 0x7E)]
)
_DIAGONAL = "╲"
_WIDEST_NAME = 16
_NUMBER, _CELL = 5, 2  # columns of a cell with its probability, and of one without


@app.command()
def show(
    preferences: Annotated[
        str,
        typer.Argument(help="A built-in matrix by name, or a file: .prefs.parquet, .npy, or rows of text."),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Also as .png, .svg, .pdf or .html.", show_default=False),
    ] = None,
    rankers: Chosen = "",
) -> None:
    """Draw the matrix: how often the ranker of a row beats that of a column, by Copeland score.

    [dim]Example:[/] rankduel matrix show arxiv6 -o arxiv6.svg
    """
    chosen = chosen_preferences(preferences, rankers)
    title(escape(preferences), f"{len(chosen):,} rankers, best first: how often a row beats a column")
    draw(chosen, screen)
    if output is not None:
        # Loading the library of charts takes a second, which the terminal's picture does not need.
        from experiments.report.charts.matrix_and_final import MOST_RANKERS, heatmap
        from experiments.report.files import save_chart

        save_chart(heatmap(chosen), output)
        part = f", the first {MOST_RANKERS} rankers" if len(chosen) > MOST_RANKERS else ""
        screen.print(f"wrote {escape(str(output))} ({file_size(output)}{part})", soft_wrap=True)


def draw(preferences: Preferences, console: Console) -> None:
    """As large as the console is wide: with numbers, as cells with names, or as a picture of averages."""
    order = copeland_order(preferences.matrix)
    matrix = preferences.matrix[np.ix_(order, order)]
    names = [preferences.names[i] for i in order]
    paint = _Paint(console, matrix)
    name_width = min(_WIDEST_NAME, max(map(len, names)))
    room = console.width - name_width - 1
    if len(names) * _NUMBER <= room:
        lines = _numbers(matrix, names, name_width, paint)
        legend = paint.scale()
    elif len(names) * _CELL <= room:
        lines = _cells(matrix, names, name_width, paint)
        legend = paint.legend()
    else:
        small = shrunk(matrix, min(len(matrix), console.width if paint.colours else console.width // _CELL))
        lines = _half_blocks(small, paint) if paint.colours else _cells(small, None, 0, paint)
        legend = paint.legend() + Text(_picture_in_words(names, len(small)))
    for line in lines:
        console.print(line, no_wrap=True, overflow="crop")
    console.print(legend)


def _picture_in_words(names: list[str], size: int) -> str:
    ends = f"\ntop and left: {', '.join(names[:3])}, ...; bottom and right: ..., {', '.join(names[-3:])}"
    if size == len(names):
        return ends
    return f"{ends}\n{len(names):,} rankers on {size} places: a point is the mean of its pairs"


class _Paint:
    """How a probability looks on a console: a colour, or without colours a digit."""

    def __init__(self, console: Console, matrix: np.ndarray) -> None:
        self.colours = console.color_system is not None and not console.no_color
        self.far = max(0.05, float(np.abs(matrix - 0.5).max()))  # from one half, where colours end

    def style(self, p: float) -> Style:
        """A background, and ink that can be read on it."""
        if not self.colours:
            return Style()
        ink = "#ffffff" if abs(p - 0.5) > 0.7 * self.far else "#222222"
        return Style(color=ink, bgcolor=colour(p, self.far))

    def scale(self) -> Text:
        """What the colours mean; nothing without them."""
        line = Text()
        if self.colours:
            line.append(f"{0.5 - self.far:.2f} ")
            for p in np.linspace(0.5 - self.far, 0.5 + self.far, 21):
                line.append(" ", self.style(p))
            line.append(f" {0.5 + self.far:.2f}")
        return line

    def legend(self) -> Text:
        if self.colours:
            return self.scale()
        return Text("a digit is p in tenths, rounded down, so 5 and above wins; a dot is a tie")


def shrunk(matrix: np.ndarray, size: int) -> np.ndarray:
    """(size, size) means over blocks of neighbours, as equal in number as can be; each pair counts once."""
    edges = np.linspace(0, len(matrix), size + 1).round().astype(int)
    widths = np.diff(edges)
    sums = np.add.reduceat(np.add.reduceat(matrix, edges[:-1], axis=0), edges[:-1], axis=1)
    return np.asarray(sums / np.outer(widths, widths))


def _numbers(matrix: np.ndarray, names: list[str], name_width: int, paint: _Paint) -> list[Text]:
    header = "".join(f"{_cut(name, _NUMBER - 1):>{_NUMBER - 1}} " for name in names)
    lines = [Text(" " * (name_width + 1) + header, style="dim")]
    for i, name in enumerate(names):
        line = _label(name, name_width)
        for j, p in enumerate(matrix[i]):
            line.append(f"{_DIAGONAL:>3}  " if i == j else f"{p:.2f} ", paint.style(p))
        lines.append(line)
    return lines


def _cells(matrix: np.ndarray, names: list[str] | None, name_width: int, paint: _Paint) -> list[Text]:
    lines = []
    for i, row in enumerate(matrix):
        line = _label(names[i], name_width) if names else Text()
        for j, p in enumerate(row):
            mark = " " if paint.colours else _DIAGONAL if i == j else _digit(p)
            line.append(mark.rjust(_CELL), paint.style(p))
        lines.append(line)
    return lines


def _half_blocks(matrix: np.ndarray, paint: _Paint) -> list[Text]:
    """Two rows of the matrix on one line: a half block in the colour of the upper on that of the lower."""
    lines = []
    for upper in range(0, len(matrix), 2):
        line = Text()
        for j in range(len(matrix)):
            below = colour(matrix[upper + 1, j], paint.far) if upper + 1 < len(matrix) else None
            line.append("▀", Style(color=colour(matrix[upper, j], paint.far), bgcolor=below))
        lines.append(line)
    return lines


def colour(p: float, far: float) -> Color:
    """From brown through white to blue; the ends are for 1/2 - far and 1/2 + far."""
    place = np.clip((p - 0.5) / far, -1.0, 1.0) * 2 + 2
    red, green, blue = (np.interp(place, range(5), _COLOURS[:, channel]) for channel in range(3))
    return Color.from_rgb(round(red), round(green), round(blue))


def _digit(p: float) -> str:
    """Tenths, rounded down; a dot where a pair is even."""
    return "·" if p == 0.5 else str(min(9, int(10 * p)))


def _label(name: str, width: int) -> Text:
    return Text(f"{_cut(name, width):>{width}} ", style="cyan")


def _cut(name: str, width: int) -> str:
    return name if len(name) <= width else name[: width - 1] + "…"
