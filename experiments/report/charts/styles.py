"""The line style of a policy: label, colour and dash, the same in every chart, report and figure.

The colour depends on the name of the policy. Ten well-known policies have a colour each. Another policy has
the colour that a checksum of its name selects, or the next free colour if that one is taken. The first seven
colours follow Okabe and Ito and can be told apart with colour blindness. From the eleventh policy on, lines
are dashed and the colours repeat.

`DARK` maps every colour of a chart to its counterpart on dark pages.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from rankduel.experiments.report.names import policy_names

LOWER_BOUND = "C* ln t"
INK, PALE, GRID, PAPER = "#222222", "#767676", "#e8e8e8", "#ffffff"
# From 'row loses' through white (an even pair) to 'row wins'; blue and orange suit colour-blind readers.
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
_WELL_KNOWN = (
    "rucb", "merge_dts", "dts", "merge_rucb", "self_sparring", "rmed1", "rcs", "savage", "rex3",
    "beat_the_mean",
)  # fmt: skip
_DASHES = ((), (7, 3), (2, 2), (8, 3, 2, 3))


class LineStyle(NamedTuple):
    """How a policy is labelled and drawn."""

    label: str
    colour: str
    dash: tuple[int, ...]  # lengths of dashes and gaps; empty for a solid line


def line_styles(policies: Iterable[str], labels: Mapping[str, str] | None = None) -> dict[str, LineStyle]:
    """Return a line style for each policy, in the given order; the lower bound is grey and dotted.

    `labels` replace the names of policies.
    """
    ordered = list(dict.fromkeys(policies))
    names = policy_names(ordered) | dict(labels or {})
    slots = _slots([policy for policy in ordered if policy != LOWER_BOUND])
    found = {
        policy: LineStyle(
            names[policy], COLOURS[slot % len(COLOURS)], _DASHES[slot // len(COLOURS) % len(_DASHES)]
        )
        for policy, slot in slots.items()
    }
    bound = LineStyle(LOWER_BOUND, PALE, (1, 3))
    return {policy: found.get(policy, bound) for policy in ordered}


def _slots(policies: list[str]) -> dict[str, int]:
    """Return a distinct number for each policy, which encodes a colour and a dash.

    Of policies that differ in their settings only, the one with the shortest text has the colour of the name.
    """
    slots: dict[str, int] = {}
    for policy in _by_priority(policies):
        first = len(slots) // len(COLOURS) * len(COLOURS)
        preferred = _preferred_colour(_bare(policy))
        candidates = (first + (preferred + step) % len(COLOURS) for step in range(len(COLOURS)))
        slots[policy] = next(slot for slot in candidates if slot not in slots.values())
    return slots


def _by_priority(policies: list[str]) -> list[str]:
    """Return the policies in the order in which colours are assigned, which ignores the order given."""
    by_length = sorted(policies, key=lambda policy: (len(policy), policy))
    firsts = {_bare(policy): policy for policy in reversed(by_length)}
    return sorted(
        by_length,
        key=lambda policy: (firsts[_bare(policy)] != policy, _bare(policy) not in _WELL_KNOWN),
    )


def _bare(policy: str) -> str:
    return policy.partition("(")[0]


def _preferred_colour(name: str) -> int:
    if name in _WELL_KNOWN:
        return _WELL_KNOWN.index(name)
    return zlib.crc32(name.encode("utf-8", "surrogatepass")) % len(COLOURS)
