"""Policies that are played one step at a time, with outcomes of real duels.

    policy = bandits.start("rucb", n_arms=5, seed=1)
    first, second = policy.select()           # compare the two arms
    policy.update(first_won=True)
    policy.save("evaluation.json")            # and in a later session:
    policy = bandits.restore("evaluation.json")

The functions of the policy are called in the same order as in the compiled loop, so the pairs are the same.

A saved file holds the policy, the seed and the outcome of every duel, and not the state. `restore` plays the
duels again, so a damaged file cannot lead to a state that the policy does not reach by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rankduel.bandits.catalogue import POLICIES, configured_policy
from rankduel.bandits.contract import Policy, configure
from rankduel.bandits.feedback import TIED
from rankduel.bandits.loop import is_pair_of_arms
from rankduel.bandits.own_file import load_policy
from rankduel.bandits.plain import compiled_loop, first_state, is_plain, stepping, too_extreme
from rankduel.bandits.steps import LONGEST, checked_horizon
from rankduel.base.arguments import check_type
from rankduel.base.compiling import entry, kernel, labelled, loop, may_allocate, record
from rankduel.base.errors import PolicyError, RankduelError, RecordsError
from rankduel.base.settings import Configured, kernel_params
from rankduel.base.stored import Fields, Kind, read_json, write_json
from rankduel.base.streams import checked_seed

MOST_DUELS = 4_000_000  # largest number of duels of a saved policy
_MOST_ARMS = 10_000  # largest number of arms of a saved policy
_OUTCOMES = "01="  # character of an outcome: the second arm won, the first arm won, tied (TIED)
_FILE = Kind(
    "a saved policy",
    "use a copy or an older save of it, or start the policy again",
    most_bytes=MOST_DUELS + (1 << 20),
)
_MOST_COMMITTED = 100_000
_FEW = 2_000  # playing up to this many duels one by one takes less time than compiling a loop


class Stepper:
    """A policy that is played one step at a time, with outcomes of real duels; made by `start` or `restore`.

    Parameters
    ----------
    configured : Configured
        The policy and its parameters.
    n_arms : int
        Number of arms.
    horizon : int
        Number of duels, for policies that need it; otherwise 0.
    seed : int
        Seed of the policy's random numbers.

    Attributes
    ----------
    pair : tuple of int or None
        The pair that `select` returned, until its outcome is given.
    n_steps : int
        Number of steps so far, tied duels and self-duels included.

    Examples
    --------
    >>> stepper = rankduel.start("rucb", n_arms=3, seed=1)
    >>> first, second = stepper.select()
    >>> stepper.update(first_won=True)
    >>> stepper.n_steps
    1
    """

    def __init__(self, configured: Configured, n_arms: int, horizon: int, seed: int) -> None:
        self.configured, self.n_arms, self.horizon, self.seed = configured, n_arms, horizon, seed
        self.pair: tuple[int, int] | None = None
        self._outcomes = bytearray()  # 0, 1 or TIED for each step so far
        self._choices = 0  # digest of the pairs of these steps
        self._rng = np.random.default_rng(seed)
        self._params = kernel_params(configured, horizon)
        self._state: Any = first_state(configured, n_arms, self._params, self._rng) if n_arms > 1 else ()
        self._policy = stepping(configured.thing)

    @property
    def n_steps(self) -> int:
        """Return the number of steps so far, tied duels and self-duels included."""
        return len(self._outcomes)

    def select(self) -> tuple[int, int]:
        """Return the pair to compare, the same pair until its outcome is given.

        Returns
        -------
        tuple of int
            First and second arm. If they are equal, no comparison is needed: show that arm alone, and call
            `update` with any outcome.
        """
        if self.pair is None:
            select = self._policy.select
            pair = self._call(select, self._state, self._params, self._rng) if self.n_arms > 1 else (0, 0)
            first, second = map(int, pair)
            if not (0 <= first < self.n_arms and 0 <= second < self.n_arms):
                raise self._illegal(self.n_steps + 1, first, second)
            self.pair = first, second
        return self.pair

    def update(self, first_won: bool) -> None:
        """Give the policy the outcome of the pair that `select` returned.

        Parameters
        ----------
        first_won : bool
            Whether the first arm won; without meaning if both arms are equal.
        """
        pair = self._record_outcome(int(bool(first_won)))
        if self.n_arms > 1:
            self._call(self._policy.update, self._state, self._params, *pair, bool(first_won))

    def pass_over(self) -> None:
        """Record that the duel was tied; the policy learns nothing from it."""
        self._record_outcome(TIED)

    def recommend(self) -> int:
        """Return the best arm by the duels so far; -1 if the policy does not recommend arms."""
        if self.n_arms == 1:
            return 0
        recommend = self._policy.recommend
        return int(recommend(self._state, self._params)) if recommend else -1

    def answers(self) -> list[int]:
        """Return all arms of the answer, ascending; only the best arm if the policy has no larger answers."""
        chosen = np.zeros(self.n_arms, np.bool_)
        if self.n_arms > 1 and self._policy.answers:
            self._policy.answers(self._state, self._params, chosen)
        best = self.recommend()
        if best >= 0:
            chosen[best] = True
        return [int(arm) for arm in np.flatnonzero(chosen)]

    def scores(self) -> np.ndarray:
        """Return the scores by which the policy orders the arms, larger ones for better arms.

        Returns
        -------
        ndarray of shape (n_arms,)
            For example, the wins of each arm in the final phase of ``prefbest``. NaN for arms without a
            score, and for all arms if the policy has no scores. An arm that has no opponents scores 1.
        """
        found = np.full(self.n_arms, np.nan)
        if self._policy.scores and self.n_arms > 1:
            self._policy.scores(self._state, self._params, found)
        elif self._policy.scores:
            found[0] = 1.0
        return found

    def finished(self) -> bool:
        """Return whether nothing is left to compare."""
        finished = self._policy.finished
        return self.n_arms == 1 or bool(finished and finished(self._state, self._params))

    def committed(self) -> list[tuple[int, int]]:
        """Return the coming comparisons that do not depend on any outcome, at most 100,000 of them.

        They can be made at the same time. The first is the pair of `select`, and `select` returns the others
        in this order.

        Returns
        -------
        list of tuple of int
            First and second arm of each comparison.
        """
        first = self.select()
        if self._policy.plan is None or self.n_arms == 1 or first[0] == first[1]:
            return [first]
        agenda = self._state.agenda
        pairs = agenda.pairs[: agenda.now[0].n_pairs]
        played = int(agenda.now[0].played)
        left = range(played, min(len(pairs) * int(agenda.now[0].times), played + _MOST_COMMITTED))
        return [(int(pairs[step % len(pairs), 0]), int(pairs[step % len(pairs), 1])) for step in left]

    def save(self, path: str | Path) -> None:
        """Write a file from which `restore` continues.

        The file holds the outcome of every duel. It is renamed into place when it is complete.

        Parameters
        ----------
        path : str or Path
            The file, which is replaced if it exists.

        Raises
        ------
        RankduelError
            If there are more than 4,000,000 duels or 10,000 arms.
        """
        if self.n_steps > MOST_DUELS or self.n_arms > _MOST_ARMS:
            raise PolicyError(
                f"{path}: {self.n_steps:,} duels of {self.n_arms:,} arms; a saved policy holds at most "
                f"{MOST_DUELS:,} duels of {_MOST_ARMS:,} arms"
            )
        configured, thing = self.configured, self.configured.thing
        content = {
            "rankduel": version("rankduel"),
            "policy": thing.name if thing.is_built_in else str(Path(thing.name).resolve()),
            "settings": {name: configured.get(name) for name in configured.params._fields},
            "n_arms": self.n_arms,
            "horizon": self.horizon,
            "seed": self.seed,
            "pending": self.pair is not None,
            "choices": self._choices,
            "outcomes": "".join(map(_OUTCOMES.__getitem__, self._outcomes)),
        }
        write_json(path, _FILE, content)

    def _play_again(self, outcomes: np.ndarray) -> None:
        """Play the duels with these outcomes (int8: 0, 1 or TIED)."""
        if self.n_arms == 1 or len(outcomes) <= _FEW or is_plain(self.configured.thing):
            for outcome in outcomes.tolist():
                self.select()
                if outcome == TIED:
                    self.pass_over()
                else:
                    self.update(outcome == 1)
            return
        progress = record(_Progress())
        replay = _replay_of(self.configured.thing)
        self._call(replay, self._state, self._params, outcomes, progress, self.n_arms, self._rng)
        now = progress[0]
        if now.illegal:
            raise self._illegal(now.step, now.first, now.second)
        self._choices = int(now.choices)
        self._outcomes += outcomes.tobytes()

    def _record_outcome(self, outcome: int) -> tuple[int, int]:
        """Record the outcome of the pair that `select` returned; return the pair."""
        if self.pair is None:
            raise PolicyError("there is no duel to decide: call select() first, once for every duel")
        pair, self.pair = self.pair, None
        self._outcomes.append(outcome)
        self._choices = _extended_digest(self._choices, *pair)
        return pair

    def _call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function of the policy; an arithmetic error names the settings, which are too extreme."""
        try:
            return function(*arguments)
        except ArithmeticError as problem:
            raise too_extreme(self.configured, self.n_steps + 1, problem) from problem

    def _illegal(self, step: int, first: int, second: int) -> PolicyError:
        return PolicyError(
            f"{self.configured}: step {step}: select returned ({first}, {second}); "
            f"expected two arms from 0 to {self.n_arms - 1}"
        )


def start(configured: Configured | str, n_arms: int, *, seed: int = 0, horizon: float = 0) -> Stepper:
    """Start a policy that is played one step at a time, with outcomes of real duels.

    Parameters
    ----------
    configured : Configured or str
        A policy from `policy`, or its name.
    n_arms : int
        Number of arms.
    seed : int, default 0
        Seed of the policy's random numbers, from 0.
    horizon : float, default 0
        Number of duels, for policies that need it in advance.

    Returns
    -------
    Stepper
        ``select()`` returns the pair to duel, ``update(first_won)`` takes the outcome, ``recommend()``
        returns the best arm so far, ``answers()`` all best arms, ``scores()`` the scores behind them, and
        ``save(path)`` writes a file from which `restore` continues.

    Raises
    ------
    RankduelError
        If the policy is unknown or compares sets of arms, or if it needs the horizon and none is given.

    Examples
    --------
    >>> stepper = rankduel.start("rucb", n_arms=3, seed=1)
    >>> for _ in range(200):
    ...     first, second = stepper.select()
    ...     stepper.update(first_won=first < second)
    >>> stepper.recommend()
    0
    """
    configured = configured_policy(configured)
    check_type("n_arms", n_arms, (int, float, np.number), "a whole number from 1")
    if configured.thing.sets:
        raise PolicyError(f"{configured} compares whole sets of arms; single duels need another policy")
    if n_arms != int(n_arms) or n_arms < 1:
        raise PolicyError(f"n_arms is {n_arms}; expected a whole number from 1")
    if configured.needs_horizon and not (horizon or configured.params.horizon):
        raise PolicyError(f"{configured} needs the number of duels in advance: give horizon=...")
    steps = checked_horizon(horizon) if horizon else 0
    return Stepper(configured, int(n_arms), steps, checked_seed(seed))


def restore(path: str | Path, policy: str | Path | None = None) -> Stepper:
    """Restore a policy that `Stepper.save` wrote, ready for its next duel.

    The saved duels are played again, which takes a few seconds per million.

    Parameters
    ----------
    path : str or Path
        The saved file.
    policy : str or Path, optional
        The Python file of a policy of your own. It is code that is run, so it has to be named here, even
        though the saved file names it.

    Returns
    -------
    Stepper
        The policy in the state in which it was saved.

    Raises
    ------
    RankduelError
        If the file is missing, damaged, or written by another version of rankduel; or if it needs a policy
        file and `policy` does not name one.

    Examples
    --------
    >>> stepper = rankduel.start("rucb", n_arms=3, seed=1)
    >>> pair = stepper.select()
    >>> stepper.save("evaluation.json")
    >>> rankduel.restore("evaluation.json").select() == pair
    True
    """
    saved = _read(Path(path))
    thing = _saved_policy(saved, policy)
    try:
        configured = configure(thing, **saved.settings)
        stepper = start(configured, saved.n_arms, seed=saved.seed, horizon=saved.horizon)
    except MemoryError:
        raise RecordsError(f"{path}: {saved.n_arms:,} arms of {thing.name} need more memory") from None
    except RankduelError as problem:
        raise RecordsError(f"{path}: {problem}") from None
    stepper._play_again(saved.outcomes)
    if stepper._choices != saved.choices:
        raise RecordsError(
            f"{path}: {thing.name} chooses other pairs now than when it was saved; the version of the policy "
            "differs. Use the version that saved it, or start again"
        )
    if saved.pending:
        stepper.select()
    return stepper


class _Saved(NamedTuple):
    """Content of a saved policy."""

    path: Path
    policy: str
    settings: dict[str, Any]
    n_arms: int
    horizon: int
    seed: int
    pending: bool
    choices: int
    outcomes: np.ndarray  # int8


def _read(path: Path) -> _Saved:
    try:
        fields = read_json(path, _FILE)
    except FileNotFoundError:
        raise RecordsError(f"{path}: there is no such file") from None
    return _Saved(
        path=path,
        policy=fields.text("policy"),
        settings=fields.mapping("settings"),
        n_arms=fields.whole("n_arms", 1, _MOST_ARMS),
        horizon=fields.whole("horizon", 0, LONGEST),
        seed=fields.whole("seed", 0),
        pending=fields.flag("pending"),
        choices=fields.whole("choices", 0),
        outcomes=_outcomes(fields),
    )


def _outcomes(fields: Fields) -> np.ndarray:
    """Return the saved outcomes as int8: 0, 1 or TIED."""
    text = fields.text("outcomes")
    if len(text) > MOST_DUELS or not set(text) <= set(_OUTCOMES):
        expected = f"at most {MOST_DUELS:,} of the characters {' '.join(_OUTCOMES)}"
        raise fields.wrong("outcomes", "another text", expected)
    codes = text.translate({ord(mark): code for code, mark in enumerate(_OUTCOMES)})
    return np.frombuffer(codes.encode(), np.int8).copy()


def _saved_policy(saved: _Saved, named: str | Path | None) -> Policy:
    """Return the saved policy; its file is run only if the caller named it."""
    if saved.policy in POLICIES:
        if named is not None and str(named) != saved.policy:
            raise PolicyError(f"{saved.path}: saved with the policy {saved.policy}, not {named}")
        return POLICIES[saved.policy]
    if named is None:
        raise PolicyError(
            f"{saved.path}: saved with the policy file '{saved.policy}', which is code that would be run. If "
            "you trust it, name it: restore(path, policy='FILE.py')"
        )
    if str(named) in POLICIES:
        raise PolicyError(f"{saved.path}: saved with the policy file '{saved.policy}', not {named}")
    return load_policy(named)


def _extended_digest(digest: int, first: int, second: int) -> int:
    """Return the digest of a sequence of pairs with one more pair.

    It is below 2^31, so that int64 is enough for the products in compiled code.
    """
    return (digest * 1_000_003 + first * 131_071 + second + 1) % 2_147_483_629


_extended_digest_kernel = kernel(_extended_digest)


class _Progress(NamedTuple):
    choices: int = 0  # digest of the pairs so far
    step: int = 0  # this and the next two: step and result of the last `select`, if illegal
    first: int = 0
    second: int = 0
    illegal: bool = False  # `select` returned no pair of arms


_replays: dict[Any, Callable[..., Any]] = {}


def _replay_of(policy: Policy) -> Callable[..., Any]:
    """Return the loop that plays recorded outcomes of a policy."""
    key = (policy.name, *policy.functions)
    if key not in _replays:
        _replays[key] = compiled_loop(_make_replay, policy)
    return _replays[key]


def _make_replay(policy: Policy, plain: bool) -> Callable[..., Any]:
    """Return a loop that plays recorded outcomes instead of duels."""
    select, update = policy.select, policy.update
    extended_digest, is_legal = _extended_digest_kernel, is_pair_of_arms

    def replay(state: Any, params: Any, outcomes: Any, progress: Any, n_arms: Any, rng: Any) -> None:
        now = progress[0]
        for step in range(len(outcomes)):
            first, second = select(state, params, rng)
            if not is_legal(first, second, n_arms):
                now.step, now.first, now.second, now.illegal = step + 1, first, second, True
                return
            now.choices = extended_digest(now.choices, first, second)
            if outcomes[step] != TIED:
                update(state, params, first, second, outcomes[step] == 1)

    if plain:
        return replay
    as_loop = entry if may_allocate(policy.functions) else loop
    return labelled(as_loop(replay), policy.name)
