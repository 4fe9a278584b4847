"""Run the tests with some marks file by file, each file in a process of its own, and resume after a stop.

python tests/by_file.py NAME MARKS [VARIABLE=VALUE ...]

`MARKS` is an expression for pytest's -m, and the variables are set for the tests. Files that passed are
listed in .by_file/NAME until a file of the project changes, so that a second call runs only the files that
failed or did not run. The exit code is 0 if every file has passed.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
_NO_TESTS = 5  # pytest's exit code
_SLOWEST = 20
_LONGEST = ("test_calibration.py",)  # takes longer than other files, so it must not start last
# A line of pytest's durations: '12.34s call     tests/...::test_name'.
_DURATION = re.compile(r"^([\d.]+)s (call|setup)\s+(\S.*)$", re.MULTILINE)
_COUNTS = re.compile(r"(\d+) (passed|failed|skipped|error|errors)")


class Outcome(NamedTuple):
    """Result of the tests of one file."""

    file: str
    passed: bool
    counts: dict[str, int]  # 'passed' -> 12, ...
    seconds: float
    slowest: list[tuple[float, str]]
    output: str


def main(name: str, marks: str, *settings: str) -> int:
    """Run the missing files, print a line for each file and a summary, and return the exit code."""
    variables = dict(setting.split("=", 1) for setting in settings)
    folder = ROOT / ".by_file" / name
    folder.mkdir(parents=True, exist_ok=True)
    state = _state_of_tree(marks, settings)
    files = files_with(marks, variables)
    outcomes = {outcome.file: outcome for outcome in _read(folder, state)}
    todo = [file for file in files if file not in outcomes]
    print(f"{name}: {len(files)} files, {len(files) - len(todo)} passed before", flush=True)
    pool = ThreadPoolExecutor(os.cpu_count())
    running = [pool.submit(run_file, file, marks, variables) for file in todo]
    try:
        for count, finished in enumerate(as_completed(running), 1):
            outcome = finished.result()
            outcomes[outcome.file] = outcome
            _save(folder, state, outcome)
            print(f"[{count}/{len(todo)}] {_line(outcome)}", flush=True)
    except KeyboardInterrupt:
        pool.shutdown(cancel_futures=True)
        print(f"{name}: stopped; the same command goes on from here")
        return 130
    return _summary(name, [outcomes[file] for file in files])


def files_with(marks: str, variables: Mapping[str, str]) -> list[str]:
    """Return the files that have tests with these marks: the longest, then those with the most tests."""
    collected = _pytest(["--collect-only", "-q", "-m", marks], variables)
    if collected.returncode not in (0, _NO_TESTS):
        sys.exit(collected.stdout + collected.stderr)
    tests = [line.partition("::")[0] for line in collected.stdout.splitlines() if "::" in line]
    return sorted(set(tests), key=lambda file: (not file.endswith(_LONGEST), -tests.count(file), file))


def run_file(file: str, marks: str, variables: Mapping[str, str]) -> Outcome:
    """Run the tests of one file with these marks."""
    start = time.monotonic()
    ended = _pytest([file, "-q", "-m", marks, "-p", "no:cacheprovider", "--durations=5"], variables)
    counts = {word: int(number) for number, word in _COUNTS.findall(ended.stdout[-500:])}
    slowest = [(float(seconds), test) for seconds, _, test in _DURATION.findall(ended.stdout)]
    passed = ended.returncode == 0
    output = "" if passed else ended.stdout + ended.stderr
    return Outcome(file, passed, counts, time.monotonic() - start, slowest, output)


def _pytest(words: Sequence[str], variables: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", *words]
    environment = {**os.environ, **variables}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)


def _state_of_tree(marks: str, settings: Sequence[str]) -> str:
    """Return a digest of every file of the project, the marks and the settings."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True
    )
    digest = hashlib.sha256(repr((marks, sorted(settings), sys.version)).encode())
    for name in sorted(filter(None, listed.stdout.split(b"\0"))):
        path = ROOT / os.fsdecode(name)
        if path.is_file():
            digest.update(name + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _read(folder: Path, state: str) -> list[Outcome]:
    """Return the outcomes of files that passed with the tree in this state; remove all others."""
    found = []
    for path in folder.glob("*.json"):
        saved = json.loads(path.read_text())
        if saved.pop("state") == state and saved["passed"]:
            found.append(Outcome(**saved))
        else:
            path.unlink()
    return found


def _save(folder: Path, state: str, outcome: Outcome) -> None:
    path = folder / (outcome.file.replace("/", ".") + ".json")
    temporary = path.with_suffix(".tmp")
    temporary.write_text(json.dumps({"state": state, **outcome._asdict()}))
    temporary.replace(path)


def _line(outcome: Outcome) -> str:
    verdict = "passed" if outcome.passed else "FAILED"
    counts = ", ".join(f"{number} {word}" for word, number in outcome.counts.items())
    return f"{verdict} {outcome.file}: {counts} in {outcome.seconds:.0f} s"


def _summary(name: str, outcomes: Sequence[Outcome]) -> int:
    slowest = sorted((row for outcome in outcomes for row in outcome.slowest), reverse=True)[:_SLOWEST]
    print(f"\nslowest {len(slowest)} tests of {name}:")
    for seconds, test in map(tuple, slowest):
        print(f"{seconds:8.1f} s  {test}")
    failed = [outcome for outcome in outcomes if not outcome.passed]
    for outcome in failed:
        print(f"\n=== {outcome.file}\n{outcome.output}")
    totals = {word: sum(o.counts.get(word, 0) for o in outcomes) for word in ("passed", "failed", "skipped")}
    totals["failed"] += sum(o.counts.get("error", 0) + o.counts.get("errors", 0) for o in outcomes)
    broken = sum(
        not (o.counts.get("failed") or o.counts.get("error") or o.counts.get("errors")) for o in failed
    )
    minutes = sum(outcome.seconds for outcome in outcomes) / 60
    print(f"\n{name}: {len(outcomes)} files, {minutes:.0f} minutes of processes, {len(failed)} files failed")
    print(f"{totals['passed']} passed, {totals['failed'] + broken} failed, {totals['skipped']} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
