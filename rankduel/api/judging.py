"""Start and open judging sessions, which find the best items of a pool from pairwise judgments."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rankduel.experiments.judge.session import Session, open_session, start_session

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
    """Start a judging session, or open an existing one.

    Parameters
    ----------
    folder : str or Path
        Folder of the session.
    items : sequence of str, optional
        The pool of items; starts a new session. Without it the session in `folder` is opened.
    policy : str, optional
        Policy that chooses the pairs; by default "prefbest" for a new session. The code of a policy file is
        executed: a session with a policy file is opened only if `policy` names the file, or with `trust`.
    budget : float, default 0
        Maximum number of judgments; 0 for as many as the policy needs.
    seed : int, default 0
        Seed of the policy and of the sides of the items.
    trust : bool, default False
        Whether to execute the policy file that the session in `folder` names.

    Returns
    -------
    Session
        ``next_pairs(assessor)`` returns the pairs to judge now, ``add(rows)`` adds judgments, whose winner is
        left, right or tie, and ``progress()`` returns the number of judgments and the best items so far.

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
