"""Read damaged files of some kinds, and print the number of each outcome as JSON.

python -m support.damaged_files FOLDER CASES KIND ...

FOLDER/case.txt contains the name of the current case, for the message if the process is killed.
"""

import contextlib
import faulthandler
import json
import os
import random
import sys
import warnings
from collections import Counter
from pathlib import Path

from rankduel.base.errors import RankduelError
from support.damage import damaged
from support.kinds_of_files import KINDS, Recomputed

MEMORY = 6 << 30  # bytes of address space
LONGEST = 100  # seconds that a case may take on a busy machine
REFUSED, WHOLE, ANOTHER = "refused", "whole", "another"


def main(folder, n_cases, names):
    import resource  # not available on Windows, where tests import this module too

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    warnings.simplefilter("ignore")
    os.fsync = lambda file: None  # not needed for temporary files
    outcomes = {name: count_outcomes(KINDS[name], Path(folder), n_cases) for name in names}
    print(json.dumps(outcomes))


def count_outcomes(kind, folder, n_cases):
    """Return the number of each outcome; an unexpected outcome is listed with its case."""
    place = folder / kind.name.replace(" ", "_")
    place.mkdir()
    kind.write(place)
    whole = {path: path.read_bytes() for path in sorted(place.glob(kind.damaged)) if path.is_file()}
    expected = kind.read(place)
    assert whole and kind.read(place) == expected != "", kind.name
    counts = Counter({REFUSED: 0, WHOLE: 0, ANOTHER: 0})
    with open(folder / "case.txt", "w") as case_file:
        for case in range(n_cases):
            os.pwrite(case_file.fileno(), f"{kind.name}, case {case:9d}".encode(), 0)
            faulthandler.dump_traceback_later(LONGEST, exit=True)
            counts[outcome(kind, place, whole, expected, case)] += 1
            faulthandler.cancel_dump_traceback_later()
    return counts


def outcome(kind, place, whole, expected, case):
    """Damage one of the files, read the folder, restore the file, and return the outcome."""
    rng = random.Random(f"{kind.name}, {case}")
    path = rng.choice(list(whole))
    path.write_bytes(damaged(whole[path], rng))
    if kind.forge is not None:
        with contextlib.suppress(
            ValueError, RecursionError, TypeError, AttributeError
        ):  # no longer an object
            kind.forge(path)
    try:
        found = kind.read(place)
    except RankduelError as refused:
        return named(kind, place, whole, str(refused), case)
    except Exception as problem:
        return f"case {case}: {type(problem).__name__}: {str(problem)[:300]}"
    finally:
        for file in whole if kind.forge is not None else [path]:
            file.write_bytes(whole[file])
    if isinstance(found, Recomputed):
        return named(kind, place, whole, found.notice, case)
    if found == expected:
        return WHOLE
    return ANOTHER if kind.unnoticed else f"case {case}: read as something else"


def named(kind, place, whole, message, case):
    """Return REFUSED if a message names a file, otherwise a description of the case."""
    files = [place] if kind.by_folder else list(whole)
    return (
        REFUSED
        if any(str(file) in message for file in files)
        else f"case {case}: no file in: {message[:300]}"
    )


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
