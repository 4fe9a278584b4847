"""Test that help, version, completion and usage errors are fast: they import no slow package."""

import json
import os
import subprocess
import sys

import pytest
from typer.main import get_command

from rankduel.bandits.regret import NOTIONS
from rankduel.cli import app
from rankduel.experiments.matrix.build import PRIORS, USUAL_MOST, USUAL_TIMES
from rankduel.experiments.matrix.matrix import USUAL_IMPRESSIONS
from rankduel.experiments.studies.study import TIERS
from rankduel.interleave import PRESETS
from rankduel.letor_data.catalogue import PROFILES
from rankduel.letor_data.synthetic.settings import SHAPES

HEAVY = {
    *("numba", "llvmlite", "numpy", "pandas", "scipy", "pyarrow", "pydantic"),
    *("altair", "vl_convert", "jinja2", "joblib", "dask"),
}
# Runs the words of each line of the input as a command; after each, prints its exit code and packages.
TYPED = """
import io, json, sys
from contextlib import redirect_stderr, redirect_stdout
from rankduel.__main__ import main

typed = [line.split() for line in sys.stdin]
for words in typed:
    sys.argv = ["rankduel", *words]
    code = None
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        try:
            main()
        except SystemExit as ended:
            code = ended.code or 0
    print(json.dumps([code, sorted({name.partition(".")[0] for name in sys.modules})]))
"""


def commands(command=None, words=()):
    """Return the words of every command and group of commands."""
    command = command or get_command(app)
    yield words
    for name, inner in getattr(command, "commands", {}).items():
        yield from commands(inner, (*words, name))


def after(lines):
    """Return (exit code, loaded packages) after each of these commands, in one new process."""
    done = subprocess.run(
        [sys.executable, "-c", TYPED],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=True,
    )
    return [(code, set(packages)) for code, packages in map(json.loads, done.stdout.splitlines())]


def heavy(found):
    """Return the slow packages that each command loads, if any."""
    return [loaded & HEAVY for _, loaded in found if loaded & HEAVY]


def test_the_version_loads_nothing_heavy():
    found = after(["--version"])
    assert heavy(found) == [] and [code for code, _ in found] == [0]


def test_help_of_every_command_loads_nothing_heavy():
    lines = [" ".join([*words, "--help"]) for words in commands()]
    found = after(lines)
    assert len(lines) > 25 and {code for code, _ in found} == {0} and heavy(found) == []


def test_a_usage_error_loads_nothing_heavy():
    lines = ["rnu arxiv6", "run", "run arxiv6 --polcy rucb", "matrix show", "study run x --tier y", "data"]
    found = after(lines)
    assert [code for code, _ in found] == [2] * len(lines) and heavy(found) == []


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("rankduel ", "multileave"),
        ("rankduel data info --profile ", "istella"),
        ("rankduel data synth --shape ", "small"),
        ("rankduel run ", "two-winners32"),
        ("rankduel run arxiv6 --policy mer", "merge_dts"),
        ("rankduel compare data.txt --interleave ", "team_draft"),
        ("rankduel compare data.txt --clicks ", "navigational"),
        ("rankduel multileave data.txt --method ", "sosm"),
        ("rankduel study run ", "beyond-condorcet"),
        ("rankduel winners ", "thesis4"),
        ("rankduel report ", ""),
    ],
)
def test_completion_loads_nothing_heavy(typed, offered):
    words = {"_TYPER_COMPLETE_ARGS": typed, "_RANKDUEL_COMPLETE": "complete_zsh"}
    ending = "import atexit, sys; atexit.register(lambda: print(*sorted(sys.modules), file=sys.stderr))"
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            f"{ending}; sys.argv[0] = 'rankduel'; from rankduel.__main__ import main; main()",
        ],
        capture_output=True,
        text=True,
        env=os.environ | words,
    )
    assert offered in done.stdout
    assert {name.partition(".")[0] for name in done.stderr.split()} & HEAVY == set()


def test_importing_rankduel_loads_nothing_heavy():
    code = "import sys, rankduel; print(*sys.modules)"
    names = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert {name.partition(".")[0] for name in names.split()} & (HEAVY | {"typer", "rich"}) == set()


def test_a_policy_is_loaded_without_the_others():
    code = "import sys, rankduel; rankduel.policy('rucb'); print(*sys.modules)"
    names = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    loaded = {
        name
        for name in names.split()
        if name.startswith("rankduel.bandits.policies.") and name.count(".") > 3
    }
    assert loaded == {"rankduel.bandits.policies.condorcet.rucb"}


def test_lists_load_no_tables():
    found = after(["policies", "clickmodels", "interleavers", "multileavers", "measures", "matrices"])
    assert [code for code, _ in found] == [0] * 6
    assert all(loaded & {"pandas", "joblib", "altair", "pydantic"} == set() for _, loaded in found)


def help_of(words, option):
    command = get_command(app)
    for word in words.split():
        command = command.commands[word]
    return next(parameter.help for parameter in command.params if option in parameter.opts)


@pytest.mark.parametrize(
    ("words", "option", "text"),
    [
        ("run", "--regret", f": {', '.join(NOTIONS)}. "),
        ("run", "--preset", f": {', '.join(PRESETS)}."),
        ("data info", "--profile", f": {', '.join(PROFILES)}."),
        ("data synth", "--shape", f": {', '.join(SHAPES)}."),
        ("matrix build", "--prior", f": {', '.join(PRIORS)}."),
        ("matrix build", "--duels", f"({USUAL_TIMES} per query)"),
        ("matrix build", "--duels", f"({USUAL_MOST:,})"),
        ("matrix build", "--impressions", f"({USUAL_IMPRESSIONS:,})"),
        ("study run", "--tier", "; ".join(f"{name}: {about}" for name, about in TIERS.items())),
    ],
)
def test_help_lists_all_choices(words, option, text):
    assert text in help_of(words, option)


@pytest.mark.parametrize("given", [{}, {"OPENBLAS_NUM_THREADS": "3"}])
def test_blas_has_one_thread_unless_the_user_gives_another_number(given):
    ours = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    done = subprocess.run(
        [sys.executable, "-c", TYPED + "\nimport os; print(os.environ['OPENBLAS_NUM_THREADS'])"],
        input="--version",
        capture_output=True,
        text=True,
        check=True,
        env=ours | given,
    )
    assert done.stdout.split()[-1] == given.get("OPENBLAS_NUM_THREADS", "1")
