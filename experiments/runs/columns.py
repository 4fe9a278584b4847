"""The columns of records: what each means, when it exists, how it is computed, summarised and shown.

Everything that reads or lists columns reads this table: records, summaries, studies, reports, the command and
the documentation. A new column is one more line here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from rankduel.bandits import Trace
from rankduel.bandits.regret import (
    informative_steps,
    losses_by,
    strong_binary_regret,
    strong_regret,
    weak_regret,
    winners_by,
)

# What a value covers. Means over runs are taken of all but texts.
TOTAL, NOW, PER_PAGE, WHOLE_RUN = (
    "total since the first duel",
    "value at this step",
    "mean per page since the checkpoint before",
    "of the whole run",
)


@dataclass(frozen=True)
class Played:
    """A run as it was played, from which its columns are computed."""

    trace: Any  # Trace, or SetsTrace of a policy that compares sets
    matrix: np.ndarray  # (K, K) probabilities that measure regret
    notion: str
    names: np.ndarray  # (K + 1,) names of the arms; the last is None, for the number -1
    pages: np.ndarray  # (checkpoints, n): NDCG, clicks and maybe unjudged documents per page; n may be 0

    @cached_property
    def loss(self) -> np.ndarray:
        return losses_by(self.notion, self.matrix)

    @cached_property
    def winners(self) -> np.ndarray:
        return winners_by(self.notion, self.matrix)

    @property
    def has_ties(self) -> bool:
        """Whether arms tie; otherwise losses of an arm are K - 1 minus its wins."""
        return int((self.matrix == 0.5).sum()) > len(self.matrix)

    def page(self, place: int) -> np.ndarray | None:
        """Return a column of `pages`; None if it was not measured."""
        return self.pages[:, place] if place < self.pages.shape[1] else None


class Shown(NamedTuple):
    """How the table of `rankduel run` shows the mean of a column."""

    heading: str
    form: str  # format specification
    legend: str  # "{notion}" stands for the notion of regret
    when: Callable[[pd.DataFrame], bool] = lambda last: True  # called with the rows of the last checkpoint
    with_error: bool = False  # whether its standard error is shown, too


class Reported(NamedTuple):
    """How the table of a report shows a column."""

    heading: str
    form: str  # interval, count, share or seconds
    note: str  # "{notion}" stands for the notion of regret


class Chart(NamedTuple):
    """Title and axis of the chart of a column per page; "{at}" stands for '@10', the length of pages."""

    title: str
    axis: str


class Column(NamedTuple):
    """A column of records; `duels` and `sets` return None for a run that does not have it."""

    name: str
    type: str  # of Arrow
    covers: str  # TOTAL, NOW, PER_PAGE or WHOLE_RUN
    meaning: str
    runs: str = ""  # which runs have it; empty for all
    duels: Callable[[Played], Any] | None = None  # values at the checkpoints of a policy that compares pairs
    sets: Callable[[Played], Any] | None = None  # of a policy that compares sets of arms
    shown: Shown | None = None
    reported: Reported | None = None
    chart: Chart | None = None

    @property
    def is_text(self) -> bool:
        return self.type == "string"


def _returns_sets(last: pd.DataFrame) -> bool:
    return bool(last["finished"].any() or (last["answers"] > 1).any())


def _is_batched(last: pd.DataFrame) -> bool:
    return bool((last["rounds"] < last["step"]).any())


_DUELS = "not of multileaving"
_PAIRS = "of policies that compare pairs"
_PAGES = "live, `--measure page`"
_SETS = "of policies that compare sets"
COLUMNS: tuple[Column, ...] = (
    Column("policy", "string", WHOLE_RUN, "policy with its settings"),
    Column("run", "int64", WHOLE_RUN, "number of the run, from 0"),
    Column(
        "step", "int64", TOTAL, "duels so far",
        duels=lambda run: run.trace.steps,
        sets=lambda run: run.trace.steps,
    ),
    Column(
        "regret", "double", TOTAL, "mean loss of the two arms, summed over duels", _DUELS,
        duels=lambda run: strong_regret(run.trace, run.loss),
        sets=lambda run: run.trace.shares @ run.loss,
        shown=Shown(
            "regret", ",.1f", "mean {notion} loss of the two arms, summed over duels", with_error=True
        ),
        reported=Reported(
            "mean regret", "interval",
            "Regret: the mean {notion} loss of the two rankers of a duel, summed over the duels.",
        ),
    ),
    Column(
        "weak_regret", "double", TOTAL, "smaller loss of the two arms, summed over duels", _PAIRS,
        duels=lambda run: weak_regret(run.trace, run.loss),
        shown=Shown("weak\nregret", ",.1f", "loss of the better of the two arms, summed"),
        reported=Reported("mean weak regret", "interval", "Weak regret: the loss of the better of the two."),
    ),
    Column(
        "copeland_regret", "double", TOTAL, "as `regret`, with the loss of Copeland's notion", _DUELS,
        duels=lambda run: strong_regret(run.trace, losses_by("copeland", run.matrix)),
        sets=lambda run: run.trace.shares @ losses_by("copeland", run.matrix),
    ),
    Column(
        "informative_steps", "int64", TOTAL, "duels of two different arms", _DUELS,
        duels=lambda run: informative_steps(run.trace),
        sets=lambda run: run.trace.pages,
        shown=Shown("informative\nduels", ",.0f", "duels of two different arms"),
        reported=Reported(
            "duels of two rankers", "count",
            "Duels of two rankers: the policy compared two different rankers, not one with itself.",
        ),
    ),
    Column(
        "recommended", "string", NOW, "arm that the policy would answer now; null if it has none", _DUELS,
        duels=lambda run: run.names[run.trace.recommended],
        sets=lambda run: run.names[run.trace.recommended],
    ),
    Column(
        "correct", "bool", NOW, "whether `recommended` is a winner", _DUELS,
        duels=lambda run: run.winners[run.trace.recommended] & (run.trace.recommended >= 0),
        sets=lambda run: run.winners[run.trace.recommended],
        shown=Shown("correct", ".0%", "share of runs that recommend a {notion} winner"),
        reported=Reported(
            "winner recommended", "share",
            "Winner recommended: share of runs that recommend the winner, or one of several, at the end.",
        ),
    ),
    Column(
        "answers", "int64", NOW, "number of arms in the policy's answer", _DUELS,
        duels=lambda run: run.trace.answers.sum(axis=1),
        sets=lambda run: 1,
        shown=Shown("best\narms", ".3g", "number of arms that the policy returns as best", _returns_sets),
    ),
    Column(
        "winners_among_answers", "int64", NOW, "number of these that are winners", _PAIRS,
        duels=lambda run: (run.trace.answers & run.winners).sum(axis=1),
    ),
    Column(
        "finished", "bool", NOW, "whether the policy has nothing left to compare", _DUELS,
        duels=lambda run: run.trace.finished,
        sets=lambda run: False,
    ),
    Column(
        "survivors", "int64", NOW, "arms that are not eliminated; -1 if the policy eliminates none", _PAIRS,
        duels=lambda run: run.trace.survivors,
    ),
    Column(
        "rounds", "int64", TOTAL, "times that the policy was told outcomes", _DUELS,
        duels=lambda run: run.trace.rounds,
        sets=lambda run: run.trace.steps,
        shown=Shown("rounds", ",.0f", "times that the policy received outcomes", _is_batched),
    ),
    Column(
        "judgments_per_pair", "int64", TOTAL, "duels of the pair that was compared most often", _PAIRS,
        duels=lambda run: run.trace.most,
        shown=Shown(
            "duels of\none pair", ",.0f", "duels of the pair that was compared most often", _returns_sets
        ),
    ),
    Column(
        "mean_set", "double", NOW, "mean number of arms on a page since the first", _SETS,
        sets=lambda run: run.trace.compared / np.maximum(run.trace.pages, 1),
        shown=Shown("set\nsize", ".3g", "mean number of arms compared at once"),
    ),
    Column(
        "copeland_losses_regret", "double", TOTAL, "regret by the number of arms that an arm loses to",
        f"{_PAIRS}, with tied arms",
        duels=lambda run: (
            strong_regret(run.trace, losses_by("copeland-losses", run.matrix)) if run.has_ties else None
        ),
    ),
    Column(
        "nonwinner_duels", "int64", TOTAL, "duels in which another arm than the winner took part",
        f"{_PAIRS}, with one winner",
        duels=lambda run: (
            strong_binary_regret(run.trace, int(run.winners.argmax())) if run.winners.sum() == 1 else None
        ),
        reported=Reported(
            "duels with a non-winner", "count",
            "Duels with a non-winner: at least one of the two rankers is not the winner.",
        ),
    ),
    Column(
        "ndcg", "double", PER_PAGE, "NDCG of the pages", _PAGES,
        duels=lambda run: run.page(0), sets=lambda run: run.page(0),
        shown=Shown("NDCG", ".3f", "NDCG of the pages shown since the checkpoint before"),
        chart=Chart("NDCG{at} of the pages", "NDCG{at}"),
    ),
    Column(
        "clicks", "double", PER_PAGE, "clicks", _PAGES,
        duels=lambda run: run.page(1), sets=lambda run: run.page(1),
        chart=Chart("Clicks", "clicks per page"),
    ),
    Column(
        "unjudged", "double", PER_PAGE, "documents without a judgment",
        f"{_PAGES}, if the data have such documents",
        duels=lambda run: run.page(2), sets=lambda run: run.page(2),
        shown=Shown(
            "unjudged", ".2g",
            "documents without a judgment, taken as grade 0, on a page shown since the checkpoint before",
        ),
    ),
    Column("e_bin", "double", NOW, "share of pairs in the wrong order", "of multileaving"),
    Column(
        "seconds", "double", WHOLE_RUN, "time of the run; in tables, and in a file beside the record",
        shown=Shown("s/run", ".2g", "seconds of computing per run"),
        reported=Reported(
            "seconds per run", "seconds", "Seconds per run depend on the machine and its load."
        ),
    ),
)  # fmt: skip


def table_of(run: Played) -> pd.DataFrame:
    """Return the columns that a run has, a row per checkpoint."""
    plays_sets = not isinstance(run.trace, Trace)
    values = {
        column.name: make(run) for column in COLUMNS if (make := column.sets if plays_sets else column.duels)
    }
    return pd.DataFrame({name: value for name, value in values.items() if value is not None})


def columns_in(table: pd.DataFrame) -> tuple[Column, ...]:
    """Return the columns of a table."""
    return tuple(column for column in COLUMNS if column.name in table)


def measured() -> tuple[str, ...]:
    """Return the names of the columns that a run of a policy may have, besides its step."""
    return tuple(one.name for one in COLUMNS if (one.duels or one.sets) and one.name != "step")


def texts() -> tuple[str, ...]:
    """Return the names of the columns that hold no numbers."""
    return tuple(column.name for column in COLUMNS if column.is_text)


def is_per_page(name: str) -> bool:
    """Return whether a column holds means since the checkpoint before; others are totals or states."""
    return any(column.name == name and column.covers == PER_PAGE for column in COLUMNS)


def in_reports() -> tuple[str, ...]:
    """Return the names of the columns that reports read."""
    keys = ("policy", "run", "step")
    return tuple(one.name for one in COLUMNS if one.name in keys or one.reported or one.covers == PER_PAGE)
