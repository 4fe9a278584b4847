"""How often notions of a winner agree on random subsets (Zoghi 2017, Table 7.1, Figure 7.2)."""

from itertools import combinations

import numpy as np
from joblib import Parallel, delayed

from bandits.streams import stream
from experiments.studies.study import Bench, Between, Check, Computed, Measure, Size, Study
from experiments.winners import best, borda_scores, copeland_losses, copeland_scores, random_walk, von_neumann

NOTIONS = ("Copeland", "von Neumann", "Borda", "random walk")
# Percent of subsets in which two notions have a winner in common: published, and of the navigational matrix.
PUBLISHED = (99.94, 51.49, 56.15, 77.66, 82.11, 94.81)
NAVIGATIONAL = (99.94, 86.93, 86.90, 90.38, 90.32, 98.79)
PAIRS = tuple(combinations(NOTIONS, 2))
CONTAINED = "all Copeland winners have weight"
MANY, CLOSELY = 400, ", from many subsets"  # of each size: then standard errors are .2 points, else about .4


def overlaps(bench: Bench) -> dict[str, float]:
    """Shares in percent, every size of subset from 3 to all but one counting the same."""
    assert bench.preferences is not None
    matrix = np.array(bench.preferences.matrix)
    sizes = range(3, len(matrix))
    found = Parallel(n_jobs=bench.jobs)(delayed(_of_size)(matrix, size, bench.size.runs) for size in sizes)
    rows = np.array(found)  # (sizes, samples, numbers)
    shared = 100 * rows[:, :, : len(PAIRS) + 1].mean(axis=(0, 1))
    n_winners, n_losses = rows[:, :, -2], rows[:, :, -1]
    named = dict(zip((*map(_both, PAIRS), CONTAINED), shared))
    closely = {f"{name}{CLOSELY}": share for name, share in named.items()} if bench.size.runs >= MANY else {}
    return {
        **named,
        **closely,
        "most Copeland winners": n_winners.max(),
        "most losses": n_losses.max(),
        "one Copeland winner": 100 * (n_winners == 1).mean(),
        "no loss": 100 * (n_losses == 0).mean(),
    }


def _both(pair: tuple[str, str]) -> str:
    return " and ".join(pair)


def _of_size(matrix: np.ndarray, size: int, samples: int) -> list[list[float]]:
    rng = stream(0, "winner notions", size)
    return [_of_subset(matrix, rng.permutation(len(matrix))[:size]) for _ in range(samples)]


def _of_subset(matrix: np.ndarray, arms: np.ndarray) -> list[float]:
    """For each of PAIRS: a winner in common? Then: containment, Copeland winners, their losses."""
    part = matrix[np.ix_(arms, arms)]
    copeland = best(copeland_scores(part))
    winners = {
        "Copeland": set(copeland),
        "von Neumann": set(von_neumann(part).support),
        "Borda": set(best(borda_scores(part))),
        "random walk": set(best(random_walk(part))),
    }
    shared = [float(bool(winners[one] & winners[other])) for one, other in PAIRS]
    contained = float(winners["Copeland"] <= winners["von Neumann"])
    return [*shared, contained, float(len(copeland)), float(copeland_losses(part)[copeland[0]])]


def _overlap(part: str, pair: tuple[str, str], share: float, source: str, closely: bool) -> Check:
    name = "-".join(word.split()[0].lower() for word in pair) + ("-closely" if closely else "")
    apart = 0.6 if closely else 1.8
    measure = Measure(part, _both(pair) + (CLOSELY if closely else ""), "value")
    test = Between(measure, share - apart, share + apart)
    return Check(
        f"{part}.{name}", f"{_both(pair)} share a winner in {share} % ({source})", test, f"{share}", real=True
    )


_SIZES = {"quick": Size(1, 60), "paper": Size(1, MANY), "long": Size(1, 10_000)}

STUDY = Study(
    id="winner-notions",
    title="Do notions of a winner agree?",
    source="Zoghi 2017 (thesis), 7.1.2, Table 7.1 and Figure 7.2",
    question="How often do Copeland, von Neumann, Borda and random-walk winners agree on random subsets?",
    data="public MSLR matrices: Informational (all 136), Navigational",
    parts=(
        Computed("informational", overlaps, "mslr-informational", sizes=_SIZES),
        Computed("navigational", overlaps, "mslr-navigational", sizes=_SIZES),
    ),
    checks=(
        *(
            _overlap("informational", pair, share, "Table 7.1", closely)
            for pair, share in zip(PAIRS, PUBLISHED)
            for closely in (False, True)
        ),
        *(
            _overlap("navigational", pair, share, "independent", False)
            for pair, share in zip(PAIRS, NAVIGATIONAL)
        ),
        Check(
            "informational.contained",
            "in 94.2 % all Copeland winners have weight in the von Neumann winner",
            Between(Measure("informational", CONTAINED, "value"), 94.2 - 1.8, 94.2 + 1.8),
            "94.8",
            real=True,
        ),
        *(
            Check(
                f"{part}.few_{name.split()[-1]}",
                f"{part}: Copeland winners are few, and lose few duels: far below the size of the subset",
                Between(Measure(part, name, "value"), high=most),
            )
            for part in ("informational", "navigational")
            for name, most in (("most Copeland winners", 7), ("most losses", 4))
        ),
    ),
    minutes={"quick": 1.5, "paper": 10, "long": 250},
)
