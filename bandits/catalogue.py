"""All policies by name, found in the folders of bandits/policies: a new file there is a new policy.

A policy is loaded when it is first asked for: most commands play a few of them.
"""

from __future__ import annotations

from typing import Any

from bandits.contract import Policy
from bandits.contract import configure as with_settings
from bandits.policies import batched, best_item, condorcet, copeland, sets
from rankduel.base.errors import PolicyError
from rankduel.base.settings import Catalogue, Configured, OnePerFile

# By the question they answer, as `rankduel policies` lists them.
_FOLDERS = {
    "Condorcet winner": condorcet,
    "Copeland winners": copeland,
    "Condorcet winner, in batches": batched,
    "Best items of a pool": best_item,
    "Condorcet winner, whole sets of arms on a page": sets,
}
FAMILIES: dict[str, OnePerFile[Policy]] = {
    question: OnePerFile([folder], "POLICY") for question, folder in _FOLDERS.items()
}
POLICIES: Catalogue[Policy] = Catalogue("policy", PolicyError, OnePerFile(_FOLDERS.values(), "POLICY"))


def policy(name: str, **settings: Any) -> Configured:
    """Return a policy with settings.

    Parameters
    ----------
    name : str
        Name of a policy; `policies` lists them. Or text with settings, such as ``"rucb(alpha=0.6)"``.
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


def configure(policy: Policy | str, /, **settings: Any) -> Configured:
    """Return a policy with settings, given as values or as text; `variant` names a bundle of them.

    `policy` is a policy, or text such as 'rucb(alpha=0.6)'.
    """
    if isinstance(policy, Policy):
        return with_settings(policy, **settings)
    return POLICIES.configured(policy, **settings)


def configured_policy(policy: Configured | Policy | str) -> Configured:
    """Return a policy as it is played: text and policies without settings become configured ones."""
    return policy if isinstance(policy, Configured) else configure(policy)
