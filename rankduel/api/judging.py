"""Judging sessions: find the best items of a pool by asking which of two is better."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from experiments.judge.session import Session, open_session, start_session

__all__ = ["judge"]


def judge(
    folder: str | Path,
    items: Sequence[str] | None = None,
    *,
    policy: str = "prefbest",
    budget: int = 0,
    seed: int = 0,
) -> Session:
    """Start a judging session, or open one.

    Parameters
    ----------
    folder : str or Path
        Folder of the session.
    items : sequence of str, optional
        The pool of items; starts a new session. Without it the session in `folder` is opened.
    policy : str, default "prefbest"
        Policy that decides which pairs are judged.
    budget : int, default 0
        Maximum number of judgments; 0 for as many as the policy needs.
    seed : int, default 0
        Seed of the policy and of which item stands on the left.

    Returns
    -------
    Session
        ``next_pairs()`` are the comparisons to judge now, ``add(rows)`` takes in judgments, ``progress()``
        says how far the session is and which items are the best so far.

    Raises
    ------
    RankduelError
        If the folder holds another session or none, or the policy cannot lead one.

    Examples
    --------
    >>> session = rankduel.judge("topic7", ["a", "b", "c"], policy="mohajer_select(m=1)")
    >>> while pairs := session.next_pairs():
    ...     _ = session.add([{"id": str(pairs[0].id), "winner": min(pairs[0].left, pairs[0].right)}])
    >>> rankduel.judge("topic7").progress().best
    ('a',)
    """
    if items is None:
        return open_session(folder)
    return start_session(folder, tuple(items), policy, seed, budget)
