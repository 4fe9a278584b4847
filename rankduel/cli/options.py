"""Options that several commands take, declared once."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from bandits.regret import NOTIONS
from interleave import PRESETS
from letor_data import PROFILES, Letor, read_data
from rankduel.base.errors import DataError, DataWarning
from rankduel.cli.console import byte_progress


def with_options(table: Mapping[str, tuple[Any, Any]], into: str) -> Callable[[Callable], Callable]:
    """Append options (name -> annotation, default) to a command, which receives them as one dictionary."""

    def decorate(command: Callable) -> Callable:
        own = inspect.signature(command, eval_str=True)
        added = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
            for name, (annotation, default) in table.items()
        ]

        @functools.wraps(command)
        def wrapped(**values: Any) -> Any:
            chosen = {name: values.pop(name) for name in table}
            return command(**values, **{into: chosen})

        kept = [parameter for parameter in own.parameters.values() if parameter.name != into]
        wrapped.__signature__ = own.replace(parameters=[*kept, *added])  # type: ignore[attr-defined]
        del wrapped.__wrapped__
        wrapped.__annotations__ = {p.name: p.annotation for p in [*kept, *added]}
        return wrapped

    return decorate


def _option(panel: str, help: str, *names: str, **more: Any) -> Any:
    return typer.Option(*names, help=help, rich_help_panel=panel, show_default=False, **more)


_reading, _duel = partial(_option, "How to read"), partial(_option, "The duel")


def _profiles(incomplete: str) -> list[tuple[str, str]]:
    return [(p.name, p.about) for p in PROFILES.values() if p.name.startswith(incomplete)]


DATA_OPTIONS: dict[str, tuple[Any, Any]] = {
    "profile": (
        Annotated[str | None, _reading("What kind of files these are; by their names if not given: "
                                      f"{', '.join(PROFILES)}.", autocompletion=_profiles)],
        None,
    ),
    "nonfinite": (Annotated[str, _reading("nan and inf: refuse or missing.")], "refuse"),
    "unjudged": (Annotated[str, _reading("Label -1: refuse, drop or zero.")], "refuse"),
    "label_round": (Annotated[str, _reading("Labels such as 1.5: refuse, nearest or floor.")], "refuse"),
    "grade_cuts": (
        Annotated[str, _reading("Turn labels into grades: '10,50' gives 0 below 10, 1 below 50, 2 above.")],
        "",
    ),
    "index_base": (Annotated[int | None, _reading("Smallest feature number, 0 or 1.")], None),
    "max_features": (Annotated[int, _reading("Largest feature number believed (100,000).")], 100_000),
    "merge_files": (Annotated[bool, _reading("An id in two files is one query.", "--merge-files")], False),
    "split_prefix": (Annotated[bool, _reading("Query ids become 'train/17'.", "--split-prefix")], False),
    "qrels": (Annotated[Path | None, _reading("TREC judgments; the files are then TREC runs.")], None),
    "cache": (Annotated[Path | None, _reading("Folder for the binary cache (beside the data).")], None),
    "no_cache": (Annotated[bool, _reading("Neither use nor write a cache.", "--no-cache")], False),
}  # fmt: skip


# The duel: all that an arena needs besides data.
DUEL_OPTIONS: dict[str, tuple[Any, Any]] = {
    "interleave": (
        Annotated[str | None, _duel("How two rankings become a page: 'rankduel interleavers' lists them.")],
        None,
    ),
    "clicks": (
        Annotated[str, _duel("The user: 'rankduel clickmodels' lists them (navigational).")],
        "navigational",
    ),
    "length": (Annotated[int, _duel("Documents on a page (10).", "--length", "-k")], 10),
    "rankers": (
        Annotated[str, _duel("Features to rank by, such as '1-5,110'; all if not given.", "--rankers")],
        "",
    ),
    "preset": (
        Annotated[str, _duel(f"Whose habits to follow where nothing else is said: {', '.join(PRESETS)}.")],
        "paper",
    ),
    "ties": (
        Annotated[str | None, _duel("Ties between documents: random_impression, random_run, stable, ...")],
        None,
    ),
    "tied_duels": (Annotated[str | None, _duel("A duel without a winner: coin or drop.")], None),
    "queries": (Annotated[str, _duel("Which query comes next: uniform or cycle.")], "uniform"),
}


# Give a command these options; it receives them as the keyword argument of that name.
with_data_options = with_options(DATA_OPTIONS, "data_options")
with_duel_options = with_options(DUEL_OPTIONS, "duel_options")


def load(files: list[str], data_options: Mapping[str, Any]) -> Letor:
    """Read as the options say, with a progress bar; notes are left to whoever shows the data."""
    options = dict(data_options)
    qrels, cache, no_cache = options.pop("qrels"), options.pop("cache"), options.pop("no_cache")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        if qrels is not None:
            return _load_trec(files, qrels)
        options["grade_cuts"] = _cuts(options["grade_cuts"])
        with byte_progress("reading") as progress:
            return read_data(*files, cache=False if no_cache else cache or True, progress=progress, **options)


def load_plain(path: Path) -> Letor:
    """Read one file with no options given."""
    return load([str(path)], {name: default for name, (_, default) in DATA_OPTIONS.items()})


def _load_trec(files: list[str], qrels: Path) -> Letor:
    from letor_data.trec import read_trec

    return read_trec(qrels, files)


def _cuts(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(cut) for cut in text.split(",") if cut.strip())
    except ValueError:
        raise DataError(f"--grade-cuts takes numbers such as '10,50', not '{text}'") from None


# Arguments and options that stand by themselves, as types.
Files = Annotated[
    list[str],
    typer.Argument(help="Files, folders or archives; ARCHIVE::PATTERN chooses members.", show_default=False),
]

Force = Annotated[bool, typer.Option("--force", help="Replace the output if it exists.")]

AsJson = Annotated[bool, typer.Option("--json", help="Everything, for machines.")]

# Of runs.
Policies = Annotated[
    list[str],
    typer.Option(
        "--policy", "-p", help="A policy, e.g. rucb, 'dts(alpha=0.6)' or path/to/mine.py; may be repeated."
    ),
]

Horizon = Annotated[str, typer.Option(help="Duels per run.")]

Runs = Annotated[int, typer.Option(help="Runs of each policy.")]

Seed = Annotated[int, typer.Option(help="Same seed, same numbers.")]

Checkpoints = Annotated[
    int, typer.Option(help="Evenly spaced steps to record, besides twenty per factor of ten.")
]

Jobs = Annotated[int, typer.Option(help="Runs at a time; -1: as many as there are cores.")]

Out = Annotated[
    Path, typer.Option("--out", "-o", help="Folder for the records; what is there is not repeated.")
]

Name = Annotated[str, typer.Option(help="Name of the study, a folder in --out; by the problem if not given.")]

Scheduler = Annotated[
    str | None, typer.Option(help="Address of a Dask scheduler, tcp://HOST:PORT, to share the runs.")
]

Matrix = Annotated[
    Path | None,
    typer.Option("--matrix", help="Preferences by which to measure regret; made from the data if not given."),
]

Regret = Annotated[
    str,
    typer.Option(
        help=f"What regret means: {', '.join(NOTIONS)}. If not given, condorcet where there is a Condorcet "
        "winner, copeland elsewhere."
    ),
]

Every = Annotated[int, typer.Option("--feedback-every", help="Tell policies outcomes every so many duels.")]

Multileave = Annotated[
    str,
    typer.Option(
        help="How policies that compare sets make a page, with --live: see 'rankduel multileavers'."
    ),
]

Delay = Annotated[int, typer.Option(help="Tell policies an outcome so many duels late.")]
