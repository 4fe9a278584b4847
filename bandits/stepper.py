"""One step at a time, for people who bring real duels.

    policy = bandits.start("rucb", n_arms=5, seed=1)
    first, second = policy.select()           # show the two; see who wins
    policy.update(first_won=True)
    policy.save("evaluation.npz")             # and another day:
    policy = bandits.restore("evaluation.npz")

These are the functions of the compiled loop in the loop's order, so a stepped run is the loop's run.
"""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from bandits.catalogue import POLICIES, policy
from bandits.contract import configure
from bandits.own_file import load_policy
from bandits.plain import stepping
from bandits.steps import checked_horizon
from rankduel.base.errors import PolicyError, RecordsError
from rankduel.base.files import replacing
from rankduel.base.settings import Configured, kernel_params

_FORMAT = 2


class Stepper:
    """A policy in play. Made by `bandits.start` or `bandits.restore`."""

    def __init__(self, configured: Configured, n_arms: int, horizon: int, rng: np.random.Generator) -> None:
        self.configured, self.n_arms, self.horizon = configured, n_arms, horizon
        self.n_steps = 0
        self.pair: tuple[int, int] | None = None  # chosen and not yet decided
        self._rng, self._params = rng, kernel_params(configured, horizon)
        self._state: Any = configured.thing.init(n_arms, self._params, rng) if n_arms > 1 else ()
        self._policy = stepping(configured.thing)

    def select(self) -> tuple[int, int]:
        """The two arms to duel now, the same two until they are decided. Equal arms: show that one alone."""
        if self.pair is None:
            pair = self._policy.select(self._state, self._params, self._rng) if self.n_arms > 1 else (0, 0)
            self.pair = int(pair[0]), int(pair[1])
        return self.pair

    def update(self, first_won: bool) -> None:
        """Who won the duel of `select`. For an arm against itself any answer will do."""
        pair = self._decided()
        if self.n_arms > 1:
            self._policy.update(self._state, self._params, *pair, bool(first_won))

    def pass_over(self) -> None:
        """The duel ended in a tie, from which the policy learns nothing."""
        self._decided()

    def recommend(self) -> int:
        """The arm the policy would answer now; -1 if it never has an answer."""
        if self.n_arms == 1:
            return 0
        recommend = self._policy.recommend
        return int(recommend(self._state, self._params)) if recommend else -1

    def answers(self) -> list[int]:
        """All arms of the answer, ascending; one, where the policy never has several."""
        chosen = np.zeros(self.n_arms, np.bool_)
        if self.n_arms > 1 and self._policy.answers:
            self._policy.answers(self._state, self._params, chosen)
        best = self.recommend()
        if best >= 0:
            chosen[best] = True
        return [int(arm) for arm in np.flatnonzero(chosen)]

    def finished(self) -> bool:
        """Is nothing left to compare?"""
        finished = self._policy.finished
        return self.n_arms == 1 or bool(finished and finished(self._state, self._params))

    def committed(self) -> list[tuple[int, int]]:
        """All comparisons that are certain to come, whatever the outcome of the first: several at once.

        The first is that of `select`; the others follow in this order.
        """
        first = self.select()
        if self._policy.plan is None or self.n_arms == 1 or first[0] == first[1]:
            return [first]
        agenda = self._state.agenda
        pairs = agenda.pairs[: agenda.now[0].n_pairs]
        left = range(agenda.now[0].played, agenda.now[0].n_pairs * agenda.now[0].times)
        return [(int(pairs[step % len(pairs), 0]), int(pairs[step % len(pairs), 1])) for step in left]

    def save(self, path: str | Path) -> None:
        """Write everything needed to go on, to a file that is complete or not there."""
        header = {
            "format": _FORMAT,
            "policy": self.configured.thing.name,
            "params": {name: self.configured.get(name) for name in self.configured.params._fields},
            "n_arms": self.n_arms,
            "horizon": self.horizon,
            "n_steps": self.n_steps,
            "pair": self.pair,
            "rng": self._rng.bit_generator.state,
        }
        arrays: dict[str, Any] = dict(_arrays(self._state))
        with replacing(path) as temporary, open(temporary, "wb") as file:
            np.savez_compressed(file, header=np.array(json.dumps(header)), **arrays)

    def _decided(self) -> tuple[int, int]:
        if self.pair is None:
            raise PolicyError("there is no duel to decide: call select() first, once for every duel")
        pair, self.pair = self.pair, None
        self.n_steps += 1
        return pair


def start(configured: Configured | str, n_arms: int, *, seed: int = 0, horizon: float = 0) -> Stepper:
    """Start a policy that is told the outcomes of real duels, one step at a time.

    Parameters
    ----------
    configured : Configured or str
        A policy from `policy`, or its name.
    n_arms : int
        Number of arms.
    seed : int, default 0
        Seed of the policy's random numbers.
    horizon : float, default 0
        Number of duels there will be, for policies that must know it.

    Returns
    -------
    Stepper
        ``select()`` returns the pair to duel, ``update(first_won)`` takes the outcome, ``recommend()``
        returns the best arm so far, and ``save(path)`` writes everything needed to go on.

    Raises
    ------
    RankduelError
        If the policy is unknown, compares sets of arms, or must know the horizon.

    Examples
    --------
    >>> stepper = rankduel.start("rucb", n_arms=3, seed=1)
    >>> for _ in range(200):
    ...     first, second = stepper.select()
    ...     stepper.update(first_won=first < second)
    >>> stepper.recommend()
    0
    """
    configured = policy(configured) if isinstance(configured, str) else configured
    if configured.thing.sets:
        raise PolicyError(f"{configured} compares whole sets of arms; single duels need another policy")
    if n_arms != int(n_arms) or n_arms < 1:
        raise PolicyError(f"n_arms is {n_arms}; expected a whole number from 1")
    if configured.needs_horizon and not (horizon or configured.params.horizon):
        raise PolicyError(f"{configured} must know how many duels there will be: give horizon=...")
    steps = checked_horizon(horizon) if horizon else 0
    return Stepper(configured, int(n_arms), steps, np.random.default_rng(seed))


def restore(path: str | Path) -> Stepper:
    """Restore a policy that `Stepper.save` wrote, ready for its next duel.

    Parameters
    ----------
    path : str or Path
        The saved file. A policy of your own is read from its Python file again.

    Returns
    -------
    Stepper
        The policy in the state in which it was saved.

    Raises
    ------
    RankduelError
        If the file is missing, damaged, or written by another version of the policy.

    Examples
    --------
    >>> stepper = rankduel.start("rucb", n_arms=3, seed=1)
    >>> pair = stepper.select()
    >>> stepper.save("evaluation.npz")
    >>> rankduel.restore("evaluation.npz").select() == pair
    True
    """
    header, arrays = _read(Path(path))
    name = header["policy"]
    configured = configure(POLICIES[name] if name in POLICIES else load_policy(name), **header["params"])
    stepper = Stepper(configured, header["n_arms"], header["horizon"], np.random.default_rng())
    stepper._rng.bit_generator.state = header["rng"]
    stepper.n_steps = header["n_steps"]
    stepper.pair = tuple(header["pair"]) if header["pair"] else None
    _fill(path, stepper._state, arrays)
    return stepper


def _arrays(state: Any, prefix: str = "state") -> Iterator[tuple[str, np.ndarray]]:
    """Yield the arrays of a state under dotted names, those of its tuples included; not the workspace."""
    for name, value in zip(getattr(state, "_fields", ()), state):
        if name == "room":
            continue
        if isinstance(value, tuple):
            yield from _arrays(value, f"{prefix}.{name}")
        else:
            yield f"{prefix}.{name}", np.asarray(value)


def _read(path: Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        header = json.loads(str(arrays.pop("header")))
    except FileNotFoundError:
        raise RecordsError(f"{path}: there is no such file") from None
    except (zipfile.BadZipFile, ValueError, KeyError, EOFError, OSError, zlib.error):
        raise RecordsError(f"{path}: not a saved policy, or damaged") from None
    if header.get("format") != _FORMAT:
        raise RecordsError(f"{path}: written by another version of rankduel (format {header.get('format')})")
    return header, arrays


def _fill(path: str | Path, state: Any, arrays: dict[str, np.ndarray]) -> None:
    fresh = dict(_arrays(state))
    same = fresh.keys() == arrays.keys() and all(
        fresh[name].shape == arrays[name].shape and fresh[name].dtype == arrays[name].dtype for name in fresh
    )
    if not same:
        raise RecordsError(f"{path}: saved by another version of this policy, whose state looked different")
    for name, values in fresh.items():
        values[...] = arrays[name]
