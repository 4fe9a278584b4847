"""Run a fixed set of commands with a commit and with the working tree, and compare their output files.

    python -m same_bytes REV

Exit code 0: every value is the same; 1: something differs or a command failed; 2: there is no such commit.
Outputs of the commit are kept in .same_bytes/ and used again.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from same_bytes.commands import DATA, Groups, Step, command_groups
from same_bytes.comparing import compare_folders
from same_bytes.trees import (
    CommandFailed,
    Tree,
    base_tree,
    commit_of,
    run_group,
    steps_digest,
    working_tree,
)

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / ".same_bytes"


def main() -> int:
    """Run both trees, print the differences, and return the exit code."""
    arguments = _arguments()
    commit = commit_of(ROOT, arguments.base)
    if not commit:
        print(f"there is no commit '{arguments.base}'; expected e.g. BASE=HEAD~1", file=sys.stderr)
        return 2
    started, base, new = time.perf_counter(), base_tree(ROOT, KEPT, commit), working_tree(ROOT, KEPT)
    try:
        groups = run_both(base, new, arguments.jobs)
    except CommandFailed as problem:
        print(problem, file=sys.stderr)
        return 1
    print(f"working tree against {commit} ({time.perf_counter() - started:.0f} s)")
    n_files = sum([compare_group(name, base, new) for name in groups])
    print(f"{n_files} files differ" if n_files else "all the same")
    return 1 if n_files else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="same_bytes", description="Did a change of the code change a number?"
    )
    parser.add_argument("base", metavar="REV", help="the commit to compare the working tree with")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes at a time (%(default)s)")
    return parser.parse_args()


def run_both(base: Tree, new: Tree, jobs: int) -> Groups:
    """Run every group with both trees, with the policies of the base."""
    data = command_groups([])[DATA]
    run_all([(base, DATA, data, ""), (new, DATA, data, "")], jobs)
    groups = command_groups(json.loads((base.outputs / DATA / "policies.json").read_text("utf-8")))
    before = steps_digest(data)
    others = {name: steps for name, steps in groups.items() if name != DATA}
    run_all([(tree, *one, before) for one in others.items() for tree in (base, new)], jobs)
    return groups


def run_all(arguments: Sequence[tuple[Tree, str, list[Step], str]], jobs: int) -> None:
    """Call `run_group` with each of these arguments, several at a time; stop at the first failure."""
    with ThreadPoolExecutor(jobs) as pool:
        running = {pool.submit(run_group, *each): each[:2] for each in arguments}
        for one in as_completed(running):
            if one.exception():
                pool.shutdown(cancel_futures=True)
            (tree, name), seconds = running[one], one.result()
            print(f"{tree.name}: {name}, " + (f"{seconds:.0f} s" if seconds else "kept"), flush=True)


def compare_group(name: str, base: Tree, new: Tree) -> int:
    """Print the number of compared values and the differences; return the number of different files."""
    found = compare_folders(base.outputs / name, new.outputs / name)
    verdict = f"{len(found.differences)} files differ" if found.differences else "the same"
    print(f"{name:14}{found.files:6,} files {found.values:10,} values {found.size:13,} bytes  {verdict}")
    for line in found.differences:
        print(f"    {name}/{line}")
    return len(found.differences)


if __name__ == "__main__":
    sys.exit(main())
