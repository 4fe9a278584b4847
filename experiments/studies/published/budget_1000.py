"""The best of 100 items in 1,000 comparisons: nine policies in two cases (Yan 2022, Figure 4.1).

In case A the items have a total order, and the answer should contain the best item. In case B two items are
equal and better than all others, and the answer should contain one or both. A published count is itself
random, so the tolerance is three standard errors of the difference of two counts.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from bandits.loop import run_loop
from bandits.matrix_duels import by_matrix
from bandits.parts.answers import copeland_leader, mark_copeland_leaders
from bandits.regret import winners_by
from experiments.cluster import threads_here
from experiments.specs import parse_policy
from experiments.studies.papers import NONE, YAN_2022
from experiments.studies.study import (
    Between,
    Check,
    Computed,
    Finding,
    Inputs,
    Measure,
    Order,
    Ratio,
    Size,
    Study,
    Table,
    Use,
)
from rankduel.base.compiling import kernel
from rankduel.base.settings import Configured
from rankduel.base.streams import stream

RUNS = 1000  # runs of each policy, in the thesis and here
Z = 3  # tolerance in standard errors
SIZE = Size(1000, RUNS)
CASES = {"A": "case-a", "B": "case-b"}
N_BEST = {"A": 1, "B": 2}
ALL = (1000, 1000)  # fewest and most comparisons of policies that use the whole budget


class Counts(NamedTuple):
    """Published counts over 1,000 runs."""

    one: int  # runs whose answer contains exactly one of the best items
    both: int | None = None  # runs whose answer contains both
    comparisons: tuple[int, int] = ALL  # fewest and most per run
    judgments: tuple[int, int] | None = None  # fewest and most of the most judged pair of a run
    items: tuple[int, float] | None = None  # total size of all answers, and its standard error measured here


class Row(NamedTuple):
    """A row of the figure: a policy, its published counts by case, and how it was run."""

    method: str
    policy: str  # {k} is the number of best items
    cases: Mapping[str, Counts]
    known: Mapping[str, str] = {}  # values from independent programs
    in_order: bool = False  # the items are numbered from best to worst, not shuffled
    eliminated_too: bool = False  # the answer may contain an eliminated item
    tier: str = "quick"  # the shortest tier that includes the policy
    explanations: Mapping[str, str] = {}  # reasons for differences from the published counts, by check


TOP2_REPEATS = (
    "The thesis gives m = 5, the judgments of one comparison. Here some pair is compared two or three "
    "times, with five judgments each: 10 in half of the runs and 15 in the others (60 runs). Whether the "
    "code of the thesis repeats pairs is not known."
)
FIGURE = {
    "parwis": Row(
        "PARWiS",
        "parwis(k={k},order=index)",
        {
            "A": Counts(537, None, ALL, (17, 68)),
            "B": Counts(686, 287, ALL, (7, 83)),
        },
        {"A": "549", "B": "659 and 304"},
        in_order=True,
        tier="paper",
    ),
    "active_ranking": Row(
        "Active Ranking",
        "active_ranking(k={k})",
        {
            "A": Counts(175, None, ALL, (3, 11)),
            "B": Counts(405, 545, ALL, (3, 11)),
        },
        {"A": "140 of 1,000, by 20,000 runs", "B": "417 and 525"},
        explanations={
            "A.one": "An independent simulation of the public code gives 140 (20,000 runs), as does this "
            "one. Neither ties, nor the final sort, nor the budget explain 175, and case B agrees."
        },
    ),
    "select": Row(
        "SELECT",
        "mohajer_select(m=10)",
        {"A": Counts(715, None, (990, 990), (10, 10)), "B": Counts(905, 0, (990, 990), (10, 10))},
        {"A": "717.5", "B": "897.9 and 0"},
    ),
    "top2": Row(
        "TOP-2",
        "mohajer_top_k(k={k},m=5,final_refill=true)",
        {"B": Counts(588, 277, (980, 980), (5, 5))},
        {"B": "567 and 282"},
        explanations={
            **dict.fromkeys(("B.min_assessors", "B.max_assessors"), TOP2_REPEATS),
            "B.max_comparisons": "980 if both answers come from one group, 985 if not; the thesis mentions "
            "the first number only.",
        },
    ),
    "prefbest_extra": Row(
        "prefBest, one more final",
        "prefbest(extra=1)",
        {
            "A": Counts(510, None, (624, 781), (3, 6), (1290, 17)),
            "B": Counts(733, 81, (616, 795), (3, 6), (1244, 17)),
        },
        {"A": "512.4", "B": "741 and 81"},
    ),
    "prefbest": Row(
        "prefBest",
        "prefbest",
        {
            "A": Counts(502, None, (599, 759), (2, 5), (1497, 24)),
            "B": Counts(666, 94, (592, 764), (2, 5), (1489, 25)),
        },
        {"A": "479.8", "B": "652 and 92"},
    ),
    "round_efficient": Row(
        "Round-Efficient",
        "round_efficient(delta=0.2)",
        {
            "A": Counts(141, None, ALL, (2, 5), (1773, 40)),
            "B": Counts(680, 89, ALL, (2, 5)),
        },
        {"A": "145.6", "B": "665 and 80"},
    ),
    "dts": Row(
        "DTS",
        "dts(variant=published)",
        {
            "A": Counts(124, None, ALL, (4, 24), (1046, 7)),
            "B": Counts(710, 7, ALL, (4, 20), (1074, 10)),
        },
        {"A": "140", "B": "704 and 12"},
        tier="paper",
    ),
    "merge_dts": Row(
        "MergeDTS",
        "merge_dts",
        {
            "A": Counts(108, None, ALL, (31, 93), (1611, 29)),
            "B": Counts(581, 58, ALL, (28, 81), (1553, 37)),
        },
        {"A": "130", "B": "606 and 52"},
        eliminated_too=True,
    ),
}
# Not in the figure, where the items of PARWiS are ordered from best to worst, as are its first comparisons.
SHUFFLED = Row(
    "PARWiS with items in random order (not in the thesis)",
    "parwis(k={k})",
    {"A": Counts(446), "B": Counts(874, 109)},
    dict.fromkeys("AB", "by an independent program; not in the figure"),
    tier="paper",
)
ROWS = {**FIGURE, "parwis_shuffled": SHUFFLED}
CELLS = [(name, case) for name, row in ROWS.items() for case in row.cases]


@kernel
def leaders_of_all(state, params, chosen):
    """Mark the arms with most wins, eliminated arms included."""
    mark_copeland_leaders(state.wins, chosen)


@kernel
def leader_of_all(state, params):
    """Return the arm with most wins, eliminated arms included."""
    return copeland_leader(state.wins)


def configured(row: Row, case: str) -> Configured:
    found = parse_policy(row.policy.format(k=N_BEST[case]))
    if row.eliminated_too:
        return found._replace(thing=found.thing._replace(answers=leaders_of_all, recommend=leader_of_all))
    return found


def answers(row: Row, case: str, inputs: Inputs) -> dict[str, Any]:
    """Return per run the content of the answer, and the numbers of comparisons and judgments."""
    assert inputs.preferences is not None
    matrix = np.array(inputs.preferences.matrix)
    policy = configured(row, case)
    duel = by_matrix(matrix)
    best = winners_by("copeland", matrix)
    budget = np.array([int(inputs.size.horizon)])
    no_loss = np.zeros(len(matrix))  # regret is not measured

    def play(run: int) -> tuple[int, ...]:
        shuffle, rng, users = (
            stream(0, str(policy), case, run, what) for what in ("labels", "policy", "users")
        )
        labels = np.arange(len(matrix)) if row.in_order else shuffle.permutation(len(matrix))
        trace = run_loop(policy, duel, no_loss, labels, budget, rng, users)
        answer = trace.answers[0]
        return answer[best].sum(), answer.sum(), trace.duels[0].sum() // 2, trace.most[0]

    play(0)  # compile before the threads start
    runs = Parallel(n_jobs=threads_here(inputs.jobs), prefer="threads")(
        delayed(play)(run) for run in range(inputs.size.runs)
    )
    found, items, comparisons, judgments = np.array(runs).T
    return {
        "one": found == 1,
        "both": found == 2,
        "at least one": found > 0,
        "items": items,
        "wrong items": items - found,
        "comparisons": comparisons,
        "judgments": judgments,
    }


def _part(name: str, case: str) -> str:
    return f"{case}-{name}"


def _of(name: str, case: str, what: str, statistic: str = "count") -> Measure:
    return Measure(_part(name, case), what, "value", statistic=statistic)


def _words(case: str, what: str) -> str:
    return (
        "the best item" if case == "A" else {"one": "one of the best two", "both": "both of the best"}[what]
    )


def _counts(name: str, case: str) -> Iterator[Check]:
    row = ROWS[name]
    for what in ("one", "both"):
        count = getattr(row.cases[case], what)
        if count is not None:
            share = count / RUNS
            off = Z * RUNS * (share * (1 - share) * 2 / RUNS) ** 0.5
            yield Check(
                f"{case}.{name}.{what}",
                f"case {case}: the answer of {row.method} contains {_words(case, what)} in {count} of "
                f"{RUNS:,} runs",
                Between(_of(name, case, what), count - off, count + off),
                row.known[case],
                runs=RUNS,
                explanation=row.explanations.get(f"{case}.{what}", ""),
            )


def _comparisons(name: str, case: str) -> Iterator[Check]:
    """Yield checks of policies that stop early; extremes of 1,000 runs vary by some 30 comparisons."""
    row = ROWS[name]
    fewest, most = row.cases[case].comparisons
    off = 30 if fewest < most else 0
    for statistic, word, count in (("min", "at least", fewest), ("max", "at most", most)):
        yield Check(
            f"{case}.{name}.{statistic}_comparisons",
            f"case {case}: {row.method} takes {word} {count} comparisons",
            Between(_of(name, case, "comparisons", statistic), count - off, count + off),
            explanation=row.explanations.get(f"{case}.{statistic}_comparisons", ""),
        )


def _assessors(name: str, case: str) -> Iterator[Check]:
    """Yield checks of the judgments of the most judged pair, each of which needs another assessor.

    Extremes of 1,000 runs vary: a fifth of the published number, and at least one, is allowed.
    """
    row = ROWS[name]
    for statistic, word, count in zip(
        ("min", "max"), ("at least", "at most"), row.cases[case].judgments or ()
    ):
        off = max(1, count // 5) if row.cases[case].judgments != (count, count) else 0
        yield Check(
            f"{case}.{name}.{statistic}_assessors",
            f"case {case}: {row.method} needs {word} {count} assessors, the judgments of one pair",
            Between(_of(name, case, "judgments", statistic), count - off, count + off),
            f"{count} published",
            runs=RUNS,
            explanation=row.explanations.get(f"{case}.{statistic}_assessors", ""),
        )


def _items(name: str, case: str) -> Iterator[Check]:
    """Yield a check of the total size of the answers, as the thesis counts wrong items inconsistently."""
    row = ROWS[name]
    published = row.cases[case].items
    if published is not None:
        total, error = published
        off = Z * 2**0.5 * error
        yield Check(
            f"{case}.{name}.items",
            f"case {case}: the answers of {row.method} in {RUNS:,} runs contain {total} items",
            Between(_of(name, case, "items"), total - off, total + off),
            runs=RUNS,
        )


def figure(values: Mapping[str, Mapping[str, Any]]) -> pd.DataFrame:
    """Return a table of published and measured counts; policies that the tier lacks are left out."""
    rows = []
    for name, case in CELLS:
        found = values.get(_part(name, case))
        if name in FIGURE and found is not None:
            row, runs = ROWS[name], len(found["one"])
            published = row.cases[case]
            rows.append(
                {
                    "case": case,
                    "method": row.method,
                    "one best item": published.one,
                    "one best item, here": int(RUNS * sum(found["one"]) / runs),
                    "both best items": "" if published.both is None else str(published.both),
                    "both best items, here": int(RUNS * sum(found["both"]) / runs),
                    "comparisons": _range(published.comparisons),
                    "comparisons, here": _range(found["comparisons"]),
                    "most judgments of a pair": _range(published.judgments or ()),
                    "most judgments of a pair, here": _range(found["judgments"]),
                    "items in answers": "" if published.items is None else str(published.items[0]),
                    "items in answers, here": int(RUNS * sum(found["items"]) / runs),
                }
            )
    return pd.DataFrame(rows)


def _range(values: Any) -> str:
    if not len(values):
        return ""
    low = int(min(values))
    high = int(max(values))
    return f"{low}" if low == high else f"{low}-{high}"


STUDY = Study(
    id="budget-1000",
    title="The best of 100 items in 1,000 comparisons",
    source="Yan 2022 (thesis, University of Waterloo), chapter 4, Figure 4.1",
    papers={"": YAN_2022, "A.parwis_shuffled.": NONE, "B.parwis_shuffled.": NONE},
    findings=(
        Finding(
            "**A tournament beats bandits on a small budget.** In 1,000 comparisons of 100 ordered items "
            "SELECT finds the best item in {select.value:.0f} of 1,000 runs (715 published), prefBest in "
            "{prefbest.value:.0f} (502), MergeDTS in {merge.value:.0f} (108), which judges one pair up to "
            "{judges.value:.0f} times.",
            {
                "select": Use("A.select.one"),
                "prefbest": Use("A.prefbest.one"),
                "merge": Use("A.merge_dts.one"),
                "judges": Use("A.merge_dts.max_assessors"),
            },
        ),
    ),
    question="Which policies find the best items with few comparisons?",
    data="built in",
    parts=tuple(
        Computed(
            _part(name, case),
            partial(answers, ROWS[name], case),
            CASES[case],
            sizes={ROWS[name].tier: SIZE},
        )
        for name, case in CELLS
    ),
    checks=(
        *(check for name, case in CELLS for check in (*_counts(name, case), *_items(name, case))),
        *(check for name, case in CELLS for check in _assessors(name, case)),
        *(
            check
            for name, case in CELLS
            if ROWS[name].cases[case].comparisons != ALL
            for check in _comparisons(name, case)
        ),
        *(
            Check(
                f"A.select_above_{name}",
                f"case A: SELECT finds the best item most often, so more often than {row.method}",
                Order(_of(name, "A", "one"), _of("select", "A", "one")),
                f"{row.cases['A'].one} and 715",
            )
            for name, row in FIGURE.items()
            if name in ("parwis", "prefbest_extra", "active_ranking")
        ),
        Check(
            "B.parwis_above_select",
            "case B: PARWiS finds at least one of the best two most often, so more often than SELECT",
            Order(_of("select", "B", "at least one"), _of("parwis", "B", "at least one")),
            "905 and 973",
        ),
        *(
            Check(
                f"{case}.fewer_wrong_items",
                f"case {case}: with one more final prefBest has fewer wrong items in its answers",
                Ratio(
                    _of("prefbest_extra", case, "wrong items"),
                    _of("prefbest", case, "wrong items"),
                    high=0.85,
                ),
                known,
            )
            for case, known in (("A", "780 and 995"), ("B", "430 and 729, some counted twice"))
        ),
    ),
    tables=(
        Table("figure4.1", "Figure 4.1: counts over 1,000 runs, as published and measured here", figure),
    ),
    minutes={"quick": 1, "paper": 3},
)
