"""Test `rankduel matrix show`: the heatmap in the terminal, with and without colours, and as a file."""

import io
import re

import numpy as np
import pytest
from rich.cells import cell_len
from rich.console import Console
from support.helpers import words
from support.html_pages import ATTACKS, Page

from rankduel.cli.console import screen
from rankduel.cli.drawn_matrix import colour, draw, shrunk
from rankduel.experiments.matrix.builtin import MATRICES
from rankduel.experiments.matrix.preferences import preferences_of, write_preferences


def drawn(matrix, width=80, names=None, **settings):
    """Return the output to a terminal of this width, by default without colours."""
    file = io.StringIO()
    settings = {"force_terminal": True, "color_system": None} | settings
    draw(preferences_of(matrix, names), Console(file=file, width=width, **settings))
    return file.getvalue()


def ladder(size):
    """Return the matrix of a total order, worst ranker first, so that drawing has to reverse it."""
    place = np.arange(size)
    return 0.5 + 0.4 * (place[:, None] - place[None, :]) / size


COLOURS = {"force_terminal": True, "color_system": "truecolor", "no_color": False, "legacy_windows": False}


def test_small_matrices_are_shown_as_numbers():
    lines = drawn(MATRICES["thesis4"].make(), names=["bm25", "tf", "a rather long name", "x"]).splitlines()
    assert words(lines[0]) == "bm25 tf x a rather long…"  # ranked by Copeland score, then Borda score
    assert words(lines[1]) == "bm25 ╲ 0.51 0.51 0.51"
    assert words(lines[2]) == "tf 0.49 ╲ 0.40 1.00"
    assert words(lines[4]) == "a rather long name 0.49 0.00 0.75 ╲"
    wide = drawn(MATRICES["thesis4"].make(), 120, ["bm25", "tf", "a rather long name", "x"]).splitlines()
    assert words(wide[0]) == "bm25 tf x a rather long name"


def columns(line):
    """Return the terminal columns in which the words of a line end."""
    return [cell_len(line[: found.end()]) for found in re.finditer(r"\S+", line)]


@pytest.mark.parametrize("names", [["bm25", "neural", "x"], ["検索", "tf", "é"]])
def test_numbers_are_aligned_with_names(names):
    for width in (40, 80):
        header, *rows = drawn(ladder(3), width, names=names).splitlines()[:4]
        assert max(map(cell_len, (header, *rows))) <= width
        for number, row in enumerate(rows):
            ends = columns(row)[1:]
            assert [end for i, end in enumerate(ends) if i != number] == [
                end for i, end in enumerate(columns(header)) if i != number
            ]


def test_long_names_are_shortened():
    header, *rows = drawn(ladder(6), 50, ["a very long name indeed " + str(i) for i in range(6)]).splitlines()
    assert (
        max(map(len, (header, *rows))) <= 50
        and "a v…" in header
        and rows[0].startswith("a very long name i…")
    )


def test_output_to_a_file_has_all_numbers_and_full_names():
    names = [f"ranker {i}" for i in range(60)]
    lines = drawn(ladder(60), 80, names, force_terminal=False).splitlines()
    assert len(lines) == 61 and not any("…" in line or line.endswith(" ") for line in lines)
    assert re.split(r"  +", lines[0].strip()) == names[::-1]
    for place, line in enumerate(lines[1:]):
        cells = re.split(r"  +", line.strip())
        assert cells[0] == names[59 - place] and len(cells) == 61 and cells[1 + place] == "╲"
    assert len({columns(line.replace("ranker ", "ranker_"))[-1] for line in lines[1:-1]}) == 1


def test_larger_matrices_are_shown_as_digits_without_colours():
    text = drawn(ladder(30))
    lines = text.splitlines()
    assert words(lines[0]).split()[:3] == ["29", "╲", "5"] and words(lines[0]).split()[-1] == "8"
    assert words(lines[29]).split()[0] == "0" and lines[29].split()[1] == "1"
    assert "a digit is p in tenths" in text and "\x1b" not in text
    assert max(map(len, lines)) <= 80


def test_ties_are_dots():
    assert "·" in drawn(np.full((20, 20), 0.5)) and "·" not in drawn(ladder(20)).split("a digit")[0]


@pytest.mark.parametrize("width", [40, 80, 133])
@pytest.mark.parametrize("settings", [{}, COLOURS], ids=["plain", "colours"])
def test_large_matrices_are_shrunk_to_the_width(width, settings):
    text = drawn(ladder(300), width, **settings)
    size = width if settings else width // 2
    assert f"300 rankers in {size} blocks: a cell is the mean of its pairs" in words(text)
    assert "top and left: 299, 298, 297, ...; bottom and right: ..., 2, 1, 0" in words(text)
    picture = [line for line in text.splitlines() if "▀" in line or "╲" in line]
    assert len(picture) == (-(-size // 2) if settings else size)
    if settings:
        assert all(line.count("▀") == width for line in picture)
    else:
        assert all(len(line) == 2 * size for line in picture)


def test_a_picture_that_fits_is_not_shrunk():
    text = drawn(ladder(60), **COLOURS)
    assert text.count("▀") == 60 * 30 and "mean of its pairs" not in text and "top and left: 59" in text


def test_colours_of_wins_and_losses():
    text = drawn(square_of_two(), **COLOURS)
    best, even, worst = colour(0.9, 0.4).triplet, colour(0.5, 0.4).triplet, colour(0.1, 0.4).triplet
    assert even == (255, 255, 255) and best[2] > best[0] and worst[0] > worst[2]  # blue wins, brown loses
    row = text.splitlines()[1]
    assert f"48;2;{best[0]};{best[1]};{best[2]}m0.90" in row
    assert "0.10" in text.splitlines()[-1] and "0.90" in text.splitlines()[-1]  # the legend


def square_of_two():
    return np.array([[0.5, 0.9], [0.1, 0.5]])


def test_the_colour_scale_ends_at_the_largest_margin():
    assert colour(0.7, 0.2).triplet == colour(0.9, 0.2).triplet == colour(1.0, 0.5).triplet
    assert colour(0.6, 0.2).triplet == colour(0.75, 0.5).triplet


def test_no_color_turns_colours_off():
    assert "\x1b[48" not in drawn(ladder(30), **(COLOURS | {"no_color": True}))


@pytest.mark.parametrize(("size", "places"), [(7, 7), (10, 3), (136, 80), (700, 40), (5, 1)])
def test_shrinking_takes_means_of_equal_blocks(size, places):
    matrix = np.random.default_rng(size).random((size, size))
    small = shrunk(matrix, places)
    edges = [round(size * i / places) for i in range(places + 1)]
    for i in range(places):
        for j in range(places):
            block = [
                matrix[a, b] for a in range(edges[i], edges[i + 1]) for b in range(edges[j], edges[j + 1])
            ]
            assert small[i, j] == pytest.approx(sum(block) / len(block))
    sizes = np.diff(edges)
    assert sizes.max() - sizes.min() <= 1


@pytest.mark.parametrize("name", ["arxiv6", "cycle", "copeland500"])
def test_output_fits_eighty_columns(rankduel, monkeypatch, name):
    monkeypatch.setattr(screen, "_force_terminal", True)
    code, out, err = rankduel("matrix", "show", name)
    assert (code, err) == (0, "") and max(map(len, out.splitlines())) <= 80
    n_rankers = len(MATRICES[name].make())
    title = f"{name} ({n_rankers} rankers, best first; probability that the row beats the column)"
    assert title in words(out)


@pytest.mark.parametrize(
    ("ending", "magic"), [("svg", b"<svg"), ("png", b"\x89PNG"), ("html", b"<!DOCTYPE html>")]
)
def test_the_heatmap_as_a_file(rankduel, tmp_path, ending, magic):
    code, out, err = rankduel("matrix", "show", "arxiv6", "--rankers", "0-3", "-o", f"a.{ending}")
    assert (code, err) == (0, "") and f"wrote a.{ending}" in out and "0.55" in out
    assert (tmp_path / f"a.{ending}").read_bytes().startswith(magic)
    assert [path.name for path in tmp_path.iterdir()] == [f"a.{ending}"]


def test_names_of_rankers_are_escaped_in_html(rankduel, tmp_path):
    pages = []
    for name, text in (("plain", ""), ("attacked", "".join(ATTACKS))):
        names = [f"{ranker}{text}" for ranker in "abc"]
        write_preferences(preferences_of(ladder(3), names), tmp_path / f"{name}.prefs.parquet")
        code, _, err = rankduel("matrix", "show", f"{name}.prefs.parquet", "-o", f"{name}.html")
        assert (code, err) == (0, "")
        pages.append(Page(tmp_path / f"{name}.html"))
    plain, attacked = pages
    assert attacked.structure == plain.structure and attacked.policy == attacked.own_policy
    assert "".join(ATTACKS) in attacked.text


def test_a_file_with_too_many_rankers_has_a_note(rankduel):
    out = rankduel("matrix", "show", "copeland500", "-o", "a.svg")[1]
    assert "wrote a.svg (" in out and "the first 200 rankers)" in out


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        (["arxiv7"], "did you mean 'arxiv6'?"),
        (["arxiv6", "--rankers", "8"], "no ranker named '8'"),
        (["arxiv6", "-o", "a.bmp"], "a.bmp: charts cannot be saved as '.bmp'"),
        (["arxiv6", "-o", "nowhere/a.svg"], "nowhere"),
    ],
)
def test_mistakes_end_in_one_message(rankduel, tmp_path, typed, message):
    code, _, err = rankduel("matrix", "show", *typed)
    assert code == 2 and err.startswith("error: ") and message in words(err)
    assert list(tmp_path.iterdir()) == []
