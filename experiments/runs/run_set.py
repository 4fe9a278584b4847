"""Run sets: the records of runs with their settings and preferences, as played or as read from a folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from rankduel.base.arguments import check_type
from rankduel.base.errors import RecordsError
from rankduel.base.notebook import few, html_repr, short_repr
from rankduel.base.results import plain
from rankduel.experiments.matrix.preferences import Preferences
from rankduel.experiments.runs.columns import Column, columns_in
from rankduel.experiments.runs.folder import (
    MATRIX,
    MULTILEAVE,
    SETTINGS,
    RunFolder,
    check_matrix,
    read_settings,
)
from rankduel.experiments.runs.records import list_records, read_record, runs_in
from rankduel.experiments.runs.summaries import at_drawn_steps, by_regret, final_rows, last_rows
from rankduel.experiments.winners.verdict import Verdict, resampled_verdict

if TYPE_CHECKING:
    import altair

MANY_RUNS = 2000  # of a run set; with the usual checkpoints, more would take over half a gigabyte


@dataclass(frozen=True, eq=False, repr=False)
class RunSet:
    """Runs of policies on one problem, from `run`; of multileaving methods, if read from a folder of those.

    Parameters
    ----------
    name : str
        Name of the folder; empty if the runs are not stored.
    settings : Mapping
        Settings of all runs, as plain values.
    preferences : Preferences
        Preferences from which regret is computed.
    folder : Path or None
        Folder of the records, if the runs are stored.
    rows : DataFrame
        Rows of all checkpoints, or of the last ones if the runs are stored.

    Examples
    --------
    >>> played = rankduel.run("arxiv6", ["rucb"], horizon=1000, runs=2)
    >>> played
    RunSet(name='', mode='proxy', policies='rucb', runs=2, horizon=1000, rankers='0, 1, 2, 3, ... (6 in all)')
    >>> int(played.table["step"].max())
    1000
    >>> played.final()["runs"].tolist()
    [2]
    """

    name: str
    settings: Mapping[str, Any]
    preferences: Preferences
    folder: Path | None
    rows: pd.DataFrame

    @cached_property
    def table(self) -> pd.DataFrame:
        """One row per policy, run and checkpoint.

        The columns are ``policy``, ``run``, ``step``, ``regret``, ``recommended``, ``correct`` and others;
        ``columns`` says what each means.
        """
        if self.folder is None or self.rows["step"].nunique() > 1:
            return self.rows
        stored = read_run_set(self.folder).rows
        played = {str(policy): part["run"] for policy, part in self.rows.groupby("policy", sort=False)}
        parts = [
            stored[(stored["policy"] == policy) & stored["run"].isin(runs)] for policy, runs in played.items()
        ]
        return pd.concat(parts, ignore_index=True)

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of `table`: name, type and meaning of each, and which runs have it."""
        return columns_in(self.rows)

    def final(self) -> pd.DataFrame:
        """Return a row per policy, least regret first: means at the last checkpoint, and what it recommends.

        ``regret_standard_error`` is the standard error of the mean regret, and ``recommended_share`` the
        share of runs that recommend ``recommended``, the ranker recommended most often.
        """
        return pd.DataFrame(final_rows(self.rows))

    def last(self) -> pd.DataFrame:
        """Return the rows of the last checkpoint."""
        return last_rows(self.rows)

    def by_policy(self) -> list[tuple[str, pd.DataFrame]]:
        """Return the rows of the last checkpoint by policy, least mean regret first."""
        return by_regret(self.last())

    def duels(self) -> str:
        """Return the interleaving method and the user of live runs, such as 'team_draft, perfect user'."""
        arena = self.settings["arena"]
        return f"{arena['interleave']}, {arena['clicks']} user"

    def verdict(self) -> Verdict:
        """Return the winner of the preferences, and how certain it is, in sentences."""
        return resampled_verdict(self.preferences)

    def plot(self, **options: Any) -> altair.LayerChart:
        """Return a chart of the mean regret; `options` are those of `plot_regret`."""
        from rankduel.experiments.report.plots import plot_regret  # imported here: Altair is slow to import

        return plot_regret(self, **options)

    def to_pandas(self) -> pd.DataFrame:
        """Return `final`, the table that ``--csv`` prints."""
        return self.final()

    def to_dict(self) -> dict[str, Any]:
        """Return the object that ``--json`` prints: the verdict and a row per policy, as plain values."""
        return plain(
            {
                "records": None if self.folder is None else str(self.folder),
                "regret": self.settings["regret"],
                "verdict": self.verdict()._asdict(),
                "policies": final_rows(self.rows),
            }
        )

    def _facts(self) -> dict[str, object]:
        """Return the names and values that the representations show."""
        return {
            "name": self.name,
            "mode": self.settings.get("mode"),
            "policies": few(self.rows["policy"].unique().tolist()),
            "runs": int(self.rows["run"].nunique()),
            "horizon": self.settings.get("horizon"),
            "rankers": few(self.preferences.names),
        }

    def __repr__(self) -> str:
        return short_repr("RunSet", self._facts())

    def _repr_html_(self) -> str:
        return html_repr("RunSet", self._facts())


def read_run_set(
    folder: Path, shortened: Callable[[pd.DataFrame], pd.DataFrame] = lambda table: table
) -> RunSet:
    """Read all records of a run set; raise RecordsError for the first that does not belong to it.

    `shortened` is applied to the table of every record.
    """
    run_folder = RunFolder(folder, read_settings(folder))
    preferences = check_matrix(folder / MATRIX, run_folder.settings["matrix"]["digest"])
    paths = list_records(folder)
    if not paths:
        raise RecordsError(f"{folder}: no finished runs yet; 'rankduel run' makes them")
    try:
        table = pd.concat([shortened(read_record(path, run_folder)) for path in paths], ignore_index=True)
    except FileNotFoundError as problem:
        if list_records(folder) == paths:
            raise RecordsError(f"{problem.filename}: cannot be read: {problem.strerror}") from None
        return read_run_set(folder, shortened)  # another process has written a block meanwhile
    return RunSet(folder.name, run_folder.settings, preferences, folder, table)


def read_run_sets(folder: str | Path) -> list[RunSet]:
    """Read every run set in a folder; `folder` may itself be a run set."""
    return [read_run_set(path) for path in list_run_sets(folder)]


def list_run_sets(folder: str | Path) -> list[Path]:
    """Return the folders of all run sets in a folder; `folder` may itself be a run set."""
    check_type("folder", folder, (str, Path), "the folder of a run set, or of several")
    folder = Path(folder)
    if not folder.is_dir():
        raise RecordsError(f"{folder}: there is no such folder; 'rankduel run ... --out DIR' makes records")
    found = sorted(path.parent for path in (*folder.glob(SETTINGS), *folder.glob(f"*/{SETTINGS}")))
    if not found:
        raise RecordsError(f"{folder}: no records there; 'rankduel run ... --out {folder}' makes them")
    return found


def read_for_charts(folder: str | Path) -> list[RunSet]:
    """Read every run set in a folder; of a run set of many runs, only the steps that its charts show."""
    return [
        read_run_set(path, at_drawn_steps) if _is_long(path) else read_run_set(path)
        for path in list_run_sets(folder)
    ]


def _is_long(folder: Path) -> bool:
    """Return whether a run set is too large to be read whole; multileaving has tables of other steps."""
    n_runs = sum(len(runs_in(path)) for path in list_records(folder))
    return n_runs > MANY_RUNS and read_settings(folder)["mode"] != MULTILEAVE


def load_records(folder: str | Path) -> pd.DataFrame:
    """Read the records of all run sets in a folder as one table.

    Every record is checked: a record that is damaged or of other runs is an error.
    ``pandas.read_parquet(folder)`` returns the same rows without these checks and without the columns
    ``run_set`` and ``seconds``.

    Parameters
    ----------
    folder : str or Path
        Folder of one or several run sets: the argument `folder` of `run`, `compare` or `multileave`, or
        ``--out`` of the command.

    Returns
    -------
    DataFrame
        One row per run set, policy, run and checkpoint: ``run_set`` (the name of its folder), ``policy``,
        ``run``, ``step``, the values measured at this step, and ``seconds``, the time of the whole run.
        Rankers are given by name.

    Raises
    ------
    RankduelError
        If the folder holds no records, or some that are damaged.

    Examples
    --------
    >>> _ = rankduel.run("arxiv6", "rucb", horizon=1000, runs=2, folder="records/arxiv6")
    >>> table = rankduel.load_records("records")
    >>> table.loc[table["step"] == 1000, ["run_set", "policy", "run", "recommended"]]
         run_set policy  run recommended
    999   arxiv6   rucb    0           1
    1999  arxiv6   rucb    1           1
    """
    tables = []
    for run_set in read_run_sets(folder):
        tables.append(run_set.rows.assign(run_set=run_set.name)[["run_set", *run_set.rows]])
    return pd.concat(tables, ignore_index=True)
