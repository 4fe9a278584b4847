"""Winners, scores, ties and cycles of the matrices in use, against values of the sources."""

from collections.abc import Mapping

from rankduel.bandits import condorcet_winner
from rankduel.experiments.studies.study import Check, Computed, Exact, Inputs, Measure
from rankduel.experiments.winners.notions import best, borda_scores, copeland_scores
from rankduel.experiments.winners.transitivity import count_cycles, count_ties, total_order

# Keys of `matrix_facts` as claims name them.
_DESCRIPTIONS = {
    "arms": "the number of arms",
    "condorcet": "the Condorcet winner (-1 for none)",
    "most beaten": "the largest number of arms that an arm beats",
    "copeland winners": "the number of Copeland winners",
    "borda winner": "the Borda winner",
    "best borda": "the largest Borda score",
    "borda sum": "the largest sum of a row",
    "ties": "the number of tied pairs",
    "cycles": "the number of cycles of three arms",
    "ordered": "the number of total orders (0 or 1)",
    "smallest": "the smallest preference",
}

# Values from the sources or from their formulas, to the digits given.
SMALL: Mapping[str, Mapping[str, float]] = {
    "cycle": {"condorcet": 0, "most beaten": 19, "borda sum": 10.19},
    "cycle2": {"condorcet": 0, "most beaten": 19, "borda sum": 11.90},
    "thesis4": {"condorcet": 0, "most beaten": 3, "borda winner": 1, "borda sum": 2.39},
    "tennis": {"condorcet": 0, "borda winner": 1, "borda sum": 2.45},
    "case-a": {"condorcet": 0, "best borda": 0.75, "ties": 0},
    "case-b": {"copeland winners": 2, "most beaten": 98, "best borda": 0.74747, "ties": 4754},
    "copeland500": {"copeland winners": 3, "most beaten": 498, "condorcet": -1},
    "arithmetic": {"ordered": 1, "condorcet": 0},
    "cyclic": {"condorcet": 0, "best borda": 0.6},
    "two-winners32": {"copeland winners": 2, "most beaten": 30, "condorcet": -1},
    "arxiv6": {"condorcet": 0, "ties": 1, "most beaten": 5},
    "mslr5": {"condorcet": 0, "ordered": 1},
    "mslr5-cycle": {"copeland winners": 3, "most beaten": 3, "condorcet": -1},
}  # fmt: skip
LARGE: Mapping[str, Mapping[str, float]] = {
    "mslr-perfect": {
        "arms": 136, "ties": 0, "condorcet": 109, "most beaten": 135, "borda winner": 109,
        "best borda": 0.61727, "cycles": 447, "smallest": 0.16349,
    },
    "mslr-navigational": {
        "arms": 136, "ties": 0, "condorcet": 109, "most beaten": 135, "borda winner": 109,
        "best borda": 0.60468, "cycles": 377, "smallest": 0.16355,
    },
    "mslr-informational-cdc": {
        "arms": 135, "ties": 0, "condorcet": 113, "most beaten": 134, "borda winner": 118,
        "best borda": 0.61677, "cycles": 336, "smallest": 0.09455,
    },
    "mslr-informational": {
        "arms": 136, "ties": 0, "condorcet": -1, "most beaten": 134, "borda winner": 109,
        "best borda": 0.61830, "cycles": 343,
    },
}  # fmt: skip


def matrix_facts(inputs: Inputs) -> dict[str, float]:
    """Return properties of a matrix; arms are numbered from 0, and -1 means that there is no such arm."""
    assert inputs.preferences is not None
    matrix = inputs.preferences.matrix
    beaten = copeland_scores(matrix)
    borda = borda_scores(matrix)
    return {
        "arms": len(matrix),
        "condorcet": condorcet_winner(matrix),
        "most beaten": beaten.max(),
        "copeland winners": len(best(beaten)),
        "borda winner": best(borda)[0],
        "best borda": borda.max(),
        "borda sum": borda.max() * (len(matrix) - 1) + 0.5,  # with the duel of the arm against itself
        "ties": count_ties(matrix),
        "cycles": count_cycles(matrix),
        "ordered": total_order(matrix) is not None,
        "smallest": matrix.min(),
    }


def _exact(part: str, name: str, expected: float, real: bool) -> Check:
    claim = f"{part}: {_DESCRIPTIONS[name]} is {expected:g}"
    test = Exact(Measure(part, name, "value"), expected, _rounding(expected))
    return Check(f"{part}.{name.replace(' ', '_')}", claim, test, f"{expected:g}", real=real)


def _rounding(number: float) -> float:
    """Return half a unit of the last written digit, plus an allowance for floating-point error."""
    digits = len(f"{number:.10g}".partition(".")[2])
    return 0.5 * 10.0**-digits + 1e-9 if digits else 0.0


PARTS = tuple(Computed(name, matrix_facts, name) for name in SMALL)
CHECKS = (
    *(_exact(part, name, value, False) for part, facts in SMALL.items() for name, value in facts.items()),
    *(_exact(part, name, value, True) for part, facts in LARGE.items() for name, value in facts.items()),
)
