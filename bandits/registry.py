"""All policies by name. To add one: write its file and add it here; tests and commands find it."""

from __future__ import annotations

from typing import Any

from bandits import rucb
from bandits.policy import Configured, configure, suggest

POLICIES = {module.POLICY.name: module.POLICY for module in (rucb,)}


def policy(name: str, **settings: Any) -> Configured:
    """A policy with settings, e.g. policy("rucb", alpha=0.6); unknown names and parameters are refused."""
    return configure(suggest(name, POLICIES, "policy"), **settings)
