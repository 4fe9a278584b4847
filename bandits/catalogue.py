"""All policies by name, found in the folders of bandits/policies: a new file there is a new policy."""

from __future__ import annotations

from typing import Any

from bandits.contract import Policy
from bandits.policies import batched, best_item, condorcet, copeland, sets
from rankduel.base.errors import PolicyError
from rankduel.base.settings import Catalogue, Configured, discovered

# By the question they answer, as `rankduel policies` lists them.
FAMILIES: dict[str, list[Policy]] = {
    "Condorcet winner": discovered(condorcet, "POLICY"),
    "Copeland winners": discovered(copeland, "POLICY"),
    "Condorcet winner, in batches": discovered(batched, "POLICY"),
    "Best items of a pool": discovered(best_item, "POLICY"),
    "Condorcet winner, whole sets of arms on a page": discovered(sets, "POLICY"),
}
POLICIES: Catalogue[Policy] = Catalogue(
    "policy", PolicyError, [policy for family in FAMILIES.values() for policy in family]
)


def policy(name: str, **settings: Any) -> Configured:
    """Return a policy with settings.

    Parameters
    ----------
    name : str
        Name of a policy; `policies` lists them.
    **settings : str, int, float or bool
        Settings of the policy that differ from their defaults, as values or as text; ``variant`` names a
        bundle.

    Returns
    -------
    Configured
        The policy with its settings. Its text asks for it again.

    Raises
    ------
    RankduelError
        If the policy or a setting is unknown, or a value is out of range.

    Examples
    --------
    >>> str(rankduel.policy("rucb", alpha=0.6))
    'rucb(alpha=0.6)'
    """
    return POLICIES.configured(name, **settings)
