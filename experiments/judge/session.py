"""A judging session: which of two items is better, asked of people, until a policy knows the best.

    DIR/session.json      the items, the policy, the seed, how many judgments at most, and a checksum
    DIR/judgments/*.csv   what came in, one file each time; files are only ever added

Nothing else is kept. The policy's state is made from the judgments, anew by every command, so killing one at
any moment loses nothing. Several people may add judgments at the same time: a lock makes one of them wait.

Comparisons are numbered in the order in which the policy takes them in, and a judgment names its comparison
by that number. A policy that works in batches has many comparisons open at once; their judgments may come in
any order. A pair goes to an assessor once, so judgments of a pair are those of different people.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bandits import Stepper, start
from bandits.steps import LONGEST, checked_horizon
from experiments.judge.judgments import (
    TIE,
    Comparison,
    Judgment,
    alone_in,
    is_plain_text,
    taken_in,
    write_judgments,
    written_judgments,
)
from experiments.judge.spreadsheet import csv_rows
from experiments.specs import parse_policy, policy_file
from rankduel.base.checked_json import read_checked_json, write_checked_json
from rankduel.base.errors import DataError, PolicyError, RankduelError, RecordsError, UsageError
from rankduel.base.files import saying_where
from rankduel.base.settings import Configured
from rankduel.base.streams import checked_seed, stream

_ABOUT, _JUDGMENTS = "session.json", "judgments"
_FORMAT = 2
_LARGEST = 200_000_000  # bytes of session.json
_MOST_RESTS = 1000  # a policy that lets an arm meet itself so often in a row asks for nothing more


class SessionStatus(NamedTuple):
    judgments: int  # taken in by the policy
    ahead: int  # judged, but after a comparison that is not
    open: int  # asked for and not judged
    best: tuple[str, ...]  # the answer, if judging stopped now
    finished: bool
    judgments_per_pair: int  # of the pair judged most often: so many assessors are needed


class _Course(NamedTuple):
    """How far this process has come; what was added since is taken in when somebody asks."""

    stepper: Stepper
    judged: list[Comparison]  # taken in by the policy
    known: dict[int, Judgment]  # all there are, by the number of their comparison
    read: set[Path]


@dataclass(frozen=True, eq=False)
class Session:
    """Made by `start_session` or `open_session`."""

    folder: Path
    items: tuple[str, ...]
    configured: Configured
    seed: int
    budget: int  # 0: as many as the policy wants

    @property
    def policy(self) -> str:
        """The policy as it is written on the command line."""
        return str(self.configured)

    def next_pairs(self, assessor: str = "") -> list[Comparison]:
        """Return the comparisons to judge now; none if the session is finished.

        For an `assessor` with a name, no pair that this assessor judged before, and each pair once.
        """
        pairs = [one for one in self._certain() if one.id not in self._course.known]
        if not assessor:
            return pairs
        seen = {one.comparison.pair for one in self._course.known.values() if one.assessor == assessor}
        new = {pair.pair: pair for pair in reversed(pairs) if pair.pair not in seen}
        return sorted(new.values())

    def add(self, rows: Sequence[Mapping[str, str]], where: str = "judgments") -> int:
        """Take in rows with an `id` and a `winner`, all of them or none; return how many are new.

        The winner is left, right, or tie, in which case a coin decides; it is not the name of an item. Rows
        without one are left open. A row may also name its `left` and `right`, which are then checked, and its
        `assessor`. A comparison is judged once, and a pair by an assessor once; other rows are refused.
        """
        folder = self.folder / _JUDGMENTS
        with alone_in(folder):
            asked = {comparison.id: comparison for comparison in self._certain()}
            known = self._course.known
            asked |= {number: judgment.comparison for number, judgment in known.items()}
            new = taken_in(rows, asked, known, where)
            if new:
                write_judgments(folder, new)
        return len(new)

    def progress(self) -> SessionStatus:
        n_open = len(self.next_pairs())
        n_certain = len(self._certain())
        stepper, judged, _, _ = self._course
        times = Counter(comparison.pair for comparison in judged)
        return SessionStatus(
            judgments=len(judged),
            ahead=n_certain - n_open,
            open=n_open,
            best=tuple(self.items[index] for index in sorted(self._labels[stepper.answers()])),
            finished=n_open == 0,
            judgments_per_pair=max(times.values(), default=0),
        )

    @cached_property
    def _labels(self) -> np.ndarray:
        """The item behind each arm of the policy: in random order, so that no place is favoured."""
        return stream(self.seed, "judging", "labels").permutation(len(self.items))

    def _item(self, arm: int) -> str:
        return self.items[self._labels[arm]]

    @cached_property
    def _course(self) -> _Course:
        stepper = start(self.configured, len(self.items), seed=self.seed, horizon=self.budget)
        return _Course(stepper, [], {}, set())

    def _certain(self) -> list[Comparison]:
        """The comparisons that are certain to come, the first of which is not judged."""
        self._take_in()
        stepper, n_judged = self._course.stepper, len(self._course.judged)
        if self._is_over(stepper, n_judged):
            return []
        numbered = enumerate(stepper.committed(), start=n_judged + 1)
        return [self._comparison(*one) for one in numbered if not self.budget or one[0] <= self.budget]

    def _take_in(self) -> None:
        """Tell the policy all judgments up to the first that is missing."""
        self._read_new()
        stepper, judged, known, _ = self._course
        while not self._is_over(stepper, len(judged)):
            comparison = self._comparison(len(judged) + 1, stepper.select())
            judgment = known.get(comparison.id)
            if judgment is None:
                return
            if judgment.comparison != comparison:
                raise RecordsError(
                    f"{self.folder}: comparison {comparison.id} was judged as {_both(judgment.comparison)}, "
                    f"and is {_both(comparison)} now: the session was made by another version of rankduel or "
                    "of the policy. Finish it with that one, or start a new session"
                )
            stepper.update(self._first_won(judgment, stepper.select()))
            judged.append(comparison)

    def _is_over(self, stepper: Stepper, n_judged: int) -> bool:
        spent = self.budget > 0 and n_judged >= self.budget
        return spent or stepper.finished() or not _goes_on(stepper)

    def _comparison(self, number: int, pair: tuple[int, int]) -> Comparison:
        """With the sides drawn by lot: people favour one."""
        one, other = (self._item(arm) for arm in pair)
        swapped = self._coin("sides", number)
        return Comparison(number, other, one) if swapped else Comparison(number, one, other)

    def _first_won(self, judgment: Judgment, pair: tuple[int, int]) -> bool:
        comparison, winner, _ = judgment
        if winner == TIE:
            return self._coin("tie", comparison.id)
        return bool(getattr(comparison, winner) == self._item(pair[0]))

    def _coin(self, what: str, number: int) -> bool:
        return bool(stream(self.seed, "judging", what, number).random() < 0.5)

    def _read_new(self) -> None:
        """Judgments in files that were not there before."""
        known, read = self._course.known, self._course.read
        for path in sorted(set((self.folder / _JUDGMENTS).glob("*.csv")) - read):
            for judgment in written_judgments(path):
                number = judgment.comparison.id
                before = known.setdefault(number, judgment)
                if before != judgment:
                    raise RecordsError(
                        f"{path}: comparison {number} was judged here and in another file: two people added "
                        "at the same time, where files cannot be locked. Move one of the two files "
                        "elsewhere, and add its other rows again"
                    )
            read.add(path)


def start_session(
    folder: str | Path, items: Sequence[str], policy: str, seed: int = 0, budget: float = 0
) -> Session:
    """Start a session in a folder that has none; the policy as it is written on the command line.

    A policy file is run: the caller named it.
    """
    folder = Path(folder)
    configured = _in_its_place(parse_policy(policy, trust=True))
    _refuse_session_in(folder)
    _check_items(items)
    seed = checked_seed(seed)
    if budget != 0:
        budget = _checked_budget(budget)
    if not budget and (configured.thing.finished is None or configured.needs_horizon):
        raise PolicyError(
            f"{configured} does not end by itself: say with a budget how many judgments at most"
        )
    about = {
        "format": _FORMAT,
        "rankduel": version("rankduel"),
        "items": list(items),
        "policy": str(configured),
        "seed": seed,
        "budget": int(budget),
    }
    session = Session(folder, tuple(items), configured, seed, int(budget))
    session.next_pairs()  # a policy that cannot lead it says so before anything is written
    with saying_where(folder, RecordsError):
        (folder / _JUDGMENTS).mkdir(parents=True, exist_ok=True)
    with alone_in(folder):
        _refuse_session_in(folder)  # which began in the meantime
        with saying_where(folder / _ABOUT, RecordsError):
            write_checked_json(folder / _ABOUT, about)
    return session


def open_session(folder: str | Path, policy: str | None = None, *, trust: bool = False) -> Session:
    """Open the session in a folder.

    A session that is led by a policy file is opened only if the caller names that file as `policy`, or says
    with `trust` that whichever file the session names may be run.
    """
    path = Path(folder) / _ABOUT
    try:
        fields = read_checked_json(path, "a session that 'rankduel judge start' wrote", _LARGEST)
    except FileNotFoundError:
        raise RecordsError(
            f"{folder}: no session in it; 'rankduel judge start POOL {folder}' begins one"
        ) from None
    if fields.whole("format", 0) != _FORMAT:
        raise RecordsError(
            f"{path}: made by another version of rankduel (format {fields.whole('format', 0)}; expected "
            f"{_FORMAT}). Finish it with that one, or start a new session"
        )
    items = fields.texts("items")
    seed = fields.whole("seed", 0)
    budget = fields.whole("budget", 0, LONGEST)
    try:
        _check_items(items)
        configured = _led_by(fields.text("policy"), policy, trust)
    except RankduelError as problem:
        raise type(problem)(f"{path}: {problem}") from None
    return Session(Path(folder), tuple(items), configured, seed, budget)


def read_pool(text: str, where: str = "the pool") -> tuple[str, ...]:
    """Item names: the column 'item' of CSV text, or one name per line. Empty ones are skipped."""
    names = text.splitlines()
    if "item" in (names[0] if names else "").replace('"', "").split(","):
        columns, *rows = csv_rows(text, where)
        if "item" not in columns:  # quotes that stand elsewhere than around it, or do not end
            raise DataError(f"{where}, line 1: the columns are {columns[:5]}; expected one that is 'item'")
        place = columns.index("item")
        names = [row[place] for row in rows if len(row) > place]
    return tuple(name.strip() for name in names if name.strip())


def _refuse_session_in(folder: Path) -> None:
    if (folder / _ABOUT).exists():
        raise RecordsError(f"{folder} holds a session already; go on with it, or choose another folder")


def _check_items(items: Sequence[str]) -> None:
    if not items:
        raise DataError("the pool is empty; expected at least one item")
    name, times = Counter(items).most_common(1)[0]
    if times > 1:
        raise DataError(f"'{name}' is in the pool {times} times; every item needs a name of its own")
    for name in items:
        if not is_plain_text(name):
            raise DataError(f"{name!a} cannot be the name of an item; expected text that a file can hold")


def _checked_budget(budget: float) -> int:
    try:
        return checked_horizon(budget)
    except UsageError:
        raise UsageError(
            f"the budget is {budget}; expected a number of judgments up to {LONGEST:g}, or 0 for no limit"
        ) from None


def _in_its_place(configured: Configured) -> Configured:
    """Return a policy whose file is named by its whole path, which means the same from every folder."""
    thing = configured.thing
    if thing.is_built_in:
        return configured
    return configured._replace(thing=thing._replace(name=str(Path(thing.name).resolve())))


def _led_by(text: str, named: str | None, trust: bool) -> Configured:
    """Return the policy `text` of a session, where the caller may have `named` it."""
    if named is None:
        return parse_policy(text, trust=trust)
    in_session = policy_file(text)
    given = policy_file(named)
    if in_session and given:
        found = parse_policy(given.path + in_session.settings, trust=True)
        if not given.settings or parse_policy(named, trust=True).params == found.params:
            return _in_its_place(found)
    elif not in_session and not given and parse_policy(named) == parse_policy(text):
        return parse_policy(text)
    raise PolicyError(f"the session is led by {text}, not by {named}")


def _both(comparison: Comparison) -> str:
    return f"'{comparison.left}' and '{comparison.right}'"


def _goes_on(stepper: Stepper) -> bool:
    """Is there a pair to compare? An arm that is to meet itself does so first."""
    for _ in range(_MOST_RESTS):
        first, second = stepper.select()
        if first != second:
            return True
        stepper.update(True)
    return False
