"""Upper bounds on the cumulative regret of policies on a matrix, from published theorems.

    policy        bound                             regret      holds
    rucb          Zoghi 2017, Theorem 4.4           Condorcet   with probability 1 - delta
    rucb          Zoghi 2017, Theorem 4.5           Condorcet   in expectation, alpha > 1
    merge_rucb    Zoghi 2017, Theorem 6.1           Condorcet   with probability 1 - delta
    merge_dts     Li et al. 2020, Theorem 4.1       Condorcet   with probability 1 - 1 / T
    ccb           Zoghi 2017, Theorem 7.1           Copeland    with probability 1 - delta

Here K is the number of arms, T the horizon, Delta_j the lead of the Condorcet winner over arm j, Delta_ij =
|p_ij - 1/2|, Delta_max the largest Delta_j, and C(delta) the constant of bandits/parts/head_start.py. For
alpha near 1/2 the constant exceeds all floating point numbers, so every bound is computed as its logarithm.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from rankduel.bandits import condorcet_winner, gaps
from rankduel.bandits.parts.head_start import exp_or_inf, log_head_start
from rankduel.base.errors import UsageError
from rankduel.base.results import plain
from rankduel.experiments.matrix.preferences import Preferences, choose_preferences
from rankduel.experiments.winners.copeland_gaps import CopelandGaps, copeland_gaps

_LN_10 = math.log(10.0)
IN_EXPECTATION = "in expectation"


class Setting(NamedTuple):
    """What a bound is computed for, besides the matrix."""

    log_horizon: float  # ln T
    alpha: float
    delta: float  # probability of failure
    batch: int  # size of the first batches, p of mergeRUCB and M of MergeDTS


class NotDefined(Exception):
    """Raised if a theorem does not apply to the matrix or to alpha; the message is the reason."""


def rucb_with_probability(matrix: np.ndarray, given: Setting) -> float:
    """Return the logarithm of the bound of Theorem 4.4.

    (4 ln(2 / delta) + 2 C(delta / 2) + 2 D ln(2 D)) Delta_max + sum_j D_j ln T, where D_j = 2 alpha (Delta_j
    + 4 Delta_max) / Delta_j^2, and D is the sum over all pairs of 4 alpha / min(Delta_i, Delta_j)^2.
    """
    leads = _leads(matrix)
    largest = math.log(leads.max())
    head_start = math.log(2) + log_head_start(len(matrix), given.alpha, given.delta / 2)
    constant = math.log(4 * math.log(2 / given.delta))
    return _log_sum(
        largest + constant, largest + head_start, _start_of_rucb(leads, given), _slope_of_rucb(leads, given)
    )


def rucb_in_expectation(matrix: np.ndarray, given: Setting) -> float:
    """Return the logarithm of the bound of Theorem 4.5.

    (8 + C(1/2) (2 alpha - 1) / (alpha - 1) + 2 D ln(2 D)) Delta_max + sum_j D_j ln T, as in Theorem 4.4.
    """
    if given.alpha <= 1:
        raise NotDefined("alpha is not above 1")
    leads = _leads(matrix)
    largest = math.log(leads.max())
    ratio = (2 * given.alpha - 1) / (given.alpha - 1)
    head_start = log_head_start(len(matrix), given.alpha, 0.5) + math.log(ratio)
    return _log_sum(
        largest + math.log(8),
        largest + head_start,
        _start_of_rucb(leads, given),
        _slope_of_rucb(leads, given),
    )


def merge_rucb(matrix: np.ndarray, given: Setting) -> float:
    """Return the logarithm of the bound of Theorem 6.1, 8 alpha p K ln(T + C(delta)) / Delta_min^2."""
    return _merging(matrix, given, given.delta)


def merge_dts(matrix: np.ndarray, given: Setting) -> float:
    """Return the logarithm of the bound of Theorem 4.1 of Li et al., as Theorem 6.1 with delta = 1 / T."""
    if given.batch < 4:
        raise NotDefined("batches are below 4")
    return _merging(matrix, given, math.exp(-given.log_horizon))


def ccb(matrix: np.ndarray, given: Setting) -> float:
    """Return the logarithm of the bound of Theorem 7.1.

    It is A1 + A2 sqrt(ln T) + 2 K (C + L_C + 1) / Delta^2 ln T. By Definition 7.9, A1 = C(delta / 4) +
    N(T_(delta / 2)) and A2 = sum_i sqrt(L_C + 1) / Delta*_i ln(2 K / delta) over the arms that are no
    winners, where N(t) = 1 + sum_ij 4 alpha ln(t) / Delta*_ij^2.
    """
    n = len(matrix)
    if (matrix == 0.5).sum() > n:
        raise NotDefined("two rankers tie")
    found = copeland_gaps(matrix)
    if found.is_winner.all():
        return -math.inf  # no arm has regret
    star = _star_of_pairs(matrix, found)
    per_pair = 4 * given.alpha / star[~np.eye(n, dtype=bool)] ** 2
    a1_growth = per_pair.sum() * _log_start_of_ccb(star, found, given._replace(delta=given.delta / 2))
    a1 = _log_sum(log_head_start(n, given.alpha, given.delta / 4), math.log(1 + a1_growth))
    a2 = (math.sqrt(found.losses + 1) / found.star[~found.is_winner]).sum() * math.log(2 * n / given.delta)
    slope = 2 * n * (found.is_winner.sum() + found.losses + 1) / found.gap**2
    growth = a2 * math.sqrt(given.log_horizon) + slope * given.log_horizon
    return _log_sum(a1, math.log(growth))


Bound = Callable[[np.ndarray, Setting], float]
# Policy, regret, source, whether the bound is one of the expected regret, and the bound.
BOUNDS: tuple[tuple[str, str, str, bool, Bound], ...] = (
    ("rucb", "condorcet", "Zoghi 2017, Theorem 4.4", False, rucb_with_probability),
    ("rucb", "condorcet", "Zoghi 2017, Theorem 4.5", True, rucb_in_expectation),
    ("merge_rucb", "condorcet", "Zoghi 2017, Theorem 6.1", False, merge_rucb),
    ("merge_dts", "condorcet", "Li et al. 2020, Theorem 4.1", False, merge_dts),
    ("ccb", "copeland", "Zoghi 2017, Theorem 7.1", False, ccb),
)


@dataclass(frozen=True, eq=False, repr=False)
class RegretBounds:
    """Published upper bounds on the regret of policies on a matrix; made by `regret_bounds`."""

    horizon: float
    alpha: float
    theorems: pd.DataFrame  # one row per theorem

    @property
    def in_expectation(self) -> pd.Series[bool]:
        """Return for each theorem whether it bounds the mean over runs; the others are likely."""
        return self.theorems["holds"] == IN_EXPECTATION

    def to_pandas(self) -> pd.DataFrame:
        """Return one row per theorem."""
        return self.theorems

    def to_dict(self) -> list[dict[str, Any]]:
        """Return the rows as plain Python objects."""
        rows: list[dict[str, Any]] = plain(self.theorems)
        return rows

    def __repr__(self) -> str:
        return f"RegretBounds\n{self.theorems}"

    def _repr_html_(self) -> str:
        return str(self.theorems.to_html())


def regret_bounds(
    preferences: Preferences | np.ndarray | str | Path,
    horizon: float,
    *,
    rankers: str = "",
    alpha: float = 1.01,
    delta: float | None = None,
    batch: int = 4,
) -> RegretBounds:
    """Compute published upper bounds on the cumulative regret of policies on a matrix.

    They are bounds of RUCB, mergeRUCB and CCB (Zoghi 2017, thesis, Theorems 4.4, 4.5, 6.1 and 7.1) and of
    MergeDTS (Li et al. 2020, Theorem 4.1). All are far above the regret of simulated runs.

    Parameters
    ----------
    preferences : Preferences, array, str or Path
        A matrix, the name of a built-in one, or a file.
    horizon : float
        Number of duels T.
    rankers : str, default ""
        Only these rankers, by name or index, such as ``"1-5,110"``.
    alpha : float, default 1.01
        Factor of the logarithm in the confidence bounds of the policies, above 1/2.
    delta : float, optional
        Probability with which a bound may fail. The default is ``1 / horizon``, which MergeDTS always has.
    batch : int, default 4
        Size of the first batches of mergeRUCB and MergeDTS.

    Returns
    -------
    RegretBounds
        ``to_pandas()`` has one row per theorem. ``bound`` is infinite if it exceeds all floating point
        numbers, as for alpha near 1/2; ``log10_bound`` is finite then. If a theorem does not apply, both are
        NaN, and ``why`` is the reason.

    Raises
    ------
    RankduelError
        If there is no such matrix or ranker, or a value is out of range.

    Examples
    --------
    >>> found = rankduel.regret_bounds("arxiv6", 1e6).to_pandas().set_index("source")
    >>> round(float(found.loc["Zoghi 2017, Theorem 4.5", "bound"]))
    83366
    >>> found.loc["Zoghi 2017, Theorem 7.1", "why"]
    'two rankers tie'
    """
    matrix = choose_preferences(preferences, rankers).matrix
    return RegretBounds(horizon, alpha, bounds_table(matrix, horizon, alpha, delta, batch))


def bounds_table(
    matrix: np.ndarray, horizon: float, alpha: float = 1.01, delta: float | None = None, batch: int = 4
) -> pd.DataFrame:
    """Return one row per theorem: policy, regret, holds, bound, log10_bound, why, source.

    A bound that exceeds all floating point numbers is infinite, but its logarithm is not. A bound that is not
    defined is NaN, and `why` says for which reason.
    """
    _check(horizon, alpha, delta, batch)
    delta = 1 / horizon if delta is None else delta
    given = Setting(math.log(horizon), alpha, delta, batch)
    rows = []
    for policy, regret, source, expected, bound in BOUNDS:
        failure = 1 / horizon if bound is merge_dts else delta
        holds = IN_EXPECTATION if expected else f"with probability 1 - {failure:g}"
        log, why = math.nan, ""
        try:
            log = bound(matrix, given)
        except NotDefined as reason:
            why = str(reason)
        rows.append((policy, regret, holds, exp_or_inf(log), log / _LN_10, why, source))
    return pd.DataFrame(rows, columns=["policy", "regret", "holds", "bound", "log10_bound", "why", "source"])


def _check(horizon: float, alpha: float, delta: float | None, batch: int) -> None:
    if not 2 <= horizon < math.inf:
        raise UsageError(f"horizon is {horizon:g}; expected a number of duels from 2")
    if not 0.5 < alpha < math.inf:
        raise UsageError(f"alpha is {alpha:g}; expected more than 1/2, as the theorems require")
    if delta is not None and not 0 < delta < 1:
        raise UsageError(f"delta is {delta:g}; expected a probability of failure between 0 and 1")
    if batch < 2:
        raise UsageError(f"batch is {batch}; expected a size of batches from 2")


def _leads(matrix: np.ndarray) -> np.ndarray:
    """Return Delta_j of all arms but the Condorcet winner, shape (K - 1,)."""
    winner = condorcet_winner(matrix)
    if winner < 0:
        raise NotDefined("no Condorcet winner")
    leads = np.delete(gaps(matrix), winner)
    if not leads.size:
        raise NotDefined("only one ranker")
    return leads


def _start_of_rucb(leads: np.ndarray, given: Setting) -> float:
    """Return ln(2 D ln(2 D) Delta_max)."""
    # Each arm counts for its pair with the winner, and for its pairs with arms of larger gap.
    ordered = np.sort(leads)
    n_later = np.arange(len(ordered))[::-1]
    d = (4 * given.alpha * (1 + n_later) / ordered**2).sum()
    return math.log(2 * d * math.log(2 * d) * leads.max())


def _slope_of_rucb(leads: np.ndarray, given: Setting) -> float:
    """Return ln(sum_j D_j ln T)."""
    slope = (2 * given.alpha * (leads + 4 * leads.max()) / leads**2).sum()
    return math.log(slope * given.log_horizon)


def _merging(matrix: np.ndarray, given: Setting, delta: float) -> float:
    _leads(matrix)
    n = len(matrix)
    log_time = _log_sum(given.log_horizon, log_head_start(n, given.alpha, delta))
    smallest = copeland_gaps(matrix).smallest
    return math.log(8 * given.alpha * given.batch * n * log_time / smallest**2)


def _star_of_pairs(matrix: np.ndarray, found: CopelandGaps) -> np.ndarray:
    """Return Delta*_ij: Delta*_i + Delta_ij if arm i wins or ties, otherwise the larger of the two."""
    margins = np.abs(matrix - 0.5)
    star = found.star[:, None]
    return np.where(matrix >= 0.5, star + margins, np.maximum(star, margins))


def _log_start_of_ccb(star: np.ndarray, found: CopelandGaps, given: Setting) -> float:
    """Return ln T_delta of Definition 7.4, the solution of T = a + b ln T."""
    n, losses = len(star), found.losses + 1
    inverse = 4 * given.alpha / np.where(np.eye(n, dtype=bool), np.inf, star) ** 2
    start = 8 * n**2 * losses**2 * math.log(6 * n**2 / given.delta) + n**2 * math.log(6 * n / given.delta) + 1
    growth = 32 * given.alpha * n * losses / found.smallest**2
    growth += inverse.sum() + 4 * n * inverse[~found.is_winner].sum(axis=1).max()
    log_a = _log_sum(log_head_start(n, given.alpha, given.delta / 2), math.log(start))
    log_t, before = log_a, -math.inf
    while log_t - before > 1e-12 * log_t:  # increases towards the solution
        before, log_t = log_t, _log_sum(log_a, math.log(growth * log_t))
    return log_t


def _log_sum(*logs: float) -> float:
    """Return the logarithm of the sum of exp(log)."""
    return float(np.logaddexp.reduce(logs))
