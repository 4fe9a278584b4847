"""Options that several commands take, declared once: frozen dataclasses for those that belong together."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import itertools
import math
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

import rankduel
from rankduel.base.errors import DataError, DataWarning, UsageError
from rankduel.base.text import feature_list
from rankduel.cli import completion
from rankduel.cli.console import show_data_notes, watching
from rankduel.letor_data.catalogue import PROFILES

if TYPE_CHECKING:
    from rankduel.experiments.arena import Arena
    from rankduel.letor_data.letor import Letor


def with_options(
    kind: type, into: str, **defaults: Any
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Append the fields of a dataclass to a command as options; the command receives them as one value.

    `defaults` replace those of the fields for this command.
    """
    hints = get_type_hints(kind, include_extras=True)
    added = [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=defaults.get(field.name, field.default),
            annotation=hints[field.name],
        )
        for field in dataclasses.fields(kind)
    ]

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        own = inspect.signature(command, eval_str=True)

        @functools.wraps(command)
        def wrapped(**values: Any) -> Any:
            chosen = kind(**{parameter.name: values.pop(parameter.name) for parameter in added})
            return command(**values, **{into: chosen})

        others = [parameter for parameter in own.parameters.values() if parameter.name != into]
        wrapped.__signature__ = own.replace(parameters=[*others, *added])  # type: ignore[attr-defined]
        del wrapped.__wrapped__
        wrapped.__annotations__ = {p.name: p.annotation for p in [*others, *added]}
        return wrapped

    return decorate


def refuse_typed(context: typer.Context, names: Iterable[str], why: str) -> None:
    """Raise an error '--NAME WHY' for the first of these options on the command line; it would be ignored.

    `names` are parameters of the command. An option given with its default value is refused too.
    """
    options = {parameter.name: parameter.opts[0] for parameter in context.command.params}
    for name in names:
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            raise UsageError(f"{options[name]} {why}")


def names_of(*kinds: type) -> list[str]:
    """Return the names of all options that these dataclasses declare."""
    return [field.name for kind in kinds for field in dataclasses.fields(kind)]


def number(text: str | float) -> float:
    """Parse a finite number such as 1e6."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        what = "is too large" if math.isinf(value) else "is no number"
        raise typer.BadParameter(f"'{text}' {what}; expected one such as 100000 or 1e8")
    return value


def _option(panel: str, help: str, *names: str, **more: Any) -> Any:
    return typer.Option(*names, help=help, rich_help_panel=panel, show_default=False, **more)


_reading = partial(_option, "How to read")
_duel = partial(_option, "The duel")


def _profiles(incomplete: str) -> list[tuple[str, str]]:
    return [(p.name, p.about) for p in PROFILES.values() if p.name.startswith(incomplete)]


_PROFILE = f"Format of the files, by default told by their names: {', '.join(PROFILES)}."


@dataclasses.dataclass(frozen=True)
class DataOptions:
    """How to read judged data."""

    profile: Annotated[str | None, _reading(_PROFILE, autocompletion=_profiles)] = None
    nonfinite: Annotated[
        str,
        _reading(
            "nan and inf in the data: refuse (default), or missing.",
            autocompletion=completion.one_of("refuse", "missing"),
        ),
    ] = "refuse"
    unjudged: Annotated[
        str | None,
        _reading(
            "Documents with label -1: refuse (default), drop or zero. With --qrels, documents without a "
            "judgment: zero (default), drop or refuse.",
            autocompletion=completion.one_of("refuse", "drop", "zero"),
        ),
    ] = None
    label_round: Annotated[
        str,
        _reading(
            "Labels such as 1.5: refuse (default), nearest or floor.",
            autocompletion=completion.one_of("refuse", "nearest", "floor"),
        ),
    ] = "refuse"
    grade_cuts: Annotated[
        str, _reading("Turn labels into grades: '10,50' gives 0 below 10, 1 below 50, 2 above.")
    ] = ""
    index_base: Annotated[int | None, _reading("Smallest feature number, 0 or 1.")] = None
    max_features: Annotated[int, _reading("Largest feature number accepted (100,000).")] = 100_000
    merge_files: Annotated[
        bool, _reading("Treat equal query ids of different files as one query.", "--merge-files")
    ] = False
    split_prefix: Annotated[
        bool, _reading("Put the split in front of query ids, as in 'train/17'.", "--split-prefix")
    ] = False
    only_queries: Annotated[
        str, _reading("Only these queries: ids 'a,b', a FILE of ids, or 'sample:500' at random.")
    ] = ""
    features: Annotated[str, _reading("Only these features: '1-5,110'.")] = ""
    qrels: Annotated[
        Path | None,
        _reading("TREC judgments; the files are then TREC runs.", autocompletion=completion.files),
    ] = None
    candidates: Annotated[
        str,
        _reading(
            "With --qrels, documents of a query: all (default), judged, or union, those that a run lists.",
            autocompletion=completion.one_of("union", "judged", "all"),
        ),
    ] = "all"
    run_ties: Annotated[
        str,
        _reading(
            "With --qrels, order of equal scores: tie_mode (default), by --ties, or trec_eval, by document "
            "id.",
            autocompletion=completion.one_of("tie_mode", "trec_eval"),
        ),
    ] = "tie_mode"
    cache: Annotated[
        Path | None,
        _reading("Folder of the cache (.rankduel beside the data).", autocompletion=completion.folders),
    ] = None
    no_cache: Annotated[bool, _reading("Neither read nor write a cache.", "--no-cache")] = False

    def read(self, files: list[str]) -> Letor:
        """Read files with a progress bar. Notes about the data are printed later, by their user."""
        if self.no_cache and self.cache is not None:
            raise UsageError(
                "--cache names a folder of the cache, and --no-cache turns it off: leave one of them out"
            )
        options = dataclasses.asdict(self)
        cache = options.pop("cache")
        no_cache = options.pop("no_cache")
        chosen = {name: options.pop(name) for name in ("only_queries", "features")}
        options["grade_cuts"] = _cuts(self.grade_cuts)
        with warnings.catch_warnings(), watching() as watch:
            warnings.simplefilter("ignore", DataWarning)
            letor = rankduel.read_data(
                *files, cache=False if no_cache else cache or True, watch=watch, **options
            )
        return _chosen(letor, **chosen)


def _chosen(letor: Letor, only_queries: str, features: str) -> Letor:
    from rankduel.letor_data.selection import only_queries as chosen_queries

    letor = chosen_queries(letor, only_queries) if only_queries else letor
    return letor.only_features(feature_list(features)) if features else letor


def _cuts(text: str) -> tuple[float, ...]:
    try:
        cuts = tuple(float(cut) for cut in text.split(",") if cut.strip())
    except ValueError:
        cuts = (math.nan,)
    if (text and not cuts) or not all(map(math.isfinite, cuts)):
        raise DataError(f"--grade-cuts is '{text}'; expected numbers such as '10,50'")
    return cuts


_REPEATABLE = ("interleave", "clicks")
RankerTexts = Annotated[
    list[str] | None,
    _duel(
        "A ranker; may be repeated. A feature by number or name, a weighted sum '0.7*39+0.3*23', "
        "'minmax(SUM)' with features scaled to 0..1, scores:FILE, run:FILE, lightgbm:FILE, xgboost:FILE, "
        "onnx:FILE or ranklib:FILE. ',name=NAME' at the end names it.",
        "--ranker",
        metavar="TEXT",
    ),
]


@dataclasses.dataclass(frozen=True)
class DuelOptions:
    """The duel: all that an arena needs besides data."""

    interleave: Annotated[
        list[str] | None,
        _duel(
            "Interleaving method of 'rankduel interleavers'; repeat the option to compare several.",
            autocompletion=completion.interleavers,
        ),
    ] = None
    clicks: Annotated[
        list[str] | None,
        _duel(
            "Click model of 'rankduel clickmodels' (navigational); repeat the option to compare several.",
            autocompletion=completion.users,
        ),
    ] = None
    length: Annotated[int, _duel("Documents on a page (10).", "--length", "-k")] = 10
    rankers: Annotated[
        str, _duel("Features to use as rankers, such as '1-5,110'; by default all.", "--rankers")
    ] = ""
    ranker: RankerTexts = None
    preset: Annotated[
        str | None,
        _duel(
            "Defaults of --interleave, --ties and --tied-duels: paper, lerot, repo_multileave. See "
            "'rankduel interleavers'. Without it, team_draft if some rankers do not list every document.",
            autocompletion=completion.one_of(*completion.PRESETS),
        ),
    ] = None
    ties: Annotated[
        str | None,
        _duel(
            "Order of documents with equal scores: random_impression, random_impression_redraw, random_run, "
            "random_run_shared or stable.",
            autocompletion=completion.one_of(*completion.TIES),
        ),
    ] = None
    tied_duels: Annotated[
        str | None,
        _duel(
            "A duel without a winner: coin draws one at random, drop ignores the duel.",
            autocompletion=completion.one_of(*completion.TIED_DUELS),
        ),
    ] = None
    queries: Annotated[
        str,
        _duel(
            "Query of the next page: uniform draws one at random (default), cycle takes them in turn.",
            autocompletion=completion.one_of(*completion.QUERIES),
        ),
    ] = "uniform"

    def each(self) -> dict[str, DuelOptions]:
        """Return one `DuelOptions` per combination of repeated --interleave and --clicks, by label.

        A label such as 'balanced-perfect' can be part of a file name. It is empty for a single combination.
        """
        given = {name: getattr(self, name) or [] for name in _REPEATABLE}
        several = [name for name, values in given.items() if len(values) > 1]
        if not several:
            return {"": self}
        from rankduel.experiments.studies.data.judged import name_of_settings

        for name in several:
            again = [value for value, times in Counter(given[name]).items() if times > 1]
            if again:
                raise UsageError(f"--{name} {again[0]} is given twice; expected different values")
        return {
            name_of_settings(values): self._with({name: [one] for name, one in zip(several, values)})
            for values in itertools.product(*(given[name] for name in several))
        }

    def _with(self, changes: dict[str, Any]) -> DuelOptions:
        return dataclasses.replace(self, **changes)

    def open(self, letor: Letor) -> Arena:
        """Rank the data with a progress bar, check that all settings are compatible, and print data notes."""
        options = dataclasses.asdict(self)
        for name in _REPEATABLE:
            values = options.pop(name) or []
            if len(values) > 1:
                raise UsageError(f"--{name} is given {len(values)} times; expected it once")
            if values:
                options[name] = values[0]
        texts = options.pop("ranker")
        if texts:
            options["rankers"] = [*feature_list(self.rankers), *texts]
        with watching() as watch:
            arena = rankduel.open_arena(letor, **options, watch=watch)
        show_data_notes([*letor.notes, *arena.notes])
        return arena


def refuse_one_matrix(matrix: Path | None, each: dict[str, DuelOptions]) -> None:
    """Raise an error if one matrix is given for several combinations of method and click model."""
    if matrix is not None and len(each) > 1:
        raise UsageError(
            f"--matrix is for one combination of --interleave and --clicks, and there are {len(each)}: "
            "leave it out, and every combination gets a matrix of its own"
        )


Horizon = Annotated[
    float, typer.Option(help="Duels per run.", parser=number, metavar="NUMBER", show_default="1e5")
]
Runs = Annotated[int, typer.Option(help="Runs per policy.")]
Seed = Annotated[int, typer.Option(help="Seed of all random numbers; equal seeds give equal results.")]
Checkpoints = Annotated[
    int, typer.Option(help="Evenly spaced steps to record, in addition to twenty per factor of ten.")
]
Jobs = Annotated[int, typer.Option(help="Number of parallel runs; -1 uses all cores.")]
Out = Annotated[
    Path,
    typer.Option(
        "--out",
        "-o",
        help="Folder of the records; runs that have a record are not repeated.",
        autocompletion=completion.folders,
    ),
]
Name = Annotated[
    str, typer.Option(help="Folder of this run set inside --out; by default made from the problem.")
]
Repair = Annotated[
    bool,
    typer.Option("--repair", help="Repeat runs whose records are damaged or belong to another run set."),
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        help="Address of a Dask scheduler, tcp://HOST:PORT or tls://HOST:PORT, whose workers share the work; "
        "or local:N for N worker processes on this machine.",
        show_default=False,
    ),
]


def refuse_jobs(context: typer.Context, scheduler: str | None) -> None:
    """Raise an error if both --scheduler and --jobs are given."""
    if scheduler is not None:
        why = "is for this process, and --scheduler uses others: leave it out"
        refuse_typed(context, ["jobs"], why)


@dataclasses.dataclass(frozen=True)
class RunOptions:
    """Length and number of the runs, and the folder of their records."""

    horizon: Horizon = 1e5
    runs: Runs = 10
    seed: Seed = 0
    checkpoints: Checkpoints = 1000
    out: Out = Path("results")
    name: Name = ""
    repair: Repair = False
    jobs: Jobs = -1
    scheduler: Scheduler = None

    @property
    def settings(self) -> dict[str, Any]:
        """Keyword arguments of `rankduel.run` and `rankduel.compare`."""
        names = ("horizon", "runs", "seed", "checkpoints", "jobs", "repair", "scheduler")
        return {name: getattr(self, name) for name in names}

    def run_set(self, files: list[str], mode: str, label: str = "") -> Path:
        """Return the folder of the runs on the problem of these files or on a built-in one.

        `label` distinguishes combinations of interleaving method and click model, see `DuelOptions.each`.
        """
        name = self.name or run_set_name(files, mode, self.horizon, self.seed)
        return self.out / (f"{name}-{label}" if label else name)


Files = Annotated[
    list[str],
    typer.Argument(
        help="Files, folders or archives; ARCHIVE::PATTERN chooses members.",
        show_default=False,
        autocompletion=completion.files,
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Replace existing output.")]


def _one_form(context: typer.Context, wanted: bool) -> bool:
    """Refuse --json together with --csv; the option that is parsed later sees the other."""
    if wanted and (context.params.get("as_json") or context.params.get("as_csv")):
        raise UsageError("--json and --csv are both given; expected one of them")
    return wanted


AsJson = Annotated[
    bool, typer.Option("--json", help="Print all results as JSON.", callback=_one_form, show_default=False)
]
AsCsv = Annotated[
    bool, typer.Option("--csv", help="Print the table as CSV.", callback=_one_form, show_default=False)
]
Policies = Annotated[
    list[str],
    typer.Option(
        "--policy",
        "-p",
        help="A policy, e.g. rucb, 'dts(alpha=0.6)' or path/to/mine.py; may be repeated.",
        autocompletion=completion.policies,
    ),
]
Matrix = Annotated[
    Path | None,
    typer.Option(
        "--matrix",
        help="Preference matrix that regret is computed from; by default made from the data.",
        autocompletion=completion.matrix_files,
    ),
]
Regret = Annotated[
    str,
    typer.Option(
        help="Definition of regret: condorcet, copeland, copeland-sum, copeland-per-arm, copeland-losses, "
        "borda. By default condorcet if there is a Condorcet winner, otherwise copeland.",
        autocompletion=completion.one_of(*completion.NOTIONS),
    ),
]
Every = Annotated[int, typer.Option("--feedback-every", help="Number of duels between updates of a policy.")]
Delay = Annotated[int, typer.Option(help="Number of duels after which a policy receives an outcome.")]
Measure = Annotated[
    str,
    typer.Option(
        help="Live duels: 'page' measures NDCG and clicks of whole pages; 'none' is faster, as it builds "
        "pages only as far as the user reads.",
        autocompletion=completion.one_of(*completion.MEASURES),
    ),
]
Multileave = Annotated[
    str,
    typer.Option(
        help="Multileaving method of policies that compare sets, with --live: see 'rankduel multileavers'.",
        autocompletion=completion.multileavers,
    ),
]


_MOST_NAMED, _LONGEST_NAME = 4, 60  # most files in the name of a run set, and most characters


def run_set_name(files: Sequence[str], mode: str, duels: float, seed: int) -> str:
    """Return a name that keeps run sets apart, such as 'arxiv6-1e6' or 'bm25-neural-live-1e7-seed3'."""
    parts = [problem_name(files), mode, f"{duels:g}".replace("e+0", "e"), f"seed{seed}" if seed else ""]
    return "-".join(part for part in parts if part)


def problem_name(files: Sequence[str]) -> str:
    """Return the names of the files without endings; of many files, the name of their folder."""
    stems = [_stem(file) for file in files]
    name = "-".join(stems)
    if len(files) == 1 or (len(files) <= _MOST_NAMED and len(name) <= _LONGEST_NAME):
        return name
    folders = {Path(file).absolute().parent for file in files}
    folder = folders.pop().name if len(folders) == 1 else ""
    return folder or f"{stems[0][:_LONGEST_NAME]}-and-{len(files) - 1}-more"


def _stem(file: str) -> str:
    """Return a file name without endings; of a family of matrices, 'btl-k-20-spread-0.5'."""
    if file.partition("(")[0].strip() in completion.built_in_matrices(""):
        return re.sub(r"[^\w.-]+", "-", file).strip("-")[:_LONGEST_NAME]
    return Path(file.rstrip("/")).name.split(".")[0] or "study"
