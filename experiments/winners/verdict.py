"""The winner of a preference matrix and its certainty, as sentences.

Over the given queries, the uncertainty is that of the simulation, measured by simultaneous confidence
intervals. Over queries like these, the choice of queries adds to it: see
rankduel.experiments.winners.resampling.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankduel.bandits import condorcet_winner
from rankduel.base.errors import encodable
from rankduel.base.text import counted
from rankduel.experiments.matrix.preferences import Preferences
from rankduel.experiments.winners.certainty import certainty, deciding, joint
from rankduel.experiments.winners.notions import best, copeland_losses, copeland_scores
from rankduel.experiments.winners.resampling import USUAL, Resampled, resampled_winners

_MOST_NAMES = 6  # names in a sentence; longer lists are shortened
_MOST_RIVALS = 3  # other rankers that are named with their share of the resamples
_SMALLEST_SHARE = 0.005  # of the resamples; a smaller share is shown as 0%


class Verdict(NamedTuple):
    """The winner of a matrix and its certainty, in sentences without a full stop."""

    winners: tuple[str, ...]  # the Condorcet winner; if there is none, the Copeland winners
    notion: str  # "condorcet" or "copeland"
    won: str  # sentence that names the winners
    these: str  # sentence on the certainty over the given queries
    others: str  # sentence on the certainty over queries like these; "" if that is not known
    share: float | None  # share of resamples that the winner wins; the smallest, if there are several winners

    @property
    def sentences(self) -> list[str]:
        """The sentences `won`, `these` and `others`, without those that are empty."""
        return [text for text in (self.won, self.these, self.others) if text]


def resampled_verdict(preferences: Preferences, resamples: int = USUAL, seed: int = 0) -> Verdict:
    """Return the winner of a matrix and how certain it is, with new resamples of the queries.

    Parameters
    ----------
    preferences : Preferences
        The matrix, from `read_preferences`, `build_matrix` or a run set.
    resamples : int, default 1000
        Number of resamples of the queries.
    seed : int, default 0
        Seed of the resamples.
    """
    return verdict_of(preferences, resampled_winners(preferences, resamples, seed, ("condorcet", "copeland")))


def verdict_of(preferences: Preferences, drawn: Resampled | None) -> Verdict:
    """Return the winner of a matrix and how certain it is.

    `drawn` holds how often each ranker wins over resampled queries; None if that is not known.
    """
    winner = condorcet_winner(preferences.matrix)
    notion = "condorcet" if winner >= 0 else "copeland"
    places = np.array([winner]) if winner >= 0 else best(copeland_scores(preferences.matrix))
    winners = tuple(encodable(preferences.names[place]) for place in places)
    is_certain, these = _over_these(preferences, notion)
    return Verdict(
        winners,
        notion,
        _winner_sentence(preferences, places, notion, is_certain),
        these,
        "" if drawn is None or len(preferences) == 1 else _over_others(drawn, winners, notion),
        None if drawn is None else min(drawn.share(name, notion) for name in winners),
    )


def _winner_sentence(preferences: Preferences, places: np.ndarray, notion: str, is_certain: bool) -> str:
    """Return the sentence that names the winners at the indices `places`."""
    others = len(preferences) - 1
    names = listed([preferences.names[place] for place in places])
    if not others:
        return f"{names} is the only ranker"
    if notion == "condorcet":
        rivals = {1: "the other", 2: "both others"}.get(others, f"all {others:,} others")
        return f"{names} wins: it beats {rivals}" if is_certain else f"{names} leads: it is ahead of {rivals}"
    beaten, lost = (score(preferences.matrix)[places] for score in (copeland_scores, copeland_losses))
    if not beaten[0]:
        return "no ranker beats another"
    verb = "beat" if is_certain else "lead"
    most = f"each {verb} most" if len(places) > 1 else f"{verb}s most"
    losses = f"{lost.min():,}" if lost.min() == lost.max() else f"{lost.min():,} to {lost.max():,}"
    return f"no ranker {verb}s all others; {names} {most}: {beaten[0]:,} of {others:,}, losing to {losses}"


def _over_these(preferences: Preferences, notion: str) -> tuple[bool, str]:
    """Return whether the winner is certain despite simulation error, and the sentence about it."""
    pairs = preferences.pairs
    if (pairs["lo"] == pairs["hi"]).all():
        known = len(preferences) > 1 and not (pairs["method"] == "given").any()
        return True, "over these queries this is exact" if known else ""
    joined = joint(preferences)
    sure = certainty(joined.preferences)
    is_certain, candidates = (
        (sure.condorcet_certain, sure.condorcet)
        if notion == "condorcet"
        else (sure.copeland_certain, sure.copeland)
    )
    level = "" if joined.level is None else f", {joined.level:.0%} confidence for all pairs together"
    if is_certain:
        return True, f"over these queries this holds despite simulation error{level}"
    undecided = counted(deciding(sure, candidates), "undecided pair")
    names = listed([preferences.names[i] for i in candidates])
    return False, f"over these queries it depends on {undecided}{level}; possible: {names}"


def _over_others(drawn: Resampled, winners: tuple[str, ...], notion: str) -> str:
    """Return the sentence on how often the winners and their rivals win over resampled queries."""
    table = drawn.shares
    share = min(drawn.share(name, notion) for name in winners)
    rivals = table[~table["ranker"].isin(winners) & (table[notion] >= _SMALLEST_SHARE)].sort_values(
        notion, ascending=False, kind="stable"
    )
    named = [f"{row['ranker']} in {row[notion]:.0%}" for row in rivals.head(_MOST_RIVALS).to_dict("records")]
    if notion == "condorcet" and drawn.without_condorcet >= _SMALLEST_SHARE:
        named.append(f"no ranker in {drawn.without_condorcet:.0%}")
    wins = "it wins in" if len(winners) == 1 else "each of them wins in at least"
    others = f" ({', '.join(named)})" if named else ""
    return (
        f"over queries like these {wins} {share:.0%} of {drawn.resamples:,} resamples of {drawn.what}{others}"
    )


def listed(names: list[str], between: str = ", ") -> str:
    """Return the names joined by `between`; of more than _MOST_NAMES, the first ones and the total."""
    if len(names) <= _MOST_NAMES:
        return encodable(between.join(names))
    return encodable(between.join(names[: _MOST_NAMES - 1])) + f"{between}... ({len(names):,} in all)"
