"""What `rankduel run` prints of the runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pandas as pd
from rich.markup import escape
from rich.table import Table

from experiments.statistics import standard_error
from rankduel.base.text import counted, shortened
from rankduel.cli.console import screen

_LONGEST_NAME = 16  # of a ranker
_MOST_NAMED = 3  # rankers that runs of a policy recommend


class _Column(NamedTuple):
    heading: str
    text: Callable[[pd.DataFrame], str]  # from the last rows of a policy's runs
    about: str = ""


def _columns(notion: str, final: pd.DataFrame) -> list[_Column]:
    """What is worth showing of these runs."""
    shown = [
        _Column(
            "regret",
            lambda runs: f"{runs['regret'].mean():,.1f}",
            f"mean {notion} loss of the two arms, summed",
        ),
        _Column("± s.e.", lambda runs: _standard_error(runs["regret"])),
        *([_Column("weak", _weak, "of the better one")] if "weak_regret" in final else []),
        _Column("real duels", lambda runs: f"{runs['informative_steps'].mean():,.0f}"),
        _Column(
            "right", lambda runs: f"{runs['correct'].mean():.0%}", f"runs that recommend a {notion} winner"
        ),
    ]
    if (final["rounds"] < final["step"]).any():
        about = "how often outcomes were handed over"
        shown.append(_Column("rounds", lambda runs: f"{runs['rounds'].mean():,.0f}", about))
    if final["finished"].any() or (final["answers"] > 1).any():
        about = "arms in the answer"
        shown.append(_Column("answers", lambda runs: f"{runs['answers'].mean():.3g}", about))
        about = "largest number of duels of one pair"
        shown.append(_Column("per pair", lambda runs: f"{runs['judgments_per_pair'].mean():,.0f}", about))
    if "mean_set" in final:
        about = "arms on a page of several"
        shown.append(_Column("set", lambda runs: _known(f"{runs['mean_set'].mean():.3g}"), about))
    if "ndcg" in final:
        shown.append(_Column("NDCG", lambda runs: f"{runs['ndcg'].mean():.3f}", "of the last pages"))
    return [*shown, _Column("s/run", lambda runs: f"{runs['seconds'].mean():.2g}")]


def _recommended(name: str, runs: pd.DataFrame) -> str:
    """'rucb recommends 0 in 2 runs, 1 in 1 run', if not all runs are right; nothing else."""
    often = runs["recommended"].value_counts()
    if runs["correct"].all() or often.empty:
        return ""
    named = [
        f"{shortened(str(ranker), _LONGEST_NAME)} in {n} {'run' if n == 1 else 'runs'}"
        for ranker, n in often.head(_MOST_NAMED).items()
    ]
    more = [f"{len(often) - _MOST_NAMED} others"] if len(often) > _MOST_NAMED else []
    return f"{name} recommends {', '.join(named + more)}"


def _weak(runs: pd.DataFrame) -> str:
    return _known(f"{runs['weak_regret'].mean():,.1f}")


def _known(text: str) -> str:
    """Policies for duels and for sets have some numbers each that the others have not."""
    return text if text != "nan" else "–"


def _standard_error(values: pd.Series) -> str:
    return f"{standard_error(values.to_numpy()):,.1f}" if len(values) > 1 else ""


def policy_rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return a row for every policy, least regret first: means of its last rows, and what it recommends."""
    rows = []
    for name, runs in _by_regret(_last(table)):
        numbers = runs.drop(columns="run").select_dtypes(["number", "bool"]).mean()
        often = runs["recommended"].value_counts()
        rows.append(
            {"policy": name, "runs": len(runs)}
            | numbers.to_dict()
            | {"step": int(runs["step"].iloc[0])}
            | {"regret_standard_error": standard_error(runs["regret"].to_numpy())}
            | {"recommended": often.index[0] if len(often) else None}
            | {"recommended_share": often.iloc[0] / len(runs) if len(often) else 0.0}
        )
    return rows


def _last(table: pd.DataFrame) -> pd.DataFrame:
    last: pd.DataFrame = table[table["step"] == table["step"].max()]
    return last


def _by_regret(final: pd.DataFrame) -> list[tuple[Any, pd.DataFrame]]:
    return sorted(final.groupby("policy", sort=False), key=lambda item: item[1]["regret"].mean())


def show_runs(title: str, notion: str, table: pd.DataFrame) -> None:
    final = _last(table)
    runs = final["run"].nunique()
    played = f"after {counted(final['step'].iloc[0], 'duel')}, {counted(runs, 'run')}"
    screen.print(f"[bold]{escape(title)}[/] [dim]{played}[/]\n")
    shown = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    shown.add_column("policy", header_style="dim", style="cyan", overflow="fold")
    columns = _columns(escape(notion.partition("-")[0].capitalize()), final)
    for column in columns:
        shown.add_column(column.heading, header_style="dim", justify="right", no_wrap=True)
    for name, group in _by_regret(final):
        shown.add_row(escape(str(name)), *(column.text(group) for column in columns))
    screen.print(shown)
    notes = "; ".join(f"{column.heading}: {column.about}" for column in columns if column.about)
    screen.print(f"\n[dim]{notes}[/]")
    for line in filter(None, (_recommended(str(name), group) for name, group in _by_regret(final))):
        screen.print(escape(line))
