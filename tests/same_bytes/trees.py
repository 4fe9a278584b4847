"""Check out the two trees to compare, and run their commands; a run that fails leaves no result."""

from __future__ import annotations

import configparser
import hashlib
import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

STEPS = Path(__file__).with_name("steps.py")
# Libraries that results depend on: outputs of other versions are not used again.
_LIBRARIES = ("numba", "numpy", "pandas", "pyarrow", "scipy")


class Tree(NamedTuple):
    name: str
    source: Path
    outputs: Path
    numba_cache: Path | None  # None: in the tree itself


class CommandFailed(Exception):
    """A command ended with an error; the message contains its output."""


def commit_of(root: Path, revision: str) -> str:
    """Return the full hash of a revision; '' if there is none of that name."""
    command = ["git", "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"]
    return subprocess.run(command, cwd=root, stdout=subprocess.PIPE, text=True).stdout.strip()


def base_tree(root: Path, storage: Path, commit: str) -> Tree:
    """Check out a commit unless it exists already; keep its outputs and compiled code."""
    source = storage / commit / "tree"
    if not source.exists():
        partial = storage / commit / "partial"
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        archive = subprocess.run(["git", "archive", commit], cwd=root, stdout=subprocess.PIPE, check=True)
        subprocess.run(["tar", "-x", "-C", str(partial)], input=archive.stdout, check=True)
        partial.rename(source)
    return Tree("base", source, storage / commit / "outputs", None)


def working_tree(root: Path, storage: Path) -> Tree:
    """Remove earlier outputs and compiled code, since Numba's cache does not detect edits in other files."""
    folder = storage / "working"
    shutil.rmtree(folder, ignore_errors=True)
    return Tree("working tree", root, folder / "outputs", folder / "numba")


def run_group(tree: Tree, name: str, steps: Sequence[Sequence[str]], before: str = "") -> float:
    """Run the steps of a group in a folder of their own, unless that was done; return the seconds it took.

    `before` identifies the steps that wrote the input files of these steps.
    """
    folder, done = tree.outputs / name, tree.outputs / f"{name}.done"
    digest = steps_digest(steps, before)
    if done.exists() and done.read_text() == digest:
        return 0.0
    started = time.perf_counter()
    done.unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    command = [sys.executable, "-c", STEPS.read_text("utf-8"), str(tree.source), *_entry_point(tree.source)]
    text, kinds = json.dumps(steps), {"text": True, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    ended = subprocess.run(command, input=text, cwd=folder, env=_environment(tree), **kinds)
    if ended.returncode:
        raise CommandFailed(f"{name} failed in the {tree.name} ({tree.source}):\n{ended.stdout[-3000:]}")
    done.write_text(digest)
    return time.perf_counter() - started


def steps_digest(steps: Sequence[Sequence[str]], before: str = "") -> str:
    """Return a digest of everything that the outputs of a commit depend on."""
    versions = [sys.version, *map(importlib.metadata.version, _LIBRARIES)]
    text = json.dumps([before, steps, versions, STEPS.read_text("utf-8")])
    return hashlib.sha256(text.encode()).hexdigest()


def _entry_point(source: Path) -> list[str]:
    """Return module and function of the console script, as the tree's setup.cfg declares it."""
    settings = configparser.ConfigParser(interpolation=None)
    settings.read(source / "setup.cfg", encoding="utf-8")
    scripts = settings["options.entry_points"]["console_scripts"].split("\n")
    declared = dict(line.replace(" ", "").split("=") for line in scripts if "=" in line)
    return declared["rankduel"].split(":")


def _environment(tree: Tree) -> dict[str, str]:
    """Return the environment without variables that change results or the place of compiled code."""
    others = {name: text for name, text in os.environ.items() if not name.startswith(("NUMBA_", "RANKDUEL_"))}
    cache = {"NUMBA_CACHE_DIR": str(tree.numba_cache)} if tree.numba_cache else {}
    return others | cache | {"PYTHONPATH": str(tree.source)}
