"""The look of a policy: its name, its colour and its dash, alike in every chart, report and figure.

A policy has a colour by its name, whatever else is drawn. Ten well-known policies have one each. Another
policy has the colour that a checksum of its name picks, or the next free one if that is taken. The first
seven colours follow Okabe and Ito: colour-blind readers tell them apart. From the eleventh policy on, lines
are dashed and the colours begin anew.

Every colour has a twin for dark pages; `DARK` maps all colours of charts to these.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from experiments.report.names import policy_names

LOWER_BOUND = "C* ln t"
INK, PALE, GRID, PAPER = "#222222", "#767676", "#e8e8e8", "#ffffff"
# From white, where a pair is even; blue and orange are told apart by nearly everybody.
ODDS = ("#8f3b00", "#e8a15c", PAPER, "#6aaed6", "#08457e")
COLOURS = (
    "#0072b2", "#d55e00", "#009e73", "#a8328a", "#8a6d00", "#4b2a9e", INK, "#c2183c", "#5a9600", "#8a3b12",
)  # fmt: skip
_DARK_COLOURS = (
    "#56b4e9", "#ff8c42", "#2fd6a2", "#f07ac8", "#f0c419", "#8f7bff", "#e8e8e8", "#ff5d73", "#9be03c",
    "#c99a6b",
)  # fmt: skip
DARK_PAPER = "#16181d"
DARK = {
    **dict(zip(COLOURS, _DARK_COLOURS)),
    PALE: "#9aa0a8",
    GRID: "#30343b",
    **dict(zip(ODDS, ("#ffab5e", "#9c5a1c", DARK_PAPER, "#2d6a96", "#7cc4f5"))),
}
_FAMILIAR = (
    "rucb", "merge_dts", "dts", "merge_rucb", "self_sparring", "rmed1", "rcs", "savage", "rex3",
    "beat_the_mean",
)  # fmt: skip
_DASHES = ((), (7, 3), (2, 2), (8, 3, 2, 3))


class Look(NamedTuple):
    label: str  # what readers see
    colour: str
    dash: tuple[int, ...]  # nothing: a solid line


def looks(policies: Iterable[str], labels: Mapping[str, str] | None = None) -> dict[str, Look]:
    """Return a look for each policy, in this order; the lower bound is grey and dotted.

    `labels` replace the names of policies.
    """
    shown = list(dict.fromkeys(policies))
    names = policy_names(shown) | dict(labels or {})
    slots = _slots([policy for policy in shown if policy != LOWER_BOUND])
    found = {
        policy: Look(
            names[policy], COLOURS[slot % len(COLOURS)], _DASHES[slot // len(COLOURS) % len(_DASHES)]
        )
        for policy, slot in slots.items()
    }
    bound = Look(LOWER_BOUND, PALE, (1, 3))
    return {policy: found.get(policy, bound) for policy in shown}


def _slots(policies: list[str]) -> dict[str, int]:
    """Return a number of its own for each policy: a colour, and beyond the colours a dash.

    Of policies that differ in settings alone, the one with the shortest text has the colour of the name.
    """
    slots: dict[str, int] = {}
    for policy in _by_claim(policies):
        first = len(slots) // len(COLOURS) * len(COLOURS)
        wanted = _wanted(_bare(policy))
        turns = (first + (wanted + step) % len(COLOURS) for step in range(len(COLOURS)))
        slots[policy] = next(slot for slot in turns if slot not in slots.values())
    return slots


def _by_claim(policies: list[str]) -> list[str]:
    """Return the policies in the order in which they choose a colour, which does not depend on theirs."""
    by_length = sorted(policies, key=lambda policy: (len(policy), policy))
    firsts = {_bare(policy): policy for policy in reversed(by_length)}
    return sorted(
        by_length,
        key=lambda policy: (firsts[_bare(policy)] != policy, _bare(policy) not in _FAMILIAR),
    )


def _bare(policy: str) -> str:
    return policy.partition("(")[0]


def _wanted(name: str) -> int:
    if name in _FAMILIAR:
        return _FAMILIAR.index(name)
    return zlib.crc32(name.encode("utf-8", "surrogatepass")) % len(COLOURS)
