"""Print the results of `rankduel run`: a row per policy, and an explanation of the columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pandas as pd
from rich.markup import escape

from rankduel.base.text import counted, shortened
from rankduel.cli.console import plain_table, print_fitted, screen, show_legend
from rankduel.experiments.statistics import standard_error

_LONGEST_NAME = 16  # characters of a ranker's name
_MOST_NAMED = 3  # rankers named per policy that recommends several


class _Column(NamedTuple):
    heading: str
    text: Callable[[pd.DataFrame], str]  # called with the last rows of a policy's runs
    about: str = ""  # line of the legend; none if empty


def _columns(notion: str, final: pd.DataFrame) -> list[_Column]:
    """Return the columns that apply to these runs."""
    about = f"mean {notion} loss of the two arms, summed over duels"
    shown = [
        _Column("regret", lambda runs: f"{runs['regret'].mean():,.1f}", about),
        _Column("± s.e.", lambda runs: _standard_error(runs["regret"]), "standard error of the regret"),
    ]
    if "weak_regret" in final:
        shown.append(_Column("weak\nregret", _weak, "loss of the better of the two arms, summed"))
    about = "duels of two different arms"
    shown.append(
        _Column("informative\nduels", lambda runs: f"{runs['informative_steps'].mean():,.0f}", about)
    )
    about = f"share of runs that recommend a {notion} winner"
    shown.append(_Column("correct", lambda runs: f"{runs['correct'].mean():.0%}", about))
    if (final["rounds"] < final["step"]).any():
        about = "times that the policy received outcomes"
        shown.append(_Column("rounds", lambda runs: f"{runs['rounds'].mean():,.0f}", about))
    return [*shown, *_set_columns(final), *_page_columns(final), _SECONDS]


_SECONDS = _Column("s/run", lambda runs: f"{runs['seconds'].mean():.2g}", "seconds of computing per run")


def _set_columns(final: pd.DataFrame) -> list[_Column]:
    """Return the columns of policies that return a set of arms, and of policies that play sets."""
    shown = []
    if final["finished"].any() or (final["answers"] > 1).any():
        about = "number of arms that the policy returns as best"
        shown.append(_Column("best\narms", lambda runs: f"{runs['answers'].mean():.3g}", about))
        about = "duels of the pair that was compared most often"
        shown.append(
            _Column("duels of\none pair", lambda runs: f"{runs['judgments_per_pair'].mean():,.0f}", about)
        )
    if "mean_set" in final:
        about = "mean number of arms compared at once"
        shown.append(_Column("set\nsize", lambda runs: _or_dash(f"{runs['mean_set'].mean():.3g}"), about))
    return shown


def _page_columns(final: pd.DataFrame) -> list[_Column]:
    if "ndcg" not in final:
        return []
    about = "NDCG of the pages shown since the checkpoint before"
    shown = [_Column("NDCG", lambda runs: f"{runs['ndcg'].mean():.3f}", about)]
    if "unjudged" in final:
        about = "documents without a judgment, taken as grade 0, on a page shown since the checkpoint before"
        shown.append(_Column("unjudged", lambda runs: f"{runs['unjudged'].mean():.2g}", about))
    return shown


def _recommended(name: str, runs: pd.DataFrame) -> str:
    """Return 'rucb recommends 0 in 2 runs, 1 in 1 run' if some run is wrong, otherwise an empty text."""
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
    return _or_dash(f"{runs['weak_regret'].mean():,.1f}")


def _or_dash(text: str) -> str:
    """Return a dash for 'nan': policies for duels and policies for sets lack some of each other's columns."""
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
    played = f"after {counted(final['step'].iloc[0], 'duel')}, {counted(runs, 'run')} per policy"
    screen.print(f"[bold]{escape(title)}[/] [dim]{played}[/]\n")
    shown = plain_table()
    shown.add_column("policy", header_style="dim", style="cyan", overflow="fold", vertical="bottom")
    columns = _columns(escape(notion.partition("-")[0].capitalize()), final)
    for column in columns:
        shown.add_column(column.heading, header_style="dim", justify="right", no_wrap=True, vertical="bottom")
    for name, group in _by_regret(final):
        shown.add_row(escape(str(name)), *(column.text(group) for column in columns))
    print_fitted(shown)
    show_legend({column.heading: column.about for column in columns if column.about})
    for line in filter(None, (_recommended(str(name), group) for name, group in _by_regret(final))):
        screen.print(escape(line))
