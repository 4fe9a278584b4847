"""Run the steps of one command set in one process, with the packages of one tree.

    python -c "$(cat steps.py)" TREE MODULE FUNCTION < steps.json

A step is a list whose first word names a function of STEPS. Outputs are written to the current folder. The
packages of the tree are called in two ways: by its console script, and by `start`, which steps a policy.
"""

import contextlib
import csv
import importlib
import json
import sys
from pathlib import Path

N_STEPS = 300


def rankduel(*arguments: str) -> None:
    """Call the console script's function with these arguments."""
    sys.argv = ["rankduel", *arguments]
    try:
        getattr(importlib.import_module(MODULE), FUNCTION)()
    except SystemExit as ended:
        if ended.code:
            raise RuntimeError(f"exit code {ended.code}: {sys.argv}") from None


def printed(path: str, *arguments: str) -> None:
    """Write the output of a command to a file."""
    with open(path, "w", encoding="utf-8") as file, contextlib.redirect_stdout(file):
        rankduel(*arguments)


def stepped(policy: str, path: str) -> None:
    """Step a policy by a fixed rule of outcomes; write its pairs and answers."""
    stepper = start_function()(policy, 7, seed=5, horizon=N_STEPS)
    seen = []
    for number in range(N_STEPS):
        first, second = stepper.select()
        seen.append([first, second, stepper.recommend()])
        stepper.update(first_won=(first < second) != (number % 5 == 0))
    Path(path).write_text(json.dumps({"seen": seen, "answers": stepper.answers()}))


def start_function():
    """Return `start` of the tree itself; another tree may be installed under the other package name."""
    if (TREE / "rankduel").is_dir():
        with contextlib.suppress(ImportError):
            from rankduel import start

            return start
    from bandits import start

    return start


def written(path: str, text: str) -> None:
    """Write an input file."""
    Path(path).write_text(text, encoding="utf-8")


def judged(pairs: str, path: str) -> None:
    """Fill in the winners of a judging session's pairs by a fixed rule, ties included."""
    with open(pairs, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row["winner"] = ("left", "tie", "right")[int(row["id"]) % 3]
        row["assessor"] = f"a{row['id']}"
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def files_of_other_trees() -> list[str]:
    """Return the loaded modules that are neither in the tree nor installed."""
    own = [TREE, Path(sys.prefix), Path(sys.base_prefix)]
    files = [Path(module.__file__) for module in sys.modules.values() if getattr(module, "__file__", None)]
    return [str(file) for file in files if not any(folder in file.parents for folder in own)]


STEPS = {function.__name__: function for function in (rankduel, printed, stepped, written, judged)}

if __name__ == "__main__":
    TREE, MODULE, FUNCTION = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    for name, *arguments in json.load(sys.stdin):
        STEPS[name](*arguments)
    if files_of_other_trees():
        sys.exit(f"not from {TREE}: {', '.join(files_of_other_trees()[:5])}")
