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
    policy: str | None = None,
    budget: float = 0,
    seed: int = 0,
    trust: bool = False,
) -> Session:
    """Start a judging session, or open one.

    Parameters
    ----------
    folder : str or Path
        Folder of the session.
    items : sequence of str, optional
        The pool of items; starts a new session. Without it the session in `folder` is opened.
    policy : str, optional
        Policy that decides which pairs are judged; "prefbest" for a new session. A policy file is code that
        is run: a session that is led by one is opened only if `policy` names the file again, or with `trust`.
    budget : float, default 0
        Maximum number of judgments; 0 for as many as the policy needs.
    seed : int, default 0
        Seed of the policy and of which item stands on the left, from 0.
    trust : bool, default False
        Run whichever policy file the session in `folder` names.

    Returns
    -------
    Session
        ``next_pairs(assessor)`` are the comparisons to judge now, ``add(rows)`` takes in judgments, whose
        winner is left, right or tie, and ``progress()`` says how far the session is and which items are the
        best so far.

    Raises
    ------
    RankduelError
        If the folder holds another session or none, if the policy cannot lead one, or if it is a file that
        the caller did not name.

    Examples
    --------
    >>> session = rankduel.judge("topic7", ["a", "b", "c"], policy="mohajer_select(m=1)")
    >>> while pairs := session.next_pairs():
    ...     number, left, right = pairs[0]
    ...     _ = session.add([{"id": str(number), "winner": "left" if left < right else "right"}])
    >>> rankduel.judge("topic7").progress().best
    ('a',)
    """
    if items is None:
        return open_session(folder, policy, trust=trust)
    return start_session(folder, tuple(items), policy or "prefbest", seed, budget)
