"""Claims about the policies with a budget of 1,000 comparisons: answers, comparisons, assessors."""

from collections.abc import Iterator

from rankduel.experiments.studies.published.budget_1000.counts import (
    ALL,
    CELLS,
    FIGURE,
    ROWS,
    RUNS,
    part_name,
)
from rankduel.experiments.studies.study import Between, Check, Measure, Order, Ratio

Z = 3  # tolerance in standard errors
OUTSIDE = 7  # runs; if more are out of a range, 1,000 runs are all in it with a chance below e^-7


def _of(name: str, case: str, what: str, statistic: str = "count") -> Measure:
    return Measure(part_name(name, case), what, "value", statistic=statistic)


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
    """Yield a check of the judgments of the most judged pair, each of which needs another assessor."""
    row = ROWS[name]
    published = row.cases[case].judgments
    if published is not None:
        low, high = published
        words = f"{low}" if low == high else f"{low} to {high}"
        yield Check(
            f"{case}.{name}.assessors",
            f"case {case}: {row.method} needs {words} assessors, the judgments of the most judged pair "
            "(number of runs that need fewer or more)",
            Between(_of(name, case, "judgments out of range"), high=OUTSIDE if low < high else 0),
            f"{words} published",
            runs=RUNS,
            explanation=row.explanations.get(f"{case}.assessors", ""),
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


CHECKS = (
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
)
