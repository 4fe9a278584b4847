"""What a multi-dueling policy is: like bandits/policy.py, but for the arms of a step, which may be many.

    init(n_arms, params, rng) -> state
    select(state, params, arms, copies, rng) -> n     the arms to compare: arms[:n], all different, and how
                                                      often each stands in the set; one arm is shown alone
    update(state, arms, n, won)                       won[x, y] of the duels of arms[x] and arms[y] went to x
    recommend(state) -> arm
    idle(state, params, limit, alone, rng) -> n       up to `limit` coming steps with one arm alone, nothing
                                                      learned, are added to alone[arm]; optional

A step is one page, however many arms share it. Arms that stand in a set with a and b copies have a times b
duels in it. A page without a verdict on a pair gives neither a win.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from bandits.policy import Setting


class MultiPolicy(NamedTuple):
    name: str
    params: type  # NamedTuple of tunables, every field with a default
    init: Callable
    select: Callable
    update: Callable
    recommend: Callable
    idle: Callable | None = None
    about: str = ""
    source: str = ""
    assumes: str = ""
    settings: Mapping[str, Setting] = {}
    variants: Mapping[str, Mapping[str, Any]] = {}
    horizon_when: Callable | None = None
