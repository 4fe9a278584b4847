"""Draw a matrix on a console for `rankduel matrix show`."""

from __future__ import annotations

import numpy as np
from rich.cells import cell_len, set_cell_size
from rich.color import Color
from rich.console import Console
from rich.style import Style
from rich.text import Text

from rankduel.base.text import counted
from rankduel.experiments.matrix.preferences import Preferences
from rankduel.experiments.winners.notions import copeland_order

# From never to always winning, with white for 1/2; as in rankduel.experiments.report.charts.heatmap.
_COLOURS = np.array(
    [(0x8F, 0x3B, 0), (0xE8, 0xA1, 0x5C), (255, 255, 255), (0x6A, 0xAE, 0xD6), (0x08, 0x45, 0x7E)]
)
_DIAGONAL = "╲"
_SHORT_NAME = 16  # width to which names are cut before numbers are omitted
_NUMBER, _CELL = 5, 2  # width of a cell with and without its probability


def draw(preferences: Preferences, console: Console) -> None:
    """Draw the matrix in the width of the console: with numbers, as cells with names, or as block means.

    A pipe or a file has no width: all numbers are printed, with whole names.
    """
    order = copeland_order(preferences.matrix)
    matrix = preferences.matrix[np.ix_(order, order)]
    names = [preferences.names[i] for i in order]
    paint = _Paint(console, matrix)
    if not console.is_terminal:
        width = max(map(cell_len, names))
        for line in _numbers(matrix, names, width, max(_NUMBER + 1, width + 2), paint):
            line.rstrip()
            console.print(line, soft_wrap=True)
        return
    lines, legend = _fitted(matrix, names, console.width, paint)
    for line in lines:
        console.print(line, no_wrap=True, overflow="crop")
    console.print(legend)


def _fitted(matrix: np.ndarray, names: list[str], width: int, paint: _Paint) -> tuple[list[Text], Text]:
    """Return the lines of the most detailed drawing that fits into `width`, and its legend."""
    longest = max(map(cell_len, names))
    short = min(_SHORT_NAME, longest)
    size = len(names)
    if size * _NUMBER + short + 1 <= width:
        left = min(longest, width - size * _NUMBER - 1)  # columns of the rows' names
        cell = max(_NUMBER, min(longest + 1, (width - left - 1) // size))
        return _numbers(matrix, names, left, cell, paint), paint.scale()
    if size * _CELL + short + 1 <= width:
        left = min(longest, width - size * _CELL - 1)
        return _cells(matrix, names, left, paint), paint.legend()
    small = shrunk(matrix, min(size, width if paint.colours else width // _CELL))
    lines = _half_blocks(small, paint) if paint.colours else _cells(small, None, 0, paint)
    return lines, paint.legend() + Text(_picture_in_words(names, len(small)))


def _picture_in_words(names: list[str], size: int) -> str:
    ends = f"\ntop and left: {', '.join(names[:3])}, ...; bottom and right: ..., {', '.join(names[-3:])}"
    if size == len(names):
        return ends
    return f"{ends}\n{counted(len(names), 'ranker')} in {size} blocks: a cell is the mean of its pairs"


class _Paint:
    """Style of probabilities on a console: colours, or digits without colours."""

    def __init__(self, console: Console, matrix: np.ndarray) -> None:
        self.colours = console.color_system is not None and not console.no_color
        self.far = max(0.05, float(np.abs(matrix - 0.5).max()))  # from 1/2 to the ends of the scale

    def style(self, p: float) -> Style:
        """Return a background colour, and a text colour with enough contrast."""
        if not self.colours:
            return Style()
        ink = "#ffffff" if abs(p - 0.5) > 0.7 * self.far else "#222222"
        return Style(color=ink, bgcolor=colour(p, self.far))

    def scale(self) -> Text:
        """Return the colour scale; empty without colours."""
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
        return Text("a digit is p in tenths, rounded down: 5 or more is a win, a dot is a tie")


def shrunk(matrix: np.ndarray, size: int) -> np.ndarray:
    """Return the (size, size) means over blocks of neighbouring rankers, nearly equal in size."""
    edges = np.linspace(0, len(matrix), size + 1).round().astype(int)
    widths = np.diff(edges)
    sums = np.add.reduceat(np.add.reduceat(matrix, edges[:-1], axis=0), edges[:-1], axis=1)
    return np.asarray(sums / np.outer(widths, widths))


def _numbers(matrix: np.ndarray, names: list[str], left: int, cell: int, paint: _Paint) -> list[Text]:
    """Return rows of numbers; `left` is the width of row names, `cell` of numbers and column names."""
    header = "".join(f"{_right(name, cell - 1)} " for name in names)
    lines = [Text(" " * (left + 1) + header, style="dim")]
    for i, name in enumerate(names):
        line = _label(name, left)
        for j, p in enumerate(matrix[i]):
            text = f"{_DIAGONAL}  " if i == j else f"{p:.2f} "
            line.append(text.rjust(cell), paint.style(p))
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
    """Return lines of half blocks, each with two rows of the matrix: foreground above, background below."""
    lines = []
    for upper in range(0, len(matrix), 2):
        line = Text()
        for j in range(len(matrix)):
            below = colour(matrix[upper + 1, j], paint.far) if upper + 1 < len(matrix) else None
            line.append("▀", Style(color=colour(matrix[upper, j], paint.far), bgcolor=below))
        lines.append(line)
    return lines


def colour(p: float, far: float) -> Color:
    """Return a colour from brown at 1/2 - far through white to blue at 1/2 + far."""
    place = np.clip((p - 0.5) / far, -1.0, 1.0) * 2 + 2
    red, green, blue = (np.interp(place, range(5), _COLOURS[:, channel]) for channel in range(3))
    return Color.from_rgb(round(red), round(green), round(blue))


def _digit(p: float) -> str:
    """Return the probability in tenths, rounded down; a dot for a tie."""
    return "·" if p == 0.5 else str(min(9, int(10 * p)))


def _label(name: str, width: int) -> Text:
    return Text(f"{_right(name, width)} ", style="cyan")


def _right(name: str, width: int) -> str:
    """Return a name in `width` columns of a terminal: cut, or right-aligned."""
    if cell_len(name) > width:
        name = set_cell_size(name, width - 1) + "…"
    return " " * (width - cell_len(name)) + name
