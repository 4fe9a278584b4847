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
_WORK = 3e8  # comparisons; all subsets of a size are looked at if that takes no more


def subset_shares(
    matrix: np.ndarray, sizes: Sequence[int] | None = None, samples: int = 20_000, seed: int = 0
) -> pd.DataFrame:
    """One row per size: the shares of subsets with a Condorcet winner and with a total order.

    The first is exact. The second is exact where all subsets could be looked at; elsewhere it is from
    `samples` of them, with its standard error. The samples of all sizes are beginnings of the same random
    orders, so the curve falls as the true one does and its errors go together.
    """
    size = len(matrix)
    chosen = list(sizes) if sizes is not None else usual_sizes(size)
    check_sampling(chosen, samples, size)
    # Row i twice: whom i beats, and who beats i; kernels read both along the row.
    duels = np.stack([matrix > 0.5, matrix.T > 0.5], axis=1)
    exact = {wanted: comb(size, wanted) * wanted**2 <= _WORK for wanted in chosen}
    # Always all the way, so that a size's samples do not depend on the other sizes asked for.
    longest = 0 if all(exact.values()) else size
    ordered = _ordered_prefixes(duels, longest, int(samples), stream(seed, "subset shares"))
    return pd.DataFrame([_row(duels, ordered, int(wanted), exact[wanted]) for wanted in chosen])


def check_sampling(sizes: Sequence[int], samples: int, n_rankers: int) -> None:
    for size in sizes:
        if size != int(size) or not 1 <= size <= n_rankers:
            raise UsageError(f"subsets of {size} rankers; expected whole numbers from 1 to {n_rankers}")
    if samples != int(samples) or samples < 1:
        raise UsageError(f"{samples} samples of each size; expected a whole number from 1")


def usual_sizes(size: int) -> list[int]:
    """Every size up to 10, then steps that grow with it, and the whole."""
    steps = [
        *range(2, 10),
        *(round(base * 10**power) for power in range(1, 6) for base in (1, 1.5, 2, 3, 4, 6, 8)),
    ]
    return [step for step in steps if step < size] + [size]


def _row(duels: np.ndarray, ordered: np.ndarray, wanted: int, exact: bool) -> dict:
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
    """Exact: i wins those subsets whose others are all among the wins[i] it beats; no two win the same."""
    return float(Fraction(sum(comb(int(w), wanted - 1) for w in wins), comb(len(wins), wanted)))


def _ordered_prefixes(duels: np.ndarray, longest: int, samples: int, rng: np.random.Generator) -> np.ndarray:
    """(samples,) of random orders of all rankers: how many of the first `longest` are in order."""
    lengths = np.zeros(samples, np.int64)
    _draw_prefixes(duels, np.arange(len(duels)), np.empty(longest, np.int64), lengths, rng)
    return lengths


def _count_ordered(duels: np.ndarray, wanted: int) -> int:
    """Of all subsets of this size, those with a total order."""
    return int(_count_ordered_subsets(duels, np.arange(wanted), np.empty(wanted, np.int64)))


@entry
def _draw_prefixes(duels, deck, ranked, lengths, rng):
    size = len(deck)
    for sample in range(len(lengths)):
        n = 0
        while n < len(ranked):
            other = n + int(rng.random() * (size - n))
            deck[n], deck[other] = deck[other], deck[n]
            if not _insert(duels, ranked, n, deck[n]):
                break
            n += 1
        lengths[sample] = n


@entry
def _count_ordered_subsets(duels, chosen, ranked):
    """Subsets in the order of a dictionary; `chosen` is the first."""
    size = len(duels)
    wanted = len(chosen)
    found = 0
    while True:
        n = 0
        while n < wanted and _insert(duels, ranked, n, chosen[n]):
            n += 1
        found += n == wanted
        # All that begin like the n + 1 just seen have no order either: pass them over.
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
    """Put `new` among the first n, best first, if it loses to all before it and beats all after it."""
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
