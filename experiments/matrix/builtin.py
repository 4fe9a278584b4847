"""Built-in preference matrices: small published ones, and families whose settings determine a matrix.

`MATRICES` are those that the literature defines completely. `FAMILIES` have settings, as in
`btl(k=100,spread=0.5)`; each is a file of families/.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from rankduel.base.errors import MatrixError
from rankduel.base.settings import Catalogue, Configured, NoParams, configure, discovered, find, parse_spec
from rankduel.base.text import shortened
from rankduel.experiments.matrix import families
from rankduel.experiments.matrix.contract import Family


class Matrix(NamedTuple):
    """A built-in preference matrix with its description and source."""

    name: str
    about: str
    source: str
    make: Callable[[], np.ndarray]
    params: type = NoParams


def _total_order(n_arms: int, chance: float) -> np.ndarray:
    """Return a matrix in which every arm beats each later arm with probability `chance`."""
    prefs = np.full((n_arms, n_arms), 1.0 - chance)
    prefs[np.triu_indices(n_arms, 1)] = chance
    np.fill_diagonal(prefs, 0.5)
    return prefs


def _reverse(prefs: np.ndarray, one: int, other: int) -> np.ndarray:
    """Exchange the probabilities of one pair in `prefs`, and return it."""
    prefs[one, other], prefs[other, one] = prefs[other, one], prefs[one, other]
    return prefs


def _winner_and_cycle(winner: float, within: float) -> np.ndarray:
    """Return 20 arms: arm 0 beats all others, which are in a circle, each beating the next nine.

    Arm 0 wins with probability `winner`, and an arm of the circle beats the next nine with `within`.
    """
    prefs = np.full((20, 20), 0.5)
    prefs[0, 1:], prefs[1:, 0] = winner, 1.0 - winner
    for place in range(19):
        for distance in range(1, 10):
            one, other = 1 + place, 1 + (place + distance) % 19
            prefs[one, other], prefs[other, one] = within, 1.0 - within
    return prefs


def _arithmetic() -> np.ndarray:
    place = np.arange(8)
    return 0.5 + 0.05 * (place[None, :] - place[:, None])


def _two_good() -> np.ndarray:
    prefs = np.full((100, 100), 0.5)
    prefs[:2, 2:], prefs[2:, :2] = 0.75, 0.25
    return prefs


def _triangle(n_arms: int, text: str) -> Callable[[], np.ndarray]:
    """Return a function that makes a matrix of the entries above the diagonal, given row by row."""

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
        "4 arms: one beats all others, which form a cycle",
        _KOMIYAMA,
        _triangle(4, ".6 .6 .6 .9 .1 .9"),
    ),
    Matrix("arithmetic", "8 arms in a total order; 0.05 per difference in rank", _KOMIYAMA, _arithmetic),
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
        "20 arms: one beats all with 0.51, the others form a cycle and beat each other with 1",
        _MERGE_DTS,
        lambda: _winner_and_cycle(0.51, 1.0),
    ),
    Matrix(
        "cycle2",
        "20 arms: one beats all with 0.6, the others form a cycle and beat each other with 0.51",
        _MERGE_DTS,
        lambda: _winner_and_cycle(0.6, 0.51),
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
        "Zoghi, Whiteson, de Rijke, Munos 2014 (WSDM); 0.5 for one entry that is not published",
        _triangle(4, ".55 .55 .55 .75 .75 .5"),
    ),
    Matrix(
        "gap",
        "5 arms, one Copeland winner that loses to one arm",
        _KOMIYAMA_COPELAND,
        _triangle(5, ".8 .8 .51 .2 .8 .2 .8 .8 .8 .2"),
    ),
    Matrix(
        "multisol",
        "5 arms, three Copeland winners",
        _KOMIYAMA_COPELAND,
        _triangle(5, ".2 .8 .8 .8 .2 .8 .8 .8 .8 .6"),
    ),
    Matrix(
        "case-a",
        "100 items in a total order; a better item wins with 0.75",
        _YAN,
        lambda: _total_order(100, 0.75),
    ),
    Matrix("case-b", "100 items: two tied best items beat the rest with 0.75; the rest tie", _YAN, _two_good),
    Matrix(
        "copeland500",
        "500 arms: three winners in a cycle, then a total order; 0.6 where the source gives no number",
        f"{_ZOGHI}, 7.5",
        lambda: _reverse(_total_order(500, 0.6), 0, 2),
    ),
    Matrix(
        "two-winners32",
        "32 arms, total order with one pair reversed: two Copeland winners; replaces a subset of MSLR",
        _MERGE_DTS,
        lambda: _reverse(_total_order(32, 0.6), 0, 9),
    ),
)
MATRICES = Catalogue("matrix", MatrixError, _ALL)
FAMILIES: Catalogue[Family] = Catalogue("matrix", MatrixError, discovered(families, "FAMILY"))


def is_built_in(text: str) -> bool:
    """Return whether `text` names a built-in matrix or a family, with or without settings."""
    name = text.partition("(")[0].strip()
    return name in FAMILIES or name in MATRICES


def parse_matrix(text: str) -> Configured:
    """Return the built-in matrix or family that `text` names, with its settings."""
    name, settings = parse_spec(text) if "(" in text else (text, {})
    known: dict[str, Matrix | Family] = {**MATRICES, **FAMILIES}
    return configure(find(name, known, "matrix", MatrixError), MatrixError, **settings)


def make_matrix(chosen: Configured) -> np.ndarray:
    """Return the probabilities of a built-in matrix; an error names the matrix with its settings."""
    if chosen.name in MATRICES:
        return MATRICES[chosen.name].make()
    try:
        return FAMILIES[chosen.name].make(chosen.params)
    except MatrixError as problem:
        raise MatrixError(f"{shortened(str(chosen))}: {problem}") from None
