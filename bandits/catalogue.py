"""All policies by name, found in the folders of bandits/policies: a new file there is a new policy.

The file of a policy is imported when the policy is first used: most commands play only a few policies.
"""

from __future__ import annotations

from typing import Any

from rankduel.bandits.contract import Policy
from rankduel.bandits.contract import configure as with_settings
from rankduel.bandits.own_file import configured_file, policy_file
from rankduel.bandits.policies import batched, best_item, condorcet, copeland, sets
from rankduel.base.errors import PolicyError
from rankduel.base.settings import Catalogue, Configured, OnePerFile

# Policies by what they find, as `rankduel policies` lists them.
_FOLDERS = {
    "Condorcet winner": condorcet,
    "Copeland winners": copeland,
    "Condorcet winner, in batches": batched,
    "Best items of a pool": best_item,
    "Condorcet winner, whole sets of arms on a page": sets,
}
FAMILIES: dict[str, OnePerFile[Policy]] = {
    family: OnePerFile([folder], "POLICY") for family, folder in _FOLDERS.items()
}
POLICIES: Catalogue[Policy] = Catalogue("policy", PolicyError, OnePerFile(_FOLDERS.values(), "POLICY"))


def policy(name: str, **settings: Any) -> Configured:
    """Return a policy with settings.

    Parameters
    ----------
    name : str
        Name of a policy, as listed by `policies`, or text with settings, such as ``"rucb(alpha=0.6)"``; or a
        Python file, such as ``"mine.py"`` or ``"mine.py(alpha=1)"``, which is run.
    **settings : str, int, float or bool
        Settings of the policy that differ from their defaults, as values or as text. ``variant`` names a
        set of settings, usually those of a paper.

    Returns
    -------
    Configured
        The policy with its settings. Its text, given to `policy`, returns the same policy.

    Raises
    ------
    RankduelError
        If the policy or a setting is unknown, or a value is out of range.

    Examples
    --------
    >>> str(rankduel.policy("rucb", alpha=0.6))
    'rucb(alpha=0.6)'
    """
    file = policy_file(name)
    if file is not None:
        return configured_file(file, **settings)
    return POLICIES.configured(name, **settings)


def configure(policy: Policy | str, /, **settings: Any) -> Configured:
    """Return `policy`, a policy or text such as 'rucb(alpha=0.6)', with these settings.

    The settings are values or text; `variant` names a set of settings.
    """
    if isinstance(policy, Policy):
        return with_settings(policy, **settings)
    return POLICIES.configured(policy, **settings)


def configured_policy(policy: Configured | Policy | str) -> Configured:
    """Return a policy with settings; text is parsed, and a policy without settings gets its defaults."""
    return policy if isinstance(policy, Configured) else configure(policy)
