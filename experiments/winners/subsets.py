"""How often random subsets of the rankers have a Condorcet winner or a total order (Zoghi 2017, 7.1)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import comb

import numpy as np
import pandas as pd

from rankduel.base.compiling import entry
from rankduel.base.errors import UsageError
from rankduel.base.streams import stream

BEATS, BEATEN_BY = 0, 1
_MAX_WORK = 3e8  # comparisons; all subsets of a size are evaluated if they need no more


def subset_shares(
    matrix: np.ndarray, sizes: Sequence[int] | None = None, samples: int = 20_000, seed: int = 0
) -> pd.DataFrame:
    """Return one row per size: the shares of subsets with a Condorcet winner and with a total order.

    The first share is exact. The second is exact if all subsets of the size can be evaluated; otherwise it is
    estimated from `samples` subsets, with its standard error. The samples of all sizes are prefixes of the
    same random permutations, so the estimates decrease with the size, and their errors are correlated.
    """
    size = len(matrix)
    chosen = list(sizes) if sizes is not None else usual_sizes(size)
    check_sampling(chosen, samples, size)
    # duels[i, BEATS, j]: i beats j; duels[i, BEATEN_BY, j]: j beats i. Kernels read both along a row.
    duels = np.stack([matrix > 0.5, matrix.T > 0.5], axis=1)
    exact = {wanted: comb(size, wanted) * wanted**2 <= _MAX_WORK for wanted in chosen}
    # The full length, so that the samples of a size do not depend on the other sizes in `sizes`.
    longest = 0 if all(exact.values()) else size
    ordered = _ordered_prefixes(duels, longest, int(samples), stream(seed, "subset shares"))
    return pd.DataFrame([_row(duels, ordered, int(wanted), exact[wanted]) for wanted in chosen])


def check_sampling(sizes: Sequence[int], samples: int, n_rankers: int) -> None:
    """Raise UsageError unless `sizes` and `samples` are whole numbers in range."""
    for size in sizes:
        if size != int(size) or not 1 <= size <= n_rankers:
            raise UsageError(f"subset size is {size}; expected a whole number from 1 to {n_rankers}")
    if samples != int(samples) or samples < 1:
        raise UsageError(f"the number of samples is {samples}; expected a whole number of 1 or more")


def usual_sizes(size: int) -> list[int]:
    """Return every size up to 10, then sizes with growing steps, and the number of rankers, `size`."""
    steps = [
        *range(2, 10),
        *(round(base * 10**power) for power in range(1, 6) for base in (1, 1.5, 2, 3, 4, 6, 8)),
    ]
    return [step for step in steps if step < size] + [size]


def _row(duels: np.ndarray, ordered: np.ndarray, wanted: int, exact: bool) -> dict:
    """Return the row of the size `wanted`; `ordered` are the lengths of ordered prefixes of the samples."""
    n_subsets = comb(len(duels), wanted) if exact else len(ordered)
    found = _count_ordered(duels, wanted) if exact else int((ordered >= wanted).sum())
    share = found / n_subsets
    return {
        "size": wanted,
        "condorcet": condorcet_share(duels[:, BEATS].sum(axis=1), wanted),
        "total_order": share,
        "standard_error": 0.0 if exact else (share * (1 - share) / n_subsets) ** 0.5,
        "subsets": n_subsets,
        "exact": exact,
    }


def condorcet_share(wins: np.ndarray, wanted: int) -> float:
    """Return the exact share of subsets of size `wanted` with a Condorcet winner.

    Ranker i wins the subsets whose other members are all among the wins[i] rankers that it beats. A subset
    has at most one winner, so the counts add up.
    """
    return float(Fraction(sum(comb(int(w), wanted - 1) for w in wins), comb(len(wins), wanted)))


def _ordered_prefixes(duels: np.ndarray, longest: int, samples: int, rng: np.random.Generator) -> np.ndarray:
    """Return (samples,) lengths: the longest prefix of a random permutation that has a total order.

    A prefix has at most `longest` rankers.
    """
    lengths = np.zeros(samples, np.int64)
    _draw_prefixes(duels, np.arange(len(duels)), np.empty(longest, np.int64), lengths, rng)
    return lengths


def _count_ordered(duels: np.ndarray, wanted: int) -> int:
    """Return the number of subsets of size `wanted` with a total order."""
    return int(_count_ordered_subsets(duels, np.arange(wanted), np.empty(wanted, np.int64)))


@entry
def _draw_prefixes(duels, permutation, ranked, lengths, rng):
    """Shuffle `permutation` as far as its prefix has a total order; once for each entry of `lengths`."""
    size = len(permutation)
    for sample in range(len(lengths)):
        n = 0
        while n < len(ranked):
            other = n + int(rng.random() * (size - n))
            permutation[n], permutation[other] = permutation[other], permutation[n]
            if not _insert(duels, ranked, n, permutation[n]):
                break
            n += 1
        lengths[sample] = n


@entry
def _count_ordered_subsets(duels, chosen, ranked):
    """Count the subsets with a total order, in lexicographic order; `chosen` is the first subset."""
    size = len(duels)
    wanted = len(chosen)
    found = 0
    while True:
        n = 0
        while n < wanted and _insert(duels, ranked, n, chosen[n]):
            n += 1
        found += n == wanted
        # Subsets with the same first n + 1 members have no total order either: skip them.
        last = min(n, wanted - 1)
        while last >= 0 and chosen[last] == size - wanted + last:
            last -= 1
        if last < 0:
            return found
        chosen[last] += 1
        for at in range(last + 1, wanted):
            chosen[at] = chosen[at - 1] + 1


@entry
def _insert(duels, ranked, n, new):
    """Insert `new` into the first n of `ranked`, best first; return whether that gives a total order.

    `new` must lose to all rankers before it and beat all rankers after it.
    """
    place = 0
    while place < n and duels[new, BEATEN_BY, ranked[place]]:
        place += 1
    for at in range(place, n):
        if not duels[new, BEATS, ranked[at]]:
            return False
    for at in range(n, place, -1):
        ranked[at] = ranked[at - 1]
    ranked[place] = new
    return True
