"""Recount the human judgments behind the best items of 50 questions (Yan 2022, chapter 5).

The public log has one judgment per line: question, two passages, the better passage. It begins with the run
of prefBest, in which the last judgment of each pair of finalists belongs to final I, and continues with
finals III and II.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np

from rankduel.bandits import Stepper, start
from rankduel.base.errors import DataError
from rankduel.base.streams import stream
from rankduel.base.text import read_text, shortened
from rankduel.experiments.studies.data.folder import find_file
from rankduel.experiments.studies.shared.papers import NONE, YAN_2022
from rankduel.experiments.studies.study import (
    Between,
    Check,
    Computed,
    Exact,
    Finding,
    Inputs,
    Measure,
    Report,
    Size,
    Study,
    Use,
)

LOG = ("judgments.txt",)
RUN, FINAL = 9713, 984  # numbers of judgments
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


def counted(
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


LARGE_QUESTION = "508292"  # section 5.2 describes its pool
SHARED = (("Set-I", "Set-II"), ("Combined-I+II", "Set-I"), ("Combined-I+II", "Set-II"))


def replay(inputs: Inputs) -> dict[str, float]:
    """Return the counts of the log; {} if there is no log.

    For each published list of best items that is found, also count the questions on which it agrees.
    """
    path = find_file(LOG, inputs.data)
    if path is None:
        return {}
    found, sets = counted(read_log(path))
    for name, best in sets.items():
        published = find_file((f"{name}.qrels",), inputs.data)
        if published is not None:
            there = read_qrels(published)
            found[f"{name} as published"] = sum(there.get(question) == best[question] for question in best)
    return found


def with_copy(prefs: np.ndarray) -> np.ndarray:
    """Return the matrix with a last item that has the same preferences as the first."""
    items = [*range(len(prefs)), 0]
    return prefs[np.ix_(items, items)]


def judged(prefs: np.ndarray, seed: int) -> Stepper:
    """Find the best five items with prefBest and simulated judgments."""
    policy = start("prefbest(k=5)", len(prefs), seed=seed)
    judges = stream(seed, "judges")
    while not policy.finished():
        pair = policy.select()
        policy.update(bool(judges.random() < prefs[pair]))
    return policy


def copies(inputs: Inputs) -> dict[str, list[float]]:
    """Return where the copy of the best item is.

    'copy in the final' is, for runs with one of the two in the last phase, whether both are in it. 'copy in
    the top five' is, for runs in which one of the two is a best item, whether the other is among the best
    five, as in section 5.2.
    """
    assert inputs.preferences is not None
    prefs = with_copy(inputs.preferences.matrix)
    both = [0, len(prefs) - 1]
    found: dict[str, list[float]] = {"copy in the final": [], "copy in the top five": []}
    for run in range(inputs.size.runs):
        policy = judged(prefs, run)
        scores = policy.scores()
        in_final = ~np.isnan(scores[both])
        if in_final.any():
            found["copy in the final"].append(float(in_final.all()))
        if (scores[both] == np.nanmax(scores)).any():
            found["copy in the top five"].append(float(set(both) <= set(policy.answers())))
    return found


KNOWN = {
    "questions": 50,
    "passages": 1570,
    "smallest pool": 5,
    "largest pool": 130,
    "median pool": 15,
    "judgments of final I": 984,
    "Set-I items": 75,
    "Set-II items": 75,
    "Combined-I+II items": 66,
    "Set-I and Set-II items": 25,
    "Set-I and Set-II questions": 22,
    "Combined-I+II and Set-I items": 44,
    "Combined-I+II and Set-I questions": 40,
    "Combined-I+II and Set-II items": 44,
    "Combined-I+II and Set-II questions": 39,
    # Both sets have questions with four best passages, different ones; the combined set has none.
    "Set-I ties of four": 1,
    "Set-II ties of four": 1,
    "Combined-I+II ties of four": 0,
    "question 508292: passages": 103,
    "question 508292: tied for first": 2,
    # From the released files; the thesis does not use final III.
    "Set-III items": 80,
    "Combined-I+II+III items": 55,
    "Set-I as published": 50,
    "Set-II as published": 50,
    "Set-III as published": 50,
    "Combined-I+II as published": 50,
    "Combined-I+II+III as published": 50,
}

STUDY = Study(
    id="human-log",
    title="Human judgments, recounted",
    source="Yan 2022 (thesis, University of Waterloo), chapter 5, and its public files",
    papers={"": YAN_2022, "Set-III": NONE, "Combined-I+II+III": NONE, "copies_in_the_final": NONE},
    question="Do the public judgments give the published best items?",
    data="judgments.txt and *.qrels of github.com/XinyiYan/duelingBandits, in the data folder; without them "
    "all claims about the log are skipped",
    parts=(
        Computed("replay", replay, cached=False),
        Computed("copies", copies, "case-a", sizes={"quick": Size(1, 300)}),
    ),
    checks=(
        *(
            Check(
                name.replace(": ", "_").replace(" ", "_"),
                f"{name}: {value}",
                Exact(Measure("replay", name, "value"), value),
                f"{value}",
            )
            for name, value in KNOWN.items()
        ),
        Check(
            "copies",
            "5.2: in pools of more than 9, 9 of 12 copies of a best passage are also among the best five",
            Between(Measure("copies", "copy in the top five", "value"), 0.5, 0.9),
            ".75 with human judgments (.47 to .91 with 95 % confidence); here with simulated judgments of "
            "100 items and a copy of the best",
        ),
        Check(
            "copies_in_the_final",
            "share of runs in which the copy of a finalist is a finalist, too",
            Report(Measure("copies", "copy in the final", "value")),
            "not in the thesis",
        ),
    ),
    minutes={"quick": 0.1},
    findings=(
        Finding(
            "**The human judgments can be recounted to the last item.** All {same.value:.0f} questions of "
            "the public log give the published best passages. Repeating the final round changes most of "
            "them: the two rounds share a best passage in only {shared.value:.0f} of {questions.value:.0f} "
            "questions.",
            {
                "same": Use("Combined-I+II_as_published"),
                "shared": Use("Set-I_and_Set-II_questions"),
                "questions": Use("questions"),
            },
        ),
    ),
)
