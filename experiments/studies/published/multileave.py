"""Duels against pages of many rankers: what users are shown meanwhile (Li et al. 2020, 6.6, Figure 5)."""

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from experiments.studies.study import (
    Bench,
    Between,
    Check,
    Computed,
    Curves,
    Measure,
    Order,
    Ratio,
    Report,
    Runs,
    Size,
    Study,
    full_name,
)
from letor_data.evaluation.values import expected_values, mean_over_queries

# Both with the alpha of the paper's section 6.6; MergeDTS as tuned elsewhere in the paper besides.
MERGE, TUNED, SETS = "merge_dts(alpha=0.51)", "merge_dts", "mdb(variant=merge-dts-paper)"
POLICIES = (MERGE, TUNED, SETS)
FEW = "101-136"  # features; the best of MSLR are among them
FIRST, LAST = (0.0, 0.1), (0.9, 1.0)  # tenths of a run
SHORT, LONG = 2e5, 2e6  # pages
METRICS = {"ndcg": "NDCG@10", "clicks": "clicks in the top 10"}
_SIZES: Mapping[str, Mapping[str, Size]] = {
    "some": {"quick": Size(SHORT, 5)},
    "all": {"quick": Size(SHORT, 5), "paper": Size(LONG, 5)},
}


def shown(bench: Bench) -> dict[str, list[float]]:
    """Of each run: means over the pages of its first and last tenth, the gain between, the last set.

    By names that say after how many pages, as a claim about many pages says nothing about few.
    """
    (table,) = bench.tables.values()
    pages = bench.size.horizon
    found: dict[str, list[float]] = {}
    for policy in POLICIES:
        runs = _runs(table, policy)
        for metric in METRICS:
            first, last = (np.array([_mean(run, metric, *part) for run in runs]) for part in (FIRST, LAST))
            found[_name(f"{policy} {metric}", pages)] = last.tolist()
            found[_name(f"{policy} {metric} gained", pages)] = (last - first).tolist()
    # All rankers are on the first page, as nobody is beaten yet.
    shares = [_last_set(run) / run["mean_set"].iloc[0] for run in _runs(table, SETS)]
    return found | {_name("share of rankers on a page", pages): shares}


def of_the_best(bench: Bench) -> dict[str, float]:
    """NDCG of the pages of the ranker that is best by NDCG, by itself."""
    assert bench.arena is not None
    ranked, measure = bench.arena.rankings, f"ndcg@{bench.arena.length}"
    values = expected_values(measure, bench.arena.labels, ranked.offsets, ranked.order, ranked.ties)
    return {"ndcg": float(mean_over_queries(values).max())}


def _name(what: str, pages: float) -> str:
    return f"{what} @{pages:g}"


def _runs(table: pd.DataFrame, policy: str) -> list[pd.DataFrame]:
    return [run for _, run in table[table["policy"] == full_name(policy)].groupby("run")]


def _mean(run: pd.DataFrame, metric: str, after: float, until: float) -> float:
    """Per page, between two shares of a run; its rows are means since the checkpoint before."""
    step = run["step"].to_numpy()
    pages, end = np.diff(step, prepend=0), step[-1]
    chosen = (step > after * end) & (step <= until * end)
    return float(np.average(run[metric].to_numpy()[chosen], weights=pages[chosen]))


def _last_set(run: pd.DataFrame) -> float:
    """Rankers on a page in the last tenth; one where all pages were those of one ranker."""
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


def _checks(part: str, pages: float, rankers: str, merging: Mapping[str, str]) -> Iterator[Check]:
    """`merging`: policies that are compared with pages of many rankers, by name."""

    def seen(what: str) -> Measure:
        return Measure(f"{part}-shown", _name(what, pages), "value")

    where = f"{rankers}, {pages:,.0f} pages"
    name = f"{part}.{pages:.0e}".replace("+0", "")
    for metric, words in METRICS.items():
        for label, policy in merging.items():
            yield Check(
                f"{name}.{metric}.{label}",
                f"{where}: in the end {policy} has more {words} than pages of many rankers",
                Order(seen(f"{SETS} {metric}"), seen(f"{policy} {metric}")),
                runs=5,
            )
    for label, policy in merging.items():
        # Clicks change too little for a ratio to say anything.
        yield Check(
            f"{name}.ndcg.{label}_rises",
            f"{where}: {METRICS['ndcg']} of pages of many rankers is almost flat beside that of {policy}",
            Ratio(seen(f"{SETS} ndcg gained"), seen(f"{policy} ndcg gained"), -0.2, 0.2),
            OTHER_DATA,
            runs=5,
        )
        yield Check(
            f"{name}.ndcg.{label}_best",
            f"{where}: in the end {policy} shows pages almost as good as those of the best ranker",
            Ratio(seen(f"{policy} ndcg"), Measure(f"{part}-best", "ndcg", "value"), low=0.95),
        )
    yield Check(
        f"{name}.all_on_a_page",
        f"{where}: pages of many rankers compare all of them to the end",
        Between(seen("share of rankers on a page"), low=0.99),
        explanation="with confidence bounds as they are printed, a ranker leaves the page as soon as another "
        "one beats it with confidence, and a page compares all its pairs at once, so few are left soon",
    )


# All 136 rankers, 200,000 pages, sets of 150, 400 and 1,000 queries by three seeds, two runs each: there is
# chance in whether the best ranker stays on the page, and the stand-in is one on which it often does not.
OTHER_DATA = "not flat in most runs: 12 of 18 on nine synthetic sets end within .01 of the best ranker's"
BOTH = {"alpha51": MERGE, "tuned": TUNED}

STUDY = Study(
    id="multileave",
    title="Duels against pages of many rankers",
    source="Li, Markov, de Rijke, Zoghi 2020 (TOIS), 6.6, Figure 5",
    question="Do users see better pages while two rankers share a page, or while many of them do?",
    data="judged data of MSLR; else synthetic documents stand in",
    parts=tuple(
        part
        for name, sizes in _SIZES.items()
        for part in (
            Runs(name, _problem(name), POLICIES, sizes),
            Computed(f"{name}-shown", shown, after=(name,), sizes=sizes, kept=False),
            Computed(f"{name}-best", of_the_best, _problem(name), kept=False),
        )
    ),
    checks=(
        *_checks("some", SHORT, "36 rankers", BOTH),
        # Too few pages for alpha = .51, of which the paper speaks after ten times as many.
        *_checks("all", SHORT, "all rankers", {"tuned": TUNED}),
        *_checks("all", LONG, "all rankers", BOTH),
        Check(
            "all.found",
            "MergeDTS finds the best ranker in less than 2e6 pages",
            Between(Measure("all", MERGE, "correct", at=LONG), low=0.8),
            runs=5,
        ),
        *(
            Check(
                f"{name}.survivors",
                f"rankers that MergeDTS has left in the end: {words}",
                Report(Measure(name, MERGE, "survivors")),
            )
            for name, words in (("some", "of 36, after 2e5 pages"), ("all", "of all"))
        ),
    ),
    figures=tuple(
        Curves(f"figure5-{name}-{metric}", f"Figure 5: {words}, {name} rankers", name, metric, x="linear")
        for name in _SIZES
        for metric, words in METRICS.items()
    ),
    minutes={"quick": 1.5, "paper": 15},
)
