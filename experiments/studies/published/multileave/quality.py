"""Quality of pages during runs, and of the best ranker."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from rankduel.clickmodels import ClickModel
from rankduel.experiments.arena import Arena
from rankduel.experiments.studies.study import Computed, Inputs, Runs, Size, full_name
from rankduel.letor_data.evaluation.values import expected_values, mean_over_queries

# MERGE has the alpha of section 6.6, THEORY also its C(epsilon); TUNED has the parameters of other sections.
MERGE, THEORY, TUNED = "merge_dts(alpha=0.51)", "merge_dts(alpha=0.51,c=0)", "merge_dts"
# Pages of many rankers: as in the text, by the same bounds without C(epsilon), and as in the public program.
SETS, WITHOUT_C, PROGRAM = "mdb(variant=merge-dts-paper)", "mdb(beta=1)", "mdb(variant=chang-li)"
MANY = {"text": SETS, "without_c": WITHOUT_C, "program": PROGRAM}
POLICIES = (MERGE, THEORY, TUNED, *MANY.values())
FEW = "101-136"  # features, among them the best features of MSLR
FIRST, LAST = (0.0, 0.1), (0.9, 1.0)  # first and last tenth of a run
SHORT, LONG = 2e5, 2e6  # numbers of pages
METRICS = {"ndcg": "NDCG@10", "clicks": "clicks in the top 10"}
SIZES: Mapping[str, Mapping[str, Size]] = {
    "some": {"quick": Size(SHORT, 5)},
    "all": {"quick": Size(SHORT, 5), "paper": Size(LONG, 5)},
}


def page_quality(inputs: Inputs) -> dict[str, list[float]]:
    """Return per run the mean over the last tenth of its pages, the gain since the first tenth, and more.

    The last value is the share of rankers that the pages of the last tenth compare. Names contain the number
    of pages, so that a claim about long runs is skipped after short runs.
    """
    (table,) = inputs.tables.values()
    pages = inputs.size.horizon
    found: dict[str, list[float]] = {}
    for policy in POLICIES:
        runs = _runs(table, policy)
        for metric in METRICS:
            first, last = (np.array([_mean(run, metric, *part) for run in runs]) for part in (FIRST, LAST))
            found[value_name(f"{policy} {metric}", pages)] = last.tolist()
            found[value_name(f"{policy} {metric} gained", pages)] = (last - first).tolist()
    # The first page by confidence bounds compares all rankers, as none is beaten yet.
    n_rankers = _runs(table, SETS)[0]["mean_set"].iloc[0]
    return found | {
        value_name(f"{policy} share of rankers", pages): [
            _last_set(run) / n_rankers for run in _runs(table, policy)
        ]
        for policy in MANY.values()
    }


def best_ranker(inputs: Inputs) -> dict[str, float]:
    """Return NDCG and expected clicks of the best ranker by NDCG, and the most clicks of any ranker."""
    assert inputs.arena is not None
    ranked, measure = inputs.arena.rankings, f"ndcg@{inputs.arena.length}"
    values = expected_values(measure, inputs.arena.labels, ranked.offsets, ranked.order, ranked.ties)
    ndcg = mean_over_queries(values)
    clicks = clicks_of_rankers(inputs.arena)
    best = ndcg.argmax()
    clicked = clicks.argmax()
    return {
        "ndcg": float(ndcg[best]),
        "clicks": float(clicks[best]),
        "most clicks": float(clicks[clicked]),
        "ndcg with most clicks": float(ndcg[clicked]),
    }


def clicks_of_rankers(arena: Arena) -> np.ndarray:
    """Return the expected clicks on a page of each ranker alone, shape (K,); ties are in file order."""
    ranked, length = arena.rankings, arena.length
    start = ranked.offsets[:-1, None]
    size = np.diff(ranked.offsets)[:, None]
    rank = np.minimum(np.arange(length), size - 1)
    shown = np.arange(length) < size
    found = np.empty(len(ranked.order))
    for k, order in enumerate(ranked.order):
        grades = arena.labels[start + order[start + rank]]
        found[k] = expected_clicks(grades, shown, arena.model).mean()
    return found


def expected_clicks(grades: np.ndarray, shown: np.ndarray, model: ClickModel) -> np.ndarray:
    """Return the expected clicks per page, shape (n_pages,), of a user who leaves only after a click.

    `grades` and `shown` have shape (n_pages, length); a rank that is not `shown` has no document.
    """
    click = np.where(shown, model.p_click[grades], 0.0)
    stays = np.cumprod(1.0 - click * model.p_stop[grades], axis=1)
    return click[:, 0] + (click[:, 1:] * stays[:, :-1]).sum(axis=1)


def value_name(what: str, pages: float) -> str:
    return f"{what} @{pages:g}"


def _runs(table: pd.DataFrame, policy: str) -> list[pd.DataFrame]:
    return [run for _, run in table[table["policy"] == full_name(policy)].groupby("run")]


def _mean(run: pd.DataFrame, metric: str, after: float, until: float) -> float:
    """Return the mean per page between two fractions of a run; rows are means since the last checkpoint."""
    step = run["step"].to_numpy()
    pages, end = np.diff(step, prepend=0), step[-1]
    chosen = (step > after * end) & (step <= until * end)
    return float(np.average(run[metric].to_numpy()[chosen], weights=pages[chosen]))


def _last_set(run: pd.DataFrame) -> float:
    """Return the mean number of rankers per page in the last tenth; 1 if every page was of one ranker."""
    pages = run["informative_steps"].to_numpy()
    compared = pages * run["mean_set"].to_numpy()
    step = run["step"].to_numpy()
    start = int(np.searchsorted(step, LAST[0] * step[-1], side="right")) - 1
    shared = pages[-1] - pages[start]
    alone = step[-1] - step[start] - shared
    return float((compared[-1] - compared[start] + alone) / (shared + alone))


def _problem(name: str) -> str:
    few = f",rankers={FEW}" if name == "some" else ""
    return f"letor(data=mslr,clicks=navigational,mode=live{few})"


PARTS = tuple(
    part
    for name, sizes in SIZES.items()
    for part in (
        Runs(name, _problem(name), POLICIES, sizes),
        Computed(f"{name}-shown", page_quality, after=(name,), sizes=sizes, cached=False),
        Computed(f"{name}-best", best_ranker, _problem(name), cached=False),
    )
)
