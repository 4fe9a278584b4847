"""Live against proxy: do draws from the matrix lead to the conclusions that simulated clicks lead to?

With queries drawn independently and ties decided by a coin, the outcomes of a pair are independent draws
with its probability, whoever chooses the pairs: with the exact matrix live and proxy runs follow the same
law. A difference means an error in the matrix, or queries that are not independent.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd
import scipy

SURE = 0.01  # a difference is called one if chance would show it less often than this, all policies together


class Comparison(NamedTuple):
    by_step: pd.DataFrame  # policy, step, live, proxy, difference, lo, hi: means, and a 95 % interval
    final: pd.DataFrame  # policy, live, proxy, difference, lo, hi, p_mean, p_law, live_seconds, proxy_seconds
    agreement: float  # Kendall's tau of the two orders of policies by mean final regret; nan for one policy
    differing: tuple[str, ...]  # policies whose final regret differs beyond chance
    verdict: str

    def __repr__(self) -> str:
        return f"Comparison({self.verdict!r})"


def compare_runs(live: pd.DataFrame, proxy: pd.DataFrame, column: str = "regret") -> Comparison:
    """Tables as `run` makes them, of the same policies, horizon and preferences."""
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
    # Two tests for each policy, so the smaller p-value counts twice, and once for each policy.
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
    """Means per policy and step, their difference, and Welch's 95 % interval for it."""
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
    """p-values: of equal means (Welch), and of the same law altogether (Kolmogorov and Smirnov)."""
    if min(len(live), len(proxy)) < 2:
        return np.nan, np.nan
    if np.ptp(np.concatenate([live, proxy])) == 0.0:
        return 1.0, 1.0
    means = scipy.stats.ttest_ind(live, proxy, equal_var=False)
    laws = scipy.stats.ks_2samp(live, proxy)
    return float(means.pvalue), float(laws.pvalue)


def _seconds(table: pd.DataFrame, policy: str) -> float:
    """Mean time of a run."""
    mine = table[table["policy"] == policy]
    return float(mine.groupby("run")["seconds"].first().mean())


def _verdict(final: pd.DataFrame, differing: tuple[str, ...], best: str) -> str:
    """Return the conclusion in words; `best` is the sentence about the best policy."""
    if final["p_mean"].isna().all():
        return "One run of each policy does not show how much chance matters: ask for more runs."
    if differing:
        found = (
            f"Live and proxy runs differ beyond chance for {', '.join(differing)}: the matrix does not "
            "describe these duels, or the queries are not independent draws."
        )
    else:
        room = unnoticed(final)
        found = (
            "Live and proxy runs agree: no final regret differs beyond chance. A difference of up to "
            f"{_rounded_up(room.max())} cannot be excluded ({final['policy'][room.argmax()]})."
        )
    return f"{found} {best}".strip()


def unnoticed(final: pd.DataFrame) -> pd.Series:
    """Return the largest difference that is not excluded, in parts of the regret, for each policy.

    It is the end of the interval that is farther from no difference.
    """
    return np.maximum(final["hi"], -final["lo"]) / final["proxy"].clip(lower=1e-12)


def _rounded_up(share: float) -> str:
    """Return a share in per cent that is not smaller."""
    return f"{np.ceil(100 * share - 1e-9):.0f} %"


def _about_best(final: pd.DataFrame, agreement: float, apart: Callable[[str, str], bool]) -> str:
    """Say whether both sets have the same best policy; `apart` tells whether two policies clearly differ."""
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
    """Return whether the mean final regrets of two policies of one set differ beyond chance."""
    values = (_values(table, policy, step, column) for policy in (first, second))
    return _tests(*values)[0] < SURE
