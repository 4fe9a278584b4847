"""A judging session: people judge which of two items is better, and a policy chooses the pairs.

    DIR/session.json      items, policy, seed, largest number of judgments, and a digest
    DIR/judgments/*.csv   judgments, one file per call of `add`; files are added, never changed

Nothing else is stored. Every command replays the judgments to restore the state of the policy, so an
interrupted command loses nothing. A lock serialises processes that add judgments at the same time.

Comparisons are numbered in the order in which the policy is updated, and a judgment refers to its comparison
by this number. A policy that works in batches has many open comparisons, whose judgments may arrive in any
order. An assessor judges a pair at most once, so several judgments of a pair are from different people.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from rankduel.bandits import Stepper, start
from rankduel.bandits.own_file import policy_file
from rankduel.bandits.steps import LONGEST, checked_horizon
from rankduel.base.errors import DataError, PolicyError, RankduelError, RecordsError, UsageError
from rankduel.base.files import convert_write_errors
from rankduel.base.results import plain
from rankduel.base.settings import Configured
from rankduel.base.stored import Kind, read_json, write_json
from rankduel.base.streams import checked_seed, stream
from rankduel.experiments.judge.judgments import (
    TIE,
    Comparison,
    Judgment,
    ToJudge,
    is_plain_text,
    locked,
    new_judgments,
    read_judgment_file,
    write_judgments,
)
from rankduel.experiments.judge.spreadsheet import csv_rows
from rankduel.experiments.specs import parse_policy

_ABOUT, _JUDGMENTS = "session.json", "judgments"
_FILE = Kind("a judging session", "'rankduel judge start' starts a new session", most_bytes=200_000_000)
_MOST_SELF_DUELS = 1000  # a policy that selects an arm against itself this often in a row is finished


class SessionStatus(NamedTuple):
    """Progress of a session."""

    judgments: int  # with which the policy is updated
    ahead: int  # judged, but after a comparison that is not judged yet
    open: int  # comparisons to judge
    best: tuple[str, ...]  # best items according to the judgments so far
    finished: bool
    judgments_per_pair: int  # of the pair judged most often, which is the number of assessors needed
    items: int
    policy: str  # name and settings

    def to_pandas(self) -> pd.DataFrame:
        """Return one row per best item."""
        return pd.DataFrame({"best": self.best})

    def to_dict(self) -> dict[str, Any]:
        """Return all values as plain Python objects."""
        values: dict[str, Any] = plain(self._asdict())
        return values


class _Replay(NamedTuple):
    """The judgments that this process has read, and the policy updated with them."""

    stepper: Stepper
    judged: list[Comparison]  # with which the policy is updated
    known: dict[int, Judgment]  # all judgments, by the number of their comparison
    read: set[Path]


@dataclass(frozen=True, eq=False)
class Session:
    """A judging session; made by `start_session` or `open_session`."""

    folder: Path
    items: tuple[str, ...]
    configured: Configured
    seed: int
    budget: int  # largest number of judgments; 0 for no limit

    @property
    def policy(self) -> str:
        """Name and settings of the policy, as on the command line."""
        return str(self.configured)

    def next_pairs(self, assessor: str = "") -> list[Comparison]:
        """Return the comparisons to judge now; an empty list if the session is finished.

        If `assessor` is given, pairs that this assessor has judged are left out, and each pair occurs once.
        """
        pairs = [one for one in self._committed() if one.id not in self._replay.known]
        if not assessor:
            return pairs
        seen = {one.comparison.pair for one in self._replay.known.values() if one.assessor == assessor}
        new = {pair.pair: pair for pair in reversed(pairs) if pair.pair not in seen}
        return sorted(new.values())

    def to_judge(self, assessor: str = "", limit: int | None = None) -> ToJudge:
        """Return the first `limit` of `next_pairs`, as a table to be filled in by `assessor`."""
        return ToJudge(tuple(self.next_pairs(assessor)[:limit]), assessor)

    def add(self, rows: Sequence[Mapping[str, str]], where: str = "judgments") -> int:
        """Add rows with an `id` and a `winner`, all of them or none; return the number of new judgments.

        The winner is "left", "right" or "tie", not the name of an item; the policy sees a random winner for a
        tie. Rows without a winner stay open. A row may contain `left` and `right`, which are then checked,
        and `assessor`. A comparison is judged once, and a pair once by an assessor; otherwise DataError is
        raised. `where` names the source of the rows in messages.
        """
        folder = self.folder / _JUDGMENTS
        with locked(folder):
            asked = {comparison.id: comparison for comparison in self._committed()}
            known = self._replay.known
            asked |= {number: judgment.comparison for number, judgment in known.items()}
            new = new_judgments(rows, asked, known, where)
            if new:
                write_judgments(folder, new)
        return len(new)

    def progress(self) -> SessionStatus:
        """Return the number of judgments, the open comparisons and the best items so far."""
        n_open = len(self.next_pairs())
        n_certain = len(self._committed())
        stepper, judged, _, _ = self._replay
        times = Counter(comparison.pair for comparison in judged)
        return SessionStatus(
            judgments=len(judged),
            ahead=n_certain - n_open,
            open=n_open,
            best=tuple(self.items[index] for index in sorted(self._labels[stepper.answers()])),
            finished=n_open == 0,
            judgments_per_pair=max(times.values(), default=0),
            items=len(self.items),
            policy=self.policy,
        )

    @cached_property
    def _labels(self) -> np.ndarray:
        """Item number of each arm of the policy; a random order, so that no place in the pool is favoured."""
        return stream(self.seed, "judging", "labels").permutation(len(self.items))

    def _item(self, arm: int) -> str:
        return self.items[self._labels[arm]]

    @cached_property
    def _replay(self) -> _Replay:
        stepper = start(self.configured, len(self.items), seed=self.seed, horizon=self.budget)
        return _Replay(stepper, [], {}, set())

    def _committed(self) -> list[Comparison]:
        """Return the comparisons to which the policy is committed; the first is not judged yet."""
        self._update_policy()
        stepper, n_judged = self._replay.stepper, len(self._replay.judged)
        if self._is_over(stepper, n_judged):
            return []
        numbered = enumerate(stepper.committed(), start=n_judged + 1)
        return [self._comparison(*one) for one in numbered if not self.budget or one[0] <= self.budget]

    def _update_policy(self) -> None:
        """Update the policy with all judgments up to the first comparison that is not judged."""
        self._read_new()
        stepper, judged, known, _ = self._replay
        while not self._is_over(stepper, len(judged)):
            comparison = self._comparison(len(judged) + 1, stepper.select())
            judgment = known.get(comparison.id)
            if judgment is None:
                return
            if judgment.comparison != comparison:
                raise RecordsError(
                    f"{self.folder}: comparison {comparison.id} was judged as {_both(judgment.comparison)}, "
                    f"and is {_both(comparison)} now: the session was made by another version of rankduel or "
                    "of the policy. Finish it with that version, or start a new session"
                )
            stepper.update(self._first_won(judgment, stepper.select()))
            judged.append(comparison)

    def _is_over(self, stepper: Stepper, n_judged: int) -> bool:
        spent = self.budget > 0 and n_judged >= self.budget
        return spent or stepper.finished() or not _reaches_pair(stepper)

    def _comparison(self, number: int, pair: tuple[int, int]) -> Comparison:
        """Return the comparison of a pair of arms, with random sides, since assessors may favour one."""
        one, other = (self._item(arm) for arm in pair)
        swapped = self._fair_draw("sides", number)
        return Comparison(number, other, one) if swapped else Comparison(number, one, other)

    def _first_won(self, judgment: Judgment, pair: tuple[int, int]) -> bool:
        comparison, winner, _ = judgment
        if winner == TIE:
            return self._fair_draw("tie", comparison.id)
        return bool(getattr(comparison, winner) == self._item(pair[0]))

    def _fair_draw(self, purpose: str, number: int) -> bool:
        return bool(stream(self.seed, "judging", purpose, number).random() < 0.5)

    def _read_new(self) -> None:
        """Read the files of judgments that were added since the last call."""
        known, read = self._replay.known, self._replay.read
        for path in sorted(set((self.folder / _JUDGMENTS).glob("*.csv")) - read):
            for judgment in read_judgment_file(path):
                number = judgment.comparison.id
                before = known.setdefault(number, judgment)
                if before != judgment:
                    raise RecordsError(
                        f"{path}: comparison {number} is judged here and in another file: two processes "
                        "added judgments at the same time on a disk without locks. Move one of the two files "
                        "elsewhere, and add its other rows again"
                    )
            read.add(path)


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


def start_session(
    folder: str | Path, items: Sequence[str], policy: str, seed: int = 0, budget: float = 0
) -> Session:
    """Start a session in a folder without one.

    `policy` is a name with settings, as on the command line, or a Python file, which is run.
    """
    folder = Path(folder)
    configured = _with_absolute_path(parse_policy(policy, trust=True))
    _refuse_session_in(folder)
    _check_items(items)
    seed = checked_seed(seed)
    if budget != 0:
        budget = _checked_budget(budget)
    if not budget and (configured.thing.finished is None or configured.needs_horizon):
        raise PolicyError(
            f"{configured} does not stop by itself; expected a budget, the largest number of judgments"
        )
    about = {
        "rankduel": version("rankduel"),
        "items": list(items),
        "policy": str(configured),
        "seed": seed,
        "budget": int(budget),
    }
    session = Session(folder, tuple(items), configured, seed, int(budget))
    session.next_pairs()  # raises an error if the policy does not fit, before anything is written
    with convert_write_errors(folder, RecordsError):
        (folder / _JUDGMENTS).mkdir(parents=True, exist_ok=True)
    with locked(folder):
        _refuse_session_in(folder)  # another process may have started one
        write_json(folder / _ABOUT, _FILE, about)
    return session


def open_session(folder: str | Path, policy: str | None = None, *, trust: bool = False) -> Session:
    """Open the session in a folder.

    If its policy is a Python file, the session is opened only if the caller names that file as `policy`, or
    allows the file that the session names to be run, with `trust`.
    """
    path = Path(folder) / _ABOUT
    try:
        fields = read_json(path, _FILE)
    except FileNotFoundError:
        raise RecordsError(
            f"{folder}: no session there; 'rankduel judge start POOL {folder}' starts one"
        ) from None
    items = fields.texts("items")
    seed = fields.whole("seed", 0)
    budget = fields.whole("budget", 0, LONGEST)
    try:
        _check_items(items)
        configured = _session_policy(fields.text("policy"), policy, trust)
    except RankduelError as problem:
        raise type(problem)(f"{path}: {problem}") from None
    return Session(Path(folder), tuple(items), configured, seed, budget)


def read_pool(text: str, where: str = "the pool") -> tuple[str, ...]:
    """Return item names: the column 'item' of CSV text, or one name per line; empty names are skipped."""
    names = text.splitlines()
    if "item" in (names[0] if names else "").replace('"', "").split(","):
        columns, *rows = csv_rows(text, where)
        if "item" not in columns:  # misplaced or unclosed quotes
            raise DataError(f"{where}, line 1: the columns are {columns[:5]}; expected a column 'item'")
        place = columns.index("item")
        names = [row[place] for row in rows if len(row) > place]
    return tuple(name.strip() for name in names if name.strip())


def _refuse_session_in(folder: Path) -> None:
    if (folder / _ABOUT).exists():
        raise RecordsError(f"{folder} holds a session already; continue it, or choose another folder")


def _check_items(items: Sequence[str]) -> None:
    if not items:
        raise DataError("the pool is empty; expected at least one item")
    name, times = Counter(items).most_common(1)[0]
    if times > 1:
        raise DataError(f"'{name}' is in the pool {times} times; expected distinct names")
    for name in items:
        if not is_plain_text(name):
            raise DataError(f"{name!a} cannot be the name of an item; expected text that UTF-8 can encode")


def _checked_budget(budget: float) -> int:
    try:
        return checked_horizon(budget)
    except UsageError:
        raise UsageError(
            f"the budget is {budget}; expected a number of judgments up to {LONGEST:g}, or 0 for no limit"
        ) from None


def _with_absolute_path(configured: Configured) -> Configured:
    """Return the policy with the absolute path of its file, which is valid from every working folder."""
    thing = configured.thing
    if thing.is_built_in:
        return configured
    return configured._replace(thing=thing._replace(name=str(Path(thing.name).resolve())))


def _session_policy(text: str, named: str | None, trust: bool) -> Configured:
    """Return the policy `text` of a session; raise PolicyError if the caller `named` another."""
    if named is None:
        return parse_policy(text, trust=trust)
    in_session = policy_file(text)
    given = policy_file(named)
    if in_session and given:
        found = parse_policy(given.path + in_session.settings, trust=True)
        if not given.settings or parse_policy(named, trust=True).params == found.params:
            return _with_absolute_path(found)
    elif not in_session and not given and parse_policy(named) == parse_policy(text):
        return parse_policy(text)
    raise PolicyError(f"the policy of the session is {text}, not {named}")


def _both(comparison: Comparison) -> str:
    return f"'{comparison.left}' and '{comparison.right}'"


def _reaches_pair(stepper: Stepper) -> bool:
    """Play selections of an arm against itself; return whether a pair of two arms follows."""
    for _ in range(_MOST_SELF_DUELS):
        first, second = stepper.select()
        if first != second:
            return True
        stepper.update(True)
    return False
