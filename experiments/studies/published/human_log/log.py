"""Read the public log of judgments and count what is in it.

The log has one judgment per line: question, two passages, the better passage. It begins with the run of
prefBest, in which the last judgment of each pair of finalists belongs to final I, and continues with finals
III and II.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from rankduel.base.errors import DataError
from rankduel.base.text import read_text, shortened
from rankduel.experiments.studies.data.folder import find_file
from rankduel.experiments.studies.study import Inputs

LOG = ("judgments.txt",)
RUN, FINAL = 9713, 984  # numbers of judgments
LARGE_QUESTION = "508292"  # section 5.2 describes its pool
SHARED = (("Set-I", "Set-II"), ("Combined-I+II", "Set-I"), ("Combined-I+II", "Set-II"))
_MOST_BYTES = 1 << 24


class Judgment(NamedTuple):
    question: str
    one: str
    other: str
    better: str

    @property
    def pair(self) -> tuple[str, frozenset[str]]:
        return self.question, frozenset((self.one, self.other))


Best = Mapping[str, frozenset[str]]  # by question


def read_log(path: Path) -> list[Judgment]:
    """Read the public log; raise an error if it is incomplete."""
    log = []
    for number, line in enumerate(read_text(path, DataError, _MOST_BYTES).splitlines(), 1):
        words = line.split()
        if len(words) != 4 or words[3] not in words[1:3]:
            raise _wrong(path, number, line, "question one other better")
        log.append(Judgment(*words))
    if len(log) != RUN + 2 * FINAL:
        raise DataError(
            f"{path}: found {len(log):,} judgments; expected the {RUN + 2 * FINAL:,} of "
            "github.com/XinyiYan/duelingBandits; download that file, or remove this one from the data folder"
        )
    return log


def _wrong(path: Path, line: int, found: str, expected: str) -> DataError:
    return DataError(f"{path}, line {line}: expected '{expected}', found '{shortened(found)}'")


def finals(log: Sequence[Judgment], run: int, final: int) -> dict[str, list[Judgment]]:
    """Return the judgments of finals I, II and III; `run` and `final` are numbers of judgments."""
    third = list(log[run : run + final])
    second = list(log[run + final : run + 2 * final])
    finalists = {judgment.pair for judgment in third}
    first = {judgment.pair: judgment for judgment in log[:run] if judgment.pair in finalists}
    return {"I": list(first.values()), "II": second, "III": third}


def best_items(judgments: Iterable[Judgment]) -> Best:
    """Return the items with most wins by question."""
    wins: dict[str, Counter[str]] = defaultdict(Counter)
    for judgment in judgments:
        wins[judgment.question][judgment.better] += 1
    return {
        question: frozenset(item for item, n in won.items() if n == max(won.values()))
        for question, won in wins.items()
    }


def read_qrels(path: Path) -> Best:
    """Read lines 'question Q0 passage 1'; return the passages by question."""
    found: dict[str, set[str]] = defaultdict(set)
    for number, line in enumerate(read_text(path, DataError, _MOST_BYTES).splitlines(), 1):
        words = line.split()
        if len(words) != 4:
            raise _wrong(path, number, line, "question Q0 passage 1")
        found[words[0]].add(words[2])
    return {question: frozenset(items) for question, items in found.items()}


def count_judgments(
    log: Sequence[Judgment], run: int = RUN, final: int = FINAL
) -> tuple[dict[str, float], Mapping[str, Best]]:
    """Return named counts of the log, and the sets of best items by the names of the published files."""
    pools: dict[str, set[str]] = defaultdict(set)
    for judgment in log[:run]:
        pools[judgment.question] |= {judgment.one, judgment.other}
    sizes = [len(pool) for pool in pools.values()]
    held = finals(log, run, final)
    sets = {f"Set-{name}": best_items(judgments) for name, judgments in held.items()}
    sets["Combined-I+II"] = best_items([*held["I"], *held["II"]])
    sets["Combined-I+II+III"] = best_items([*held["I"], *held["II"], *held["III"]])
    found: dict[str, float] = {
        "questions": len(pools),
        "passages": sum(sizes),
        "smallest pool": min(sizes),
        "largest pool": max(sizes),
        "median pool": median(sizes),
        "judgments of final I": len(held["I"]),
    }
    found |= {f"{name} items": sum(map(len, best.values())) for name, best in sets.items()}
    found |= {
        f"{name} ties of four": sum(len(items) == 4 for items in best.values()) for name, best in sets.items()
    }
    if LARGE_QUESTION in pools:
        found["question 508292: passages"] = len(pools[LARGE_QUESTION])
        found["question 508292: tied for first"] = len(sets["Set-I"][LARGE_QUESTION])
    for one, other in SHARED:
        common = [best & sets[other].get(question, frozenset()) for question, best in sets[one].items()]
        found[f"{one} and {other} items"] = sum(map(len, common))
        found[f"{one} and {other} questions"] = sum(map(bool, common))
    return found, sets


def counts_of_log(inputs: Inputs) -> dict[str, float]:
    """Return the counts of the log; {} if there is no log.

    For each published list of best items that is found, also count the questions on which it agrees.
    """
    path = find_file(LOG, inputs.data)
    if path is None:
        return {}
    found, sets = count_judgments(read_log(path))
    for name, best in sets.items():
        published = find_file((f"{name}.qrels",), inputs.data)
        if published is not None:
            there = read_qrels(published)
            found[f"{name} as published"] = sum(there.get(question) == best[question] for question in best)
    return found
