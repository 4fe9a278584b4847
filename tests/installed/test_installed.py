"""Test the wheel as a user installs it: in an environment of its own, in another folder than the checkout."""

import json
import subprocess
import sys
import tarfile
import zipfile

import pytest
from installed.conftest import ROOT, VERSIONS
from installed.requirements import requirements
from support import cluster_commands
from support.shown import blocks_of, run_block
from typer.main import get_command

from rankduel.cli import app

pytestmark = pytest.mark.installed

FOLDERS = ("letor_data", "clickmodels", "interleave", "bandits", "experiments")
DATA = "".join(f"{row % 3} qid:{row // 4} 1:{row % 5} 2:{row % 4} 3:{row * 7 % 11}\n" for row in range(80))
DUELS = "--interleave team_draft --length 3"
# Every command once; each may use the files of those above it.
COMMANDS = """
data info data.txt
data convert data.txt -o data.parquet
data synth --shape small --queries 20 -o small.txt
matrix build data.txt -o m.prefs.parquet {DUELS}
matrix show m.prefs.parquet -o m.svg
winners m.prefs.parquet
evaluate data.txt
run data.txt --live --matrix m.prefs.parquet -p rucb -p rcs --horizon 1e4 --runs 2 -o results {DUELS}
run arxiv6 -p merge_dts --horizon 1e4 --runs 2 -o results
compare data.txt -p rucb --horizon 2e3 --runs 3 -o results {DUELS}
multileave data.txt -m sosm -m probabilistic --impressions 500 --runs 2 -o results --length 3
report results -o report.html
policies
interleavers
multileavers
clickmodels
measures
matrices
study list
study show cycles
study run study.toml -o studied
study check study.toml -o studied
study page studied -o page.md
judge start pool.txt topic
judge ask topic
judge next topic -o pairs.csv
judge add topic answered.csv
judge show topic
run arxiv6 -p rucb --horizon 1e4 --runs 2 --scheduler local:2 -o on-workers
demo --horizon 1e4
cache
"""
TYPED = [line.format(DUELS=DUELS) for line in COMMANDS.split("\n") if line]

USER_SCRIPT = """
import rankduel

data: rankduel.Letor = rankduel.read_data("data.txt")
arena = rankduel.open_arena(data, interleave="team_draft", clicks="navigational")
odds = rankduel.duel_odds(arena, "1", "2")
page = rankduel.interleaved_page(["a", "b"], ["b", "a"], seed=1)
lead: float = page.credit([1, 0]).lead
stepper = rankduel.start("rucb", 5, seed=1)
first, second = stepper.select()
stepper.update(first_won=first < second)
best: int = stepper.recommend()
"""
WRONG_SCRIPTS = {
    "outcome": 'import rankduel\nrankduel.start("rucb", 5).update("yes")\n',
    "argument": 'import rankduel\nrankduel.run("arxiv6", ["rucb"], horizon="many")\n',
    "subpackage": 'from rankduel.bandits.stepper import start\nstart(5, "rucb")\n',
}


@pytest.fixture(scope="module")
def folder(installed):
    """Return the working directory, with the input files of the commands."""
    work = installed.folder
    (work / "data.txt").write_text(DATA)
    (work / "study.toml").write_text(cluster_commands.STUDY)
    (work / "pool.txt").write_text("one\ntwo\nthree\nfour\n")
    return work


def tracked():
    """Return the names in an installation of the files of the packages that git tracks."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "rankduel", *FOLDERS], cwd=ROOT, capture_output=True, text=True, check=True
    )
    names = set(filter(None, listed.stdout.split("\0"))) - {f"rankduel/{folder}" for folder in FOLDERS}
    return {name if name.startswith("rankduel/") else f"rankduel/{name}" for name in names}


def test_the_wheel_contains_every_file_of_the_package(archives):
    inside = set(zipfile.ZipFile(archives[1]).namelist())
    assert {name for name in inside if ".dist-info/" not in name} == tracked()


def test_the_sdist_contains_every_file_of_the_package(archives):
    with tarfile.open(archives[0]) as archive:
        members = {member.name.partition("/")[2]: member for member in archive.getmembers()}
    assert {name for name, m in members.items() if name.startswith("rankduel/") and m.isfile()} == tracked()
    assert not [name for name, member in members.items() if member.issym() or member.islnk()]
    assert {"README.md", "LICENSE", "setup.cfg", "pyproject.toml"} <= set(members)


def test_only_the_lowest_versions_are_installed(installed):
    """Without this, the job with the oldest versions could test others."""
    if VERSIONS != "oldest":
        pytest.skip("for RANKDUEL_VERSIONS=oldest")
    found = json.loads(installed.run("python", "-m", "pip", "list", "--format", "json"))
    versions = {row["name"].lower().replace("_", "-"): row["version"] for row in found}
    for requirement in requirements("dask"):
        name, _, lowest = requirement.partition(";")[0].partition(">=")
        if ";" not in requirement:
            lowest = lowest.partition(",")[0]
            assert versions[name.lower()].startswith(lowest), requirement


def commands(command, words=()):
    """Yield the words of every command."""
    inner = getattr(command, "commands", {})
    if not inner:
        yield [*words]
    for name, one in inner.items():
        yield from commands(one, (*words, name))


def test_every_command_is_typed():
    """A new command needs a line in COMMANDS."""

    typed = [line.split() for line in TYPED]
    for words in commands(get_command(app)):
        assert any(line[: len(words)] == words for line in typed), words


@pytest.mark.parametrize("line", TYPED)
def test_every_command_runs(line, installed, folder):
    if line.startswith("judge add"):
        rows = (folder / "pairs.csv").read_text().splitlines()
        place = rows[0].split(",").index("winner")
        cells = [row.split(",") for row in rows]
        for row in cells[1:]:
            row[place] = "left"
        (folder / "answered.csv").write_text("".join(",".join(row) + "\n" for row in cells))
    installed.run("rankduel", *line.split())


def test_the_files_that_commands_say_they_wrote_are_there(folder):
    for name in ("m.svg", "report.html", "page.md", "demo/report.html", "data.parquet"):
        assert (folder / name).stat().st_size > 500, name


def test_what_the_readme_shows_happens(installed, tmp_path):
    for block in blocks_of(ROOT / "README.md"):
        if block.mark != "slow":
            run_block(block, tmp_path, installed.python)


@pytest.mark.parametrize("other", [*FOLDERS, "tests", "naive"])
def test_a_folder_of_the_user_hides_nothing(other, installed, folder):
    """`python -c` and notebooks import from the working folder first."""
    (folder / other).mkdir(exist_ok=True)
    (folder / other / "__init__.py").write_text("raise ImportError('this is the folder of the user')\n")
    source = "; ".join(
        (
            "import rankduel",
            "rankduel.run('arxiv6', ['rucb'], horizon=100, runs=1)",
            "arena = rankduel.open_arena(rankduel.read_data('data.txt'), length=3)",
            "rankduel.run(arena, ['rucb'], horizon=100, runs=1)",
        )
    )
    installed.run("python", "-c", source)
    installed.run("python", "-m", "rankduel", "report", "results", "-o", f"beside-{other}.html")


def mypy(installed, path):
    command = [sys.executable, "-m", "mypy", "--strict", "--python-executable", str(installed.python), path]
    where = {"cwd": path.parent, "env": installed.environment()}
    done = subprocess.run(command, capture_output=True, text=True, **where)
    return done.returncode, done.stdout


def test_a_script_of_a_user_passes_strict_type_checks(installed, tmp_path):
    (tmp_path / "mine.py").write_text(USER_SCRIPT)
    assert mypy(installed, tmp_path / "mine.py") == (0, "Success: no issues found in 1 source file\n")


@pytest.mark.parametrize("wrong", WRONG_SCRIPTS)
def test_a_wrong_script_fails_type_checks(wrong, installed, tmp_path):
    (tmp_path / "mine.py").write_text(WRONG_SCRIPTS[wrong])
    code, printed = mypy(installed, tmp_path / "mine.py")
    assert code == 1 and "[arg-type]" in printed, printed
