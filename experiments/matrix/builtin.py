"""Preference matrices by name: those the literature gives by formula, and the small published ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from rankduel.base.errors import MatrixError
from rankduel.base.settings import Catalogue, NoParams


class Matrix(NamedTuple):
    name: str
    about: str
    source: str
    make: Callable[[], np.ndarray]
    params: type = NoParams


def _total_order(n_arms: int, chance: float) -> np.ndarray:
    """Arm i beats every later arm with the same chance."""
    prefs = np.full((n_arms, n_arms), 1.0 - chance)
    prefs[np.triu_indices(n_arms, 1)] = chance
    np.fill_diagonal(prefs, 0.5)
    return prefs


def _reverse(prefs: np.ndarray, one: int, other: int) -> np.ndarray:
    prefs[one, other], prefs[other, one] = prefs[other, one], prefs[one, other]
    return prefs


def _round_table(winner: float, neighbour: float) -> np.ndarray:
    """Arm 0 beats all; nineteen others sit in a circle and beat the nine to one side."""
    prefs = np.full((20, 20), 0.5)
    prefs[0, 1:], prefs[1:, 0] = winner, 1.0 - winner
    for seat in range(19):
        for apart in range(1, 10):
            one, other = 1 + seat, 1 + (seat + apart) % 19
            prefs[one, other], prefs[other, one] = neighbour, 1.0 - neighbour
    return prefs


def _arithmetic() -> np.ndarray:
    place = np.arange(8)
    return 0.5 + 0.05 * (place[None, :] - place[:, None])


def _two_good() -> np.ndarray:
    prefs = np.full((100, 100), 0.5)
    prefs[:2, 2:], prefs[2:, :2] = 0.75, 0.25
    return prefs


def _triangle(n_arms: int, text: str) -> Callable[[], np.ndarray]:
    """From the entries above the diagonal, row by row."""

    def make() -> np.ndarray:
        upper = np.zeros((n_arms, n_arms))
        upper[np.triu_indices(n_arms, 1)] = [float(entry) for entry in text.split()]
        prefs = upper + np.tril(1.0 - upper.T, -1)
        np.fill_diagonal(prefs, 0.5)
        return prefs

    return make


_KOMIYAMA = "Komiyama, Honda, Kashima, Nakagawa 2015 (COLT)"
_KOMIYAMA_COPELAND = "Komiyama, Honda, Nakagawa 2016 (ICML)"
_MERGE_DTS = "Li, Markov, de Rijke, Zoghi 2020 (TOIS)"
_WU_LIU = "Wu, Liu 2016 (NIPS), appendix D"
_YAN = "Yan 2022 (thesis), chapter 4"
_ZOGHI = "Zoghi 2017 (thesis)"

_ALL = (
    Matrix(
        "cyclic",
        "4 arms: one beats all, the others beat each other in a circle",
        _KOMIYAMA,
        _triangle(4, ".6 .6 .6 .9 .1 .9"),
    ),
    Matrix("arithmetic", "8 arms, 0.05 per place in a total order", _KOMIYAMA, _arithmetic),
    Matrix(
        "arxiv6",
        "6 search rankers of arXiv.org, with one exact tie",
        "Yue, Joachims 2011 (ICML)",
        _triangle(6, ".55 .55 .54 .61 .61 .55 .55 .58 .60 .54 .51 .56 .54 .50 .51"),
    ),
    Matrix(
        "mslr5",
        "features 1 to 5 of MSLR, informational user; with a Condorcet winner",
        _WU_LIU,
        _triangle(
            5,
            ".53519466 .6125935 .75696008 .76547422 .57985831 .72745116 .73820053 "
            ".65895708 .66877089 .50999465",
        ),
    ),
    Matrix(
        "mslr5-cycle",
        "5 features of MSLR, informational user; three Copeland winners in a cycle",
        _WU_LIU,
        _triangle(5, ".484426 .519420 .528868 .517593 .480741 .530466 .538785 .504497 .512485 .503330"),
    ),
    Matrix(
        "cycle",
        "20 arms: one barely beats all, the others beat half of each other for certain",
        _MERGE_DTS,
        lambda: _round_table(0.51, 1.0),
    ),
    Matrix(
        "cycle2",
        "20 arms: one beats all, the others barely beat half of each other",
        _MERGE_DTS,
        lambda: _round_table(0.6, 0.51),
    ),
    Matrix(
        "thesis4",
        "4 arms whose Borda winner is not the Condorcet winner",
        f"{_ZOGHI}, 2.1.2",
        _triangle(4, ".51 .51 .51 1 .4 .75"),
    ),
    Matrix(
        "tennis",
        "4 players; the Borda winner is not the Condorcet winner",
        "Zoghi, Whiteson, de Rijke, Munos 2014 (WSDM); one entry not given, 0.5 here",
        _triangle(4, ".55 .55 .55 .75 .75 .5"),
    ),
    Matrix(
        "gap",
        "5 arms, one Copeland winner that loses one duel",
        _KOMIYAMA_COPELAND,
        _triangle(5, ".8 .8 .51 .2 .8 .2 .8 .8 .8 .2"),
    ),
    Matrix(
        "multisol",
        "5 arms, three Copeland winners",
        _KOMIYAMA_COPELAND,
        _triangle(5, ".2 .8 .8 .8 .2 .8 .8 .8 .8 .6"),
    ),
    Matrix("case-a", "100 items in a total order, 0.75 throughout", _YAN, lambda: _total_order(100, 0.75)),
    Matrix("case-b", "100 items: two good ones, the rest all alike", _YAN, _two_good),
    Matrix(
        "copeland500",
        "500 arms: three winners in a cycle, then a total order; 0.6 where the source gives no number",
        f"{_ZOGHI}, 7.5",
        lambda: _reverse(_total_order(500, 0.6), 0, 2),
    ),
    Matrix(
        "two-winners32",
        "32 arms, total order with one pair reversed: two Copeland winners; stands in for a subset of MSLR",
        _MERGE_DTS,
        lambda: _reverse(_total_order(32, 0.6), 0, 9),
    ),
)
MATRICES = Catalogue("matrix", MatrixError, _ALL)
