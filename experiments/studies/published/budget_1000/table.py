"""Figure 4.1 as a table: published and measured counts."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from rankduel.experiments.studies.published.budget_1000.counts import CELLS, FIGURE, ROWS, RUNS, part_name


def counts_table(values: Mapping[str, Mapping[str, Any]]) -> pd.DataFrame:
    """Return a table of published and measured counts; policies that the tier lacks are left out."""
    rows = []
    for name, case in CELLS:
        found = values.get(part_name(name, case))
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
