"""What `rankduel matrix show` draws on a console."""

from __future__ import annotations

import numpy as np
from rich.color import Color
from rich.console import Console
from rich.style import Style
from rich.text import Text

from experiments.matrix.preferences import Preferences
from experiments.winners.notions import copeland_order

# From never to always winning, through white for even; as in experiments.report.charts.matrix_and_final.
_COLOURS = np.array(
    [(0x8F, 0x3B, 0), (0xE8, 0xA1, 0x5C), (255, 255, 255), (0x6A, 0xAE, 0xD6), (0x08, 0x45, 0x7E)]
)
_DIAGONAL = "╲"
_WIDEST_NAME = 16
_NUMBER, _CELL = 5, 2  # columns of a cell with its probability, and of one without


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
