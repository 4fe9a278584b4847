"""All policies by name. To add one: write its file and add it here; tests and commands find it."""

from __future__ import annotations

from typing import Any

from bandits import (
    beat_the_mean,
    doubler,
    dts,
    interleaved_filter,
    merge_dts,
    merge_rucb,
    multi_sbm,
    random_pair,
    rcs,
    rex3,
    rmed1,
    rmed2,
    rmed2fh,
    rts,
    rucb,
    savage,
    self_sparring,
    sparring,
    versatile_db,
    winner_stays,
)
from bandits.multi_dueling.registry import MULTI_POLICIES
from bandits.policy import Configured, configure, suggest

_MODULES = (
    random_pair,
    interleaved_filter,
    beat_the_mean,
    savage,
    doubler,
    multi_sbm,
    sparring,
    rucb,
    rcs,
    merge_rucb,
    dts,
    rts,
    merge_dts,
    rmed1,
    rmed2,
    rmed2fh,
    self_sparring,
    rex3,
    winner_stays,
    versatile_db,
)
POLICIES = {module.POLICY.name: module.POLICY for module in _MODULES}


def policy(name: str, **settings: Any) -> Configured:
    """A policy with settings, e.g. policy("rucb", alpha=0.6); unknown names and parameters are refused."""
    return configure(suggest(name, POLICIES | MULTI_POLICIES, "policy"), **settings)
