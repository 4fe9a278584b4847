"""Display names: policies as their papers write them, rankers by the feature list of the data set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import PurePath

from rankduel.bandits.catalogue import POLICIES
from rankduel.experiments.matrix.preferences import Preferences
from rankduel.letor_data.catalogue import PROFILES, profile_for


def policy_names(policies: Iterable[str]) -> dict[str, str]:
    """Return a distinct name for each policy: 'MergeDTS' for 'merge_dts(alpha=0.8)'.

    Settings are added where two policies would have the same name.
    """
    full = list(dict.fromkeys(policies))
    bare = {policy: _bare(policy) for policy in full}
    counts = Counter(bare.values())
    names = {policy: name if counts[name] == 1 else policy_title(policy) for policy, name in bare.items()}
    # Policies from two files of the same name, with the same settings, differ in their paths only.
    counts = Counter(names.values())
    return {policy: name if counts[name] == 1 else policy for policy, name in names.items()}


def policy_title(policy: str) -> str:
    """Return 'MergeDTS (alpha=0.8)' for 'merge_dts(alpha=0.8)'; 'variant=' is dropped."""
    settings = policy.partition("(")[2].removeprefix("variant=")
    return f"{_bare(policy)} ({settings}" if settings else _bare(policy)


def _bare(policy: str) -> str:
    """Return the name of a policy in the literature, without settings; `policy` may be any text."""
    name = policy.partition("(")[0]
    if name in POLICIES:
        return POLICIES[name].title
    return PurePath(name).name.removesuffix(".py") or policy


def ranker_titles(preferences: Preferences) -> dict[str, str]:
    """Return '110 BM25, whole document' for '110' where the data set's feature list describes it."""
    described = _feature_descriptions(preferences)
    return {name: f"{name} {described[name]}" if name in described else name for name in preferences.names}


def ranker_in_words(preferences: Preferences, name: str) -> str:
    """Return 'feature 110 (BM25, whole document)' or 'ranker 3'; return any other name unchanged."""
    described = _feature_descriptions(preferences)
    if name in described:
        return f"feature {name} ({described[name]})"
    return f"ranker {name}" if name.lstrip("-").isdecimal() else name


def _feature_descriptions(preferences: Preferences) -> dict[str, str]:
    """Return the descriptions of rankers that are features of a data set with a published feature list."""
    settings = preferences.settings
    profile = PROFILES.get(str(settings.get("profile"))) or profile_for(str(settings.get("data", "")))
    titles = {str(number): title for number, title in enumerate(profile.titles, profile.index_base)}
    return {name: titles[name.lstrip("-")] for name in preferences.names if name.lstrip("-") in titles}
