"""The ranked lists of the batched study: their sizes, winners, leads and cycles, against known values."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import NamedTuple

import numpy as np

from rankduel.bandits import condorcet_winner
from rankduel.experiments.studies.data.problems import ballots_of
from rankduel.experiments.studies.data.public import LEADS, PUBLIC
from rankduel.experiments.studies.study import Check, Computed, Exact, Inputs, Measure
from rankduel.experiments.winners.notions import copeland_scores
from rankduel.experiments.winners.transitivity import count_cycles


class Fact(NamedTuple):
    """Properties of ranked lists and their matrix, from an independent program; see also data.LEADS."""

    problem: str
    title: str
    digits: int  # decimals of the leads
    winner: tuple[str, ...]  # words or numbers of which the winner's name contains one
    lists: int
    items: int
    more: Mapping[str, tuple[str, float]] = {}  # other keys of `facts_of` -> (claim, value)
    scores: tuple[int, ...] = ()  # Copeland scores, largest first
    left_out: tuple[str, ...] = ()  # words of the names of items that are left out


FACTS = (
    Fact(
        "sushi16",
        "16 kinds of sushi",
        3,
        ("toro", "8"),
        5000,
        100,
        {
            # One pair ties, so C(16, 3) minus the sum of C(score, 2), which is 11, does not count cycles.
            "cycles": ("one cycle of three", 1),
            "fewest kept": ("the selected items are compared 9,693 times or more", 9693),
            "most not kept": ("the other items are compared 9,144 times or less", 9144),
        },
        scores=(15, 14, 13, 12, 10, 9, 9, 9, 7, 6, 5, 4, 3, 2, 1, 0),
    ),
    Fact("meath14", "Meath, all", 4, ("Dempsey",), 64_081, 14, {"cycles": ("one cycle of three", 1)}),
    Fact("meath12", "Meath", 4, ("Dempsey",), 64_081, 14, left_out=("Colwell", "Redmond")),
    Fact("dublin9", "Dublin West, all", 4, ("Lenihan",), 29_988, 9, {"cycles": ("no cycle of three", 0)}),
    Fact("dublin8", "Dublin West", 4, ("Lenihan",), 29_988, 9, left_out=("Smyth",)),
    Fact(
        "dublin-north12", "Dublin North", 4, ("Kennedy",), 43_942, 12, {"cycles": ("one cycle of three", 1)}
    ),
)
_LEADS = ("smallest lead", "median lead", "largest lead")


def facts_of(inputs: Inputs, fact: Fact) -> dict[str, float]:
    """Return properties of the matrix and, if it was read from ranked lists, of the lists."""
    assert inputs.preferences is not None
    matrix, names = inputs.preferences.matrix, inputs.preferences.names
    winner = condorcet_winner(matrix)
    leads = np.delete(matrix[winner], winner) - 0.5
    found: dict[str, float] = dict(zip(_LEADS, (leads.min(), np.median(leads), leads.max())))
    found["cycles"] = count_cycles(matrix)
    if fact.scores:
        scores = np.sort(copeland_scores(matrix))[::-1]
        found["other scores"] = float((scores != fact.scores).sum())
    ballots, items = ballots_of(fact.problem, inputs.data), PUBLIC[fact.problem].items
    if ballots is None or items is None:
        return found
    counts = items.by(ballots)
    selected = items.select(ballots)
    return found | {
        "lists": ballots.counts.sum(),
        "items": len(ballots.names),
        "fewest kept": counts[selected].min(),
        "most not kept": np.delete(counts, selected).max(initial=0),
        "winner as known": _has_word(names[winner], fact.winner),
        "to be left out": sum(_has_word(name, fact.left_out) for name in names),
    }


def _has_word(name: str, words: tuple[str, ...]) -> bool:
    return any(word in name.split() for word in words)


def _checks(fact: Fact) -> Iterator[Check]:
    known = {
        "lists": (f"{fact.lists:,} lists", fact.lists),
        "items": (f"{fact.items} items", fact.items),
        "winner as known": (f"{fact.winner[0]} beats all others", 1),
        **fact.more,
    }
    if fact.scores:
        known["other scores"] = (f"the items beat {', '.join(map(str, fact.scores))} other items", 0)
    if fact.left_out:
        known["to be left out"] = (f"ranked by the fewest voters, so left out: {', '.join(fact.left_out)}", 0)
    for name, lead in zip(_LEADS, LEADS[fact.problem]):
        yield _fact_check(fact, name, f"the winner's {name} is {lead}", lead, 0.5 * 10.0**-fact.digits + 1e-9)
    for name, (claim, value) in known.items():
        yield _fact_check(fact, name, claim, value)


def _fact_check(fact: Fact, name: str, claim: str, expected: float, tolerance: float = 0.0) -> Check:
    test = Exact(Measure(fact.problem, name, "value"), expected, tolerance)
    return Check(f"data.{fact.problem}.{name.replace(' ', '_')}", f"{fact.title}: {claim}", test, real=True)


PARTS = tuple(Computed(fact.problem, partial(facts_of, fact=fact), fact.problem) for fact in FACTS)
CHECKS = tuple(check for fact in FACTS for check in _checks(fact))
