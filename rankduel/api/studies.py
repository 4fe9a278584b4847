"""Run published experiments and check their claims."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from rankduel.base.errors import StudyError
from rankduel.base.settings import find
from rankduel.base.watch import SILENT, Watch
from rankduel.experiments.cluster import workers_of
from rankduel.experiments.studies import all_studies
from rankduel.experiments.studies.data.folder import data_folder
from rankduel.experiments.studies.play import Played, check, folder_of, play_study
from rankduel.experiments.studies.study import Study
from rankduel.experiments.studies.toml import read_study

__all__ = ["Tier", "find_study", "study"]

Tier = Literal["quick", "paper", "long"]


def study(
    name: str,
    *,
    tier: Tier = "quick",
    data: str | Path | None = None,
    real: bool = False,
    out: str | Path = "results/studies",
    repair: bool = False,
    jobs: int = -1,
    scheduler: str | None = None,
    watch: Watch = SILENT,
    trust: bool = False,
) -> Played:
    """Run a published experiment, or one of your own, and check its claims.

    Parameters
    ----------
    name : str
        A study by name, or a TOML file; ``rankduel study list`` shows the names.
    tier : {"quick", "paper", "long"}, default "quick"
        Length of the runs: minutes, or the published scale.
    data : str or Path, optional
        Folder of public data that are not part of rankduel. By default ``$RANKDUEL_DATA``.
    real : bool, default False
        Whether to omit parts whose data are missing and would be replaced by a substitute.
    out : str or Path, default "results/studies"
        Folder of the results; finished runs are not repeated.
    repair : bool, default False
        Whether to repeat runs whose records are damaged or of another run set, instead of raising an error.
    jobs : int, default -1
        Number of parallel runs; -1 uses all cores.
    scheduler : str, optional
        Address of a Dask scheduler whose workers share the work, or ``"local:N"`` for N worker processes on
        this machine.
    watch : Watch, optional
        Receives the progress.
    trust : bool, default False
        Whether to run the Python files that a TOML file names as policies. Such a file is code; its path is
        relative to the current folder.

    Returns
    -------
    Played
        ``records`` has a verdict for every claim, ``results`` the tables and values behind them. The tables
        have the columns that claims and figures use; `load_records` returns all.

    Examples
    --------
    >>> played = rankduel.study("facts", out="studies")
    >>> {record.verdict for record in played.records} <= {"holds", "skipped", "report", "warns"}
    True
    """
    chosen = find_study(name, trust=trust)
    where = Path(out)
    found = data_folder(None if data is None else Path(data))
    with workers_of(jobs, scheduler) as workers:
        results = play_study(
            chosen,
            tier,
            where,
            data=found,
            real=real,
            repair=repair,
            jobs=workers,
            watch=watch,
        )
    records = check(chosen, tier, where, results)
    return Played(chosen, tier, results, records, folder_of(chosen, tier, where) / "figures")


def find_study(name: str, *, trust: bool = False) -> Study:
    """Return a study by name, or from a TOML file; `trust` allows its policies to be Python files."""
    if name.endswith(".toml"):
        return read_study(name, trust=trust)
    return find(name, all_studies(), "study", StudyError)
