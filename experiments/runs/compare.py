"""Comparison of live runs, with simulated clicks, and proxy runs, with draws from the preference matrix.

If queries are drawn independently and tied duels have a random winner, the outcomes of a pair are independent
Bernoulli draws with its probability, for any policy. With the exact matrix, live and proxy runs then have the
same distribution. A difference means that the matrix has errors, or that queries are not independent.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy

from rankduel.base.arguments import check_type
from rankduel.base.notebook import html_table
from rankduel.base.results import plain
from rankduel.base.settings import Configured
from rankduel.base.watch import SILENT, Watch
from rankduel.experiments.arena import Arena
from rankduel.experiments.cluster import workers_of
from rankduel.experiments.matrix.preferences import Preferences
from rankduel.experiments.runs.play import checked_numbers
from rankduel.experiments.runs.problem import Problem
from rankduel.experiments.runs.run import preferences_for, run_on
from rankduel.experiments.runs.run_set import RunSet
from rankduel.experiments.specs import policies_of

SURE = 0.01  # family-wise significance level over all policies


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Differences between live and proxy runs.

    Parameters
    ----------
    by_step : DataFrame
        Columns ``policy``, ``step``, ``live``, ``proxy`` and ``difference``: means, and ``lo`` and ``hi``,
        the 95% interval of the difference.
    final : DataFrame
        The same at the last step, with the p-values ``p_mean`` (equal means) and ``p_law`` (equal
        distributions) and the seconds of a run.
    agreement : float
        Kendall's tau of the two orders of policies by mean final regret; NaN for one policy.
    differing : tuple of str
        Policies whose final regret differs significantly.
    verdict : str
        The conclusion in sentences.
    live, proxy : RunSet, optional
        The runs.

    Examples
    --------
    >>> data = rankduel.synthetic_data("small", queries=20)
    >>> arena = rankduel.open_arena(data, rankers="110,115,96", interleave="team_draft")
    >>> found = rankduel.compare(arena, ["rucb"], horizon=500, runs=4)
    >>> found.to_pandas()["policy"].tolist()
    ['rucb']
    """

    by_step: pd.DataFrame
    final: pd.DataFrame
    agreement: float
    differing: tuple[str, ...]
    verdict: str
    live: RunSet | None = None
    proxy: RunSet | None = None

    def to_pandas(self) -> pd.DataFrame:
        """Return `final`, the table that ``--csv`` prints."""
        return self.final

    def to_dict(self) -> dict[str, Any]:
        """Return the object that ``--json`` prints, as plain values."""
        names = ("by_step", "final", "agreement", "differing", "verdict")
        found = {name: getattr(self, name) for name in names}
        if self.live is None:
            return dict(plain(found))
        about = {
            "records": None if self.live.folder is None else str(self.live.folder.parent),
            "regret": self.live.settings["regret"],
            "winner": self.live.verdict()._asdict(),
        }
        return dict(plain(about | found))

    def __repr__(self) -> str:
        return f"Comparison({self.verdict!r})"

    def _repr_html_(self) -> str:
        rows = [
            [row["policy"], *(f"{row[name]:,.0f}" for name in _SHOWN)]
            for row in self.final.to_dict("records")
        ]
        return html_table(self.verdict, rows, ["policy", *_SHOWN])


_SHOWN = ("live", "proxy", "difference", "lo", "hi")


def compare_runs(live: pd.DataFrame, proxy: pd.DataFrame, column: str = "regret") -> Comparison:
    """Compare the tables of two run sets of the same policies, horizon and preferences by a column."""
    by_step = _differences(live, proxy, column)
    last = by_step["step"].max()
    final = by_step[by_step["step"] == last].drop(columns="step").reset_index(drop=True)
    tests = [
        _tests(*(_values(table, policy, last, column) for table in (live, proxy)))
        for policy in final["policy"]
    ]
    final = final.assign(
        p_mean=[test[0] for test in tests],
        p_law=[test[1] for test in tests],
        live_seconds=[_seconds(live, policy) for policy in final["policy"]],
        proxy_seconds=[_seconds(proxy, policy) for policy in final["policy"]],
    )
    # Bonferroni correction for two tests of each policy.
    smallest = final[["p_mean", "p_law"]].min(axis=1) * 2 * len(final)
    differing = tuple(final["policy"][smallest < SURE])
    agreement = float(scipy.stats.kendalltau(final["live"], final["proxy"])[0]) if len(final) > 1 else np.nan
    best = _about_best(
        final,
        agreement,
        lambda first, second: any(
            _clearly_apart(table, first, second, last, column) for table in (live, proxy)
        ),
    )
    return Comparison(by_step, final, agreement, differing, _verdict(final, differing, best))


def _differences(live: pd.DataFrame, proxy: pd.DataFrame, column: str) -> pd.DataFrame:
    """Return means per policy and step, their difference, and Welch's 95 % interval of the difference."""
    ours, theirs = (
        table.groupby(["policy", "step"], sort=False)[column].agg(["mean", "var", "count"])
        for table in (live, proxy)
    )
    theirs = theirs.reindex(ours.index)
    parts = [part["var"].fillna(0.0) / part["count"] for part in (ours, theirs)]
    error = np.sqrt(parts[0] + parts[1])
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = error**4 / sum(v**2 / np.maximum(n["count"] - 1, 1) for v, n in zip(parts, (ours, theirs)))
    half = scipy.stats.t.ppf(0.975, np.where(np.isfinite(freedom), freedom, 1.0)) * error
    difference = ours["mean"] - theirs["mean"]
    table = pd.DataFrame({"live": ours["mean"], "proxy": theirs["mean"], "difference": difference})
    return table.assign(lo=difference - half, hi=difference + half).reset_index()


def _values(table: pd.DataFrame, policy: str, step: int, column: str) -> np.ndarray:
    return table.loc[(table["policy"] == policy) & (table["step"] == step), column].to_numpy()


def _tests(live: np.ndarray, proxy: np.ndarray) -> tuple[float, float]:
    """Return the p-values of Welch's t-test of the means and of the two-sample Kolmogorov-Smirnov test."""
    if min(len(live), len(proxy)) < 2:
        return np.nan, np.nan
    if np.ptp(np.concatenate([live, proxy])) == 0.0:
        return 1.0, 1.0
    with warnings.catch_warnings():
        # The exact sum may exceed 1 by rounding or overflow; the asymptotic p-value then replaces it.
        warnings.filterwarnings("ignore", "ks_2samp: Exact calculation unsuccessful", RuntimeWarning)
        # Equal values in one sample; their variance is 0, as it should be.
        warnings.filterwarnings("ignore", "Precision loss occurred", RuntimeWarning)
        p_law = float(scipy.stats.ks_2samp(live, proxy).pvalue)
        if np.ptp(live) == np.ptp(proxy) == 0.0:  # Welch's test is undefined without any variance
            return p_law, p_law
        return float(scipy.stats.ttest_ind(live, proxy, equal_var=False).pvalue), p_law


def _seconds(table: pd.DataFrame, policy: str) -> float:
    """Return the mean time of a run."""
    mine = table[table["policy"] == policy]
    return float(mine.groupby("run")["seconds"].first().mean())


def _verdict(final: pd.DataFrame, differing: tuple[str, ...], best: str) -> str:
    """Return the conclusion in sentences; `best` is the sentence about the best policy."""
    if final["p_mean"].isna().all():
        return "One run of each policy does not show the random variation; more runs do."
    if differing:
        found = (
            f"Live and proxy runs differ beyond chance for {', '.join(differing)}: the matrix does not "
            "describe these duels, or the queries are not independent draws."
        )
    else:
        largest = unnoticed(final)
        found = (
            "Live and proxy runs agree: no final regret differs beyond chance. A difference of up to "
            f"{rounded_up(largest.max())} cannot be excluded ({final['policy'][largest.argmax()]})."
        )
    return f"{found} {best}".strip()


def unnoticed(final: pd.DataFrame) -> pd.Series:
    """Return, for each policy, the largest difference within the interval, relative to the proxy regret."""
    return np.maximum(final["hi"], -final["lo"]) / final["proxy"].clip(lower=1e-12)


def rounded_up(share: float) -> str:
    """Return `share` in per cent, rounded up to a whole number."""
    return f"{np.ceil(100 * share - 1e-9):.0f} %"


def _about_best(final: pd.DataFrame, agreement: float, apart: Callable[[str, str], bool]) -> str:
    """Return the sentence on whether both modes have the same best policy.

    `apart` says whether two policies differ significantly in either mode.
    """
    if len(final) < 2:
        return ""
    live, proxy = (str(final["policy"][final[mode].argmin()]) for mode in ("live", "proxy"))
    order = f" (Kendall's tau of the two orders: {agreement:.2f})" if len(final) > 2 else ""
    if live == proxy:
        return f"Both have the same best policy, {live}{order}."
    if apart(live, proxy):
        return f"The best policy is not the same: {live} live, {proxy} by proxy{order}."
    return (
        f"The best policies, {live} and {proxy}, are too close to tell apart with this number of runs{order}."
    )


def _clearly_apart(table: pd.DataFrame, first: str, second: str, step: int, column: str) -> bool:
    """Return whether the mean final regrets of two policies of `table` differ significantly."""
    values = (_values(table, policy, step, column) for policy in (first, second))
    return _tests(*values)[0] < SURE


def compare(
    arena: Arena,
    policies: Configured | str | Iterable[Configured | str],
    horizon: float = 1e5,
    runs: int = 20,
    *,
    matrix: Preferences | str | Path | None = None,
    regret: str = "",
    measure: str = "page",
    seed: int = 0,
    checkpoints: int = 1000,
    jobs: int = -1,
    folder: str | Path | None = None,
    repair: bool = False,
    scheduler: str | None = None,
    watch: Watch = SILENT,
) -> Comparison:
    """Run policies on live duels and on draws from the matrix, and test whether the results differ.

    Parameters
    ----------
    arena : Arena
        Data, rankers, interleaving method and user, from `open_arena`.
    policies : Configured, str, or iterable of them
        One policy or several, as values of `policy` or as text.
    horizon : float, default 1e5
        Number of duels per run.
    runs : int, default 20
        Number of live runs, and of proxy runs, per policy.
    matrix : Preferences, str or Path, optional
        Matrix of the proxy. By default it is made from the arena.
    regret : str, default ""
        Notion of regret. By default "condorcet" if there is a Condorcet winner, and "copeland" otherwise.
    measure : {"page", "none"}, default "page"
        With "page", live runs build whole pages and measure their NDCG and clicks; with "none", pages end
        where the user leaves, which is faster. Winners have the same distribution, with other random draws.
    seed : int, default 0
        Seed of all random numbers.
    checkpoints : int, default 1000
        Number of evenly spaced steps to record.
    jobs : int, default -1
        Number of parallel runs; -1 uses all cores.
    folder : str or Path, optional
        Stem of the two run sets: ``FOLDER-live`` and ``FOLDER-proxy``.
    repair : bool, default False
        Whether to repeat runs whose records are damaged or of another run set, instead of raising an error.
    scheduler : str, optional
        Address of a Dask scheduler whose workers share the work, or ``"local:N"`` for N worker processes on
        this machine.
    watch : Watch, optional
        Receives the progress.

    Returns
    -------
    Comparison
        ``final`` has mean regrets, their difference with an interval, and p-values for every policy;
        ``by_step`` the same at every checkpoint, ``verdict`` a summary in words.

    Examples
    --------
    >>> data = rankduel.synthetic_data("small", queries=20)
    >>> arena = rankduel.open_arena(data, rankers="110,115,96", interleave="team_draft")
    >>> found = rankduel.compare(arena, ["rucb"], horizon=500, runs=4)
    >>> found.final["policy"].tolist()
    ['rucb']
    """
    check_type("arena", arena, Arena, "what open_arena returns")
    policies = policies_of(policies)  # wrong arguments raise errors before a matrix is made
    checked_numbers(horizon, runs, seed, checkpoints, jobs)
    live_folder, proxy_folder = (
        None if folder is None else Path(f"{folder}-{mode}") for mode in ("live", "proxy")
    )
    how: Any = {
        "seed": seed,
        "checkpoints": checkpoints,
        "repair": repair,
        "watch": watch,
        "only_last": False,
    }
    with workers_of(jobs, scheduler) as workers:
        preferences = preferences_for(arena, matrix, live_folder, workers, watch, repair=repair)
        live, proxy = (
            run_on(problem, policies, horizon, runs, jobs=workers, folder=where, **how)
            for problem, where in (
                (Problem(preferences, arena, regret, measure=measure), live_folder),
                (Problem(preferences, None, regret), proxy_folder),
            )
        )
    return replace(compare_runs(live.table, proxy.table), live=live, proxy=proxy)
