"""Names as papers write them: of policies by their own docstrings, of rankers by the profile of the data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import PurePath

from bandits.catalogue import POLICIES
from experiments.matrix.preferences import Preferences
from letor_data.formats import PROFILES, profile_for


def policy_names(policies: Iterable[str]) -> dict[str, str]:
    """Return 'MergeDTS' for 'merge_dts(alpha=0.8)', with the settings where two would have the same name."""
    full = list(dict.fromkeys(policies))
    bare = {policy: _bare(policy) for policy in full}
    alike = Counter(bare.values())
    names = {policy: name if alike[name] == 1 else policy_title(policy) for policy, name in bare.items()}
    # Two files of one name and the same settings: only their paths differ.
    alike = Counter(names.values())
    return {policy: name if alike[name] == 1 else policy for policy, name in names.items()}


def policy_title(policy: str) -> str:
    """Return 'MergeDTS (alpha=0.8)' for 'merge_dts(alpha=0.8)'; a variant is named without its key."""
    settings = policy.partition("(")[2].removeprefix("variant=")
    return f"{_bare(policy)} ({settings}" if settings else _bare(policy)


def _bare(policy: str) -> str:
    """Return the name of a policy in the literature, without its settings; records may name any text."""
    name = policy.partition("(")[0]
    if name in POLICIES:
        return POLICIES[name].title
    return PurePath(name).name.removesuffix(".py") or policy


def ranker_titles(preferences: Preferences) -> dict[str, str]:
    """Return '110 BM25, whole document' for '110', where the profile of the data says what it measures."""
    measured = _measured(preferences)
    return {name: f"{name} {measured[name]}" if name in measured else name for name in preferences.names}


def ranker_in_words(preferences: Preferences, name: str) -> str:
    """Return 'feature 110 (BM25, whole document)', 'ranker 3', or a name that is no number as it is."""
    measured = _measured(preferences)
    if name in measured:
        return f"feature {name} ({measured[name]})"
    return f"ranker {name}" if name.lstrip("-").isdecimal() else name


def _measured(preferences: Preferences) -> dict[str, str]:
    """Return what each ranker measures, where it is a feature of data whose features are published."""
    settings = preferences.settings
    profile = PROFILES.get(str(settings.get("profile"))) or profile_for(str(settings.get("data", "")))
    titles = {str(number): title for number, title in enumerate(profile.titles, profile.index_base)}
    return {name: titles[name.lstrip("-")] for name in preferences.names if name.lstrip("-") in titles}
