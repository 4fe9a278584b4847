"""Who won, and how sure that is: over these queries, and over queries like these; in sentences.

Over these queries, only simulation leaves something open: intervals that are all right at once say how much.
Over queries like these, other queries might have been at hand: see experiments.winners.resampling.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bandits import condorcet_winner
from experiments.matrix.preferences import Preferences
from experiments.winners.certainty import certainty, deciding, joint
from experiments.winners.notions import best, copeland_losses, copeland_scores
from experiments.winners.resampling import USUAL, Resampled, resampled_winners
from rankduel.base.errors import encodable

_MANY = 6  # names in a sentence; of more, the first and how many there are
_RIVALS = 3  # others that are named with their share of the resamples
_WORTH_NAMING = 0.005  # of the resamples: what is not rounded to nothing


class Verdict(NamedTuple):
    """Who won, in sentences without a full stop."""

    winners: tuple[str, ...]  # the Condorcet winner; where there is none, the Copeland winners
    notion: str  # "condorcet" or "copeland"
    won: str  # who won
    these: str  # how sure that is over these queries
    others: str  # and over queries like these; nothing if that is not known
    share: float | None  # of resamples of the queries that the winner wins; the least, if they are several

    @property
    def sentences(self) -> list[str]:
        """All that is known."""
        return [text for text in (self.won, self.these, self.others) if text]


def who_won(preferences: Preferences, resamples: int = USUAL, seed: int = 0) -> Verdict:
    """Return the winner of a matrix and how sure that is.

    Parameters
    ----------
    preferences : Preferences
        The matrix, from `read_preferences`, `build_matrix` or a run set.
    resamples : int, default 1000
        How often to draw the queries again.
    seed : int, default 0
        Seed of these draws.
    """
    return verdict_of(preferences, resampled_winners(preferences, resamples, seed, ("condorcet", "copeland")))


def verdict_of(preferences: Preferences, drawn: Resampled | None) -> Verdict:
    """Return who won, if it is known already how often each ranker wins over resampled queries."""
    winner = condorcet_winner(preferences.matrix)
    notion = "condorcet" if winner >= 0 else "copeland"
    places = np.array([winner]) if winner >= 0 else best(copeland_scores(preferences.matrix))
    winners = tuple(encodable(preferences.names[place]) for place in places)
    stands, these = _over_these(preferences, notion)
    return Verdict(
        winners,
        notion,
        _who(preferences, places, notion, stands),
        these,
        "" if drawn is None or len(preferences) == 1 else _over_others(drawn, winners, notion),
        None if drawn is None else min(drawn.share(name, notion) for name in winners),
    )


def _who(preferences: Preferences, places: np.ndarray, notion: str, stands: bool) -> str:
    others = len(preferences) - 1
    names = listed([preferences.names[place] for place in places])
    if not others:
        return f"{names} is the only ranker"
    if notion == "condorcet":
        rivals = {1: "the other", 2: "both others"}.get(others, f"all {others:,} others")
        return f"{names} wins: it beats {rivals}" if stands else f"{names} leads: it is ahead of {rivals}"
    beaten, lost = (score(preferences.matrix)[places] for score in (copeland_scores, copeland_losses))
    if not beaten[0]:
        return "no ranker beats another"
    verb = "beat" if stands else "lead"
    most = f"each {verb} most" if len(places) > 1 else f"{verb}s most"
    losses = f"{lost.min():,}" if lost.min() == lost.max() else f"{lost.min():,} to {lost.max():,}"
    return f"no ranker {verb}s all others; {names} {most}: {beaten[0]:,} of {others:,}, losing to {losses}"


def _over_these(preferences: Preferences, notion: str) -> tuple[bool, str]:
    """(whether the winner stands whatever simulation left open, the sentence about it)"""
    pairs = preferences.pairs
    if (pairs["lo"] == pairs["hi"]).all():
        known = len(preferences) > 1 and not (pairs["method"] == "given").any()
        return True, "over these queries this is exact" if known else ""
    joined = joint(preferences)
    sure = certainty(joined.preferences)
    stands, candidates = (
        (sure.condorcet_certain, sure.condorcet)
        if notion == "condorcet"
        else (sure.copeland_certain, sure.copeland)
    )
    level = "" if joined.level is None else f", {joined.level:.0%} confidence for all pairs together"
    if stands:
        return True, f"over these queries this stands whatever simulation left open{level}"
    open_pairs = deciding(sure, candidates)
    undecided = f"{open_pairs:,} undecided {'pair' if open_pairs == 1 else 'pairs'}"
    names = listed([preferences.names[i] for i in candidates])
    return False, f"over these queries it depends on {undecided}{level}; possible: {names}"


def _over_others(drawn: Resampled, winners: tuple[str, ...], notion: str) -> str:
    table = drawn.shares
    share = min(drawn.share(name, notion) for name in winners)
    rivals = table[~table["ranker"].isin(winners) & (table[notion] >= _WORTH_NAMING)].sort_values(
        notion, ascending=False, kind="stable"
    )
    named = [f"{row['ranker']} in {row[notion]:.0%}" for row in rivals.head(_RIVALS).to_dict("records")]
    if notion == "condorcet" and drawn.without_condorcet >= _WORTH_NAMING:
        named.append(f"no ranker in {drawn.without_condorcet:.0%}")
    wins = "it wins in" if len(winners) == 1 else "each of them wins in at least"
    others = f" ({', '.join(named)})" if named else ""
    return (
        f"over queries like these {wins} {share:.0%} of {drawn.resamples:,} resamples of {drawn.what}{others}"
    )


def listed(names: list[str], between: str = ", ") -> str:
    """Return the names, or the first of very many."""
    if len(names) <= _MANY:
        return encodable(between.join(names))
    return encodable(between.join(names[: _MANY - 1])) + f"{between}... ({len(names):,} in all)"
