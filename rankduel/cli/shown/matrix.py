"""What `rankduel matrix show` draws on a console."""

from __future__ import annotations

import numpy as np
from rich.cells import cell_len, set_cell_size
from rich.color import Color
from rich.console import Console
from rich.style import Style
from rich.text import Text

from experiments.matrix.preferences import Preferences
from experiments.winners.notions import copeland_order
from rankduel.base.text import counted

# From never to always winning, through white for even; as in experiments.report.charts.heatmap.
_COLOURS = np.array(
    [(0x8F, 0x3B, 0), (0xE8, 0xA1, 0x5C), (255, 255, 255), (0x6A, 0xAE, 0xD6), (0x08, 0x45, 0x7E)]
)
_DIAGONAL = "╲"
_SHORT_NAME = 16  # columns that a name is cut to before numbers are left out
_NUMBER, _CELL = 5, 2  # columns of a cell with its probability, and of one without


def draw(preferences: Preferences, console: Console) -> None:
    """As large as the console is wide: with numbers, as cells with names, or as a picture of averages.

    What is no terminal, such as a pipe or a file, has no width: all numbers are printed, under whole names.
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
    """Return what fits into so many columns, and its legend."""
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
    return f"{ends}\n{counted(len(names), 'ranker')} on {size} places: a point is the mean of its pairs"


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


def _numbers(matrix: np.ndarray, names: list[str], left: int, cell: int, paint: _Paint) -> list[Text]:
    """Rows of numbers; `left` columns for the names of rows, `cell` for each number and for names above."""
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
    return Text(f"{_right(name, width)} ", style="cyan")


def _right(name: str, width: int) -> str:
    """Return a name in so many columns of a terminal: cut if it is longer, else with spaces before it."""
    if cell_len(name) > width:
        name = set_cell_size(name, width - 1) + "…"
    return " " * (width - cell_len(name)) + name
