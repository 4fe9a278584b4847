"""A judging session: which of two items is better, asked of people, until a policy knows the best.

    DIR/session.json      the items, the policy, the seed, how many judgments at most
    DIR/judgments/*.csv   what came in, one file each time; files are only ever added

Nothing else is kept. The policy's state is made from the judgments, anew by every command, so killing one at
any moment loses nothing, and several people may add judgments at the same time.

Comparisons are numbered in the order in which the policy takes them in, and a judgment names its comparison
by that number. A policy that works in batches has many comparisons open at once; their judgments may come in
any order.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bandits import Stepper, start
from experiments.specs import parse_policy
from rankduel.base.errors import DataError, PolicyError, RecordsError, UsageError
from rankduel.base.files import write_text
from rankduel.base.streams import stream

TIE = "tie"
SIDES = ("left", "right")
_ABOUT, _JUDGMENTS = "session.json", "judgments"
_MOST_RESTS = 1000  # a policy that lets an arm meet itself so often in a row asks for nothing more


class Comparison(NamedTuple):
    id: int  # from 1
    left: str
    right: str

    @property
    def pair(self) -> frozenset[str]:
        return frozenset((self.left, self.right))


class Judgment(NamedTuple):
    comparison: Comparison
    winner: str  # an item, or TIE
    assessor: str = ""


class SessionStatus(NamedTuple):
    judgments: int  # taken in by the policy
    ahead: int  # judged, but after a comparison that is not
    open: int  # asked for and not judged
    best: tuple[str, ...]  # the answer, if judging stopped now
    finished: bool
    judgments_per_pair: int  # of the pair judged most often: so many assessors are needed
    judged_again: dict[str, list[tuple[str, ...]]]  # pairs that an assessor was shown twice


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
    policy: str
    seed: int
    budget: int  # 0: as many as the policy wants

    def next_pairs(self) -> list[Comparison]:
        """The comparisons to judge now; none if the session is finished."""
        return [one for one in self._certain() if one.id not in self._course.known]

    def add(self, rows: Sequence[Mapping[str, str]], where: str = "judgments") -> int:
        """Take in rows with an `id` and a `winner`, all of them or none; how many are new.

        The winner is an item, left, right, or tie, in which case a coin decides. Rows without one are left
        open. A row may also name its `left` and `right`, which are then checked, and its `assessor`.
        """
        new = self._new(rows, where)
        if new:
            content = _as_csv([_row(judgment) for judgment in new], _COLUMNS)
            digest = hashlib.sha256(content.encode()).hexdigest()[:8]
            name = f"{new[0].comparison.id:06d}-{digest}.csv"
            write_text(self.folder / _JUDGMENTS / name, content)
        return len(new)

    def progress(self) -> SessionStatus:
        n_open = len(self.next_pairs())
        n_certain = len(self._certain())
        stepper, judged, known, _ = self._course
        times = Counter(comparison.pair for comparison in judged)
        shown = Counter((one.assessor, one.comparison.pair) for one in known.values() if one.assessor)
        again: dict[str, list[tuple[str, ...]]] = {}
        for assessor, pair in (key for key, n in shown.items() if n > 1):
            again.setdefault(assessor, []).append(tuple(sorted(pair)))
        return SessionStatus(
            judgments=len(judged),
            ahead=n_certain - n_open,
            open=n_open,
            best=tuple(self.items[index] for index in sorted(self._labels[stepper.answers()])),
            finished=n_open == 0,
            judgments_per_pair=max(times.values(), default=0),
            judged_again=again,
        )

    @cached_property
    def _labels(self) -> np.ndarray:
        """The item behind each arm of the policy: in random order, so that no place is favoured."""
        return stream(self.seed, "judging", "labels").permutation(len(self.items))

    def _item(self, arm: int) -> str:
        return self.items[self._labels[arm]]

    @cached_property
    def _course(self) -> _Course:
        stepper = start(parse_policy(self.policy), len(self.items), seed=self.seed, horizon=self.budget)
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
                    f"and is {_both(comparison)} now: the session was made by another version of rankduel. "
                    "Finish it with that one, or start a new session"
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
        if judgment.winner == TIE:
            return self._coin("tie", judgment.comparison.id)
        return judgment.winner == self._item(pair[0])

    def _coin(self, what: str, number: int) -> bool:
        return bool(stream(self.seed, "judging", what, number).random() < 0.5)

    def _read_new(self) -> None:
        """Judgments in files that were not there before."""
        known, read = self._course.known, self._course.read
        for path in sorted(set((self.folder / _JUDGMENTS).glob("*.csv")) - read):
            for judgment in _written(path):
                number = judgment.comparison.id
                before = known.setdefault(number, judgment)
                if before.winner != judgment.winner:
                    raise RecordsError(
                        f"{path}: comparison {number} was won by {judgment.winner}, and in another file by "
                        f"{before.winner}: it was judged twice at the same time. Remove one of the two rows"
                    )
            read.add(path)

    def _new(self, rows: Sequence[Mapping[str, str]], where: str) -> list[Judgment]:
        asked = {comparison.id: comparison for comparison in self._certain()}
        known = self._course.known
        asked |= {number: judgment.comparison for number, judgment in known.items()}
        new: dict[int, Judgment] = {}
        for line, row in enumerate(rows, start=2):
            judgment = _judgment(row, asked, f"{where}, line {line}")
            if judgment is None:
                continue
            number = judgment.comparison.id
            before = known.get(number) or new.setdefault(number, judgment)
            if before.winner != judgment.winner:
                raise DataError(
                    f"{where}, line {line}: comparison {number} is won by {judgment.winner}, and was won by "
                    f"{before.winner} before; judgments are not changed. {_NOTHING_TAKEN}"
                )
        return list(new.values())


def start_session(
    folder: str | Path, items: Sequence[str], policy: str, seed: int = 0, budget: int = 0
) -> Session:
    """A new session in a folder that has none; the policy as it is written on the command line."""
    folder = Path(folder)
    configured = parse_policy(policy)
    if (folder / _ABOUT).exists():
        raise RecordsError(f"{folder} holds a session already; go on with it, or choose another folder")
    if not items:
        raise DataError("the pool is empty; expected at least one item")
    name, times = Counter(items).most_common(1)[0]
    if times > 1:
        raise DataError(f"'{name}' is in the pool {times} times; every item needs a name of its own")
    if budget < 0:
        raise UsageError(f"the budget is {budget}; expected a number of judgments, or 0 for no limit")
    if not budget and (configured.thing.finished is None or configured.needs_horizon):
        raise PolicyError(
            f"{configured} does not end by itself: say with a budget how many judgments at most"
        )
    about = {"items": list(items), "policy": str(configured), "seed": int(seed), "budget": int(budget)}
    (folder / _JUDGMENTS).mkdir(parents=True, exist_ok=True)
    write_text(folder / _ABOUT, json.dumps(about, indent=1) + "\n")
    return open_session(folder)


def open_session(folder: str | Path) -> Session:
    path = Path(folder) / _ABOUT
    try:
        about = json.loads(path.read_text("utf-8"))
        items = tuple(str(item) for item in about["items"])
        return Session(Path(folder), items, str(about["policy"]), int(about["seed"]), int(about["budget"]))
    except FileNotFoundError:
        raise RecordsError(
            f"{folder}: no session in it; 'rankduel judge start POOL {folder}' begins one"
        ) from None
    except (ValueError, KeyError, TypeError):
        raise RecordsError(f"{path}: damaged; expected what 'rankduel judge start' wrote") from None


def read_pool(text: str) -> tuple[str, ...]:
    """Item names: the column 'item' of CSV text, or one name per line. Empty ones are skipped."""
    rows = list(csv.DictReader(io.StringIO(text)))
    names = [row["item"] or "" for row in rows] if rows and "item" in rows[0] else text.splitlines()
    return tuple(name.strip() for name in names if name.strip())


def read_judgments(text: str, where: str) -> list[dict[str, str]]:
    """Rows of CSV text, values without spaces around them."""
    reader = csv.DictReader(io.StringIO(text), restval="")
    missing = [column for column in ("id", "winner") if column not in (reader.fieldnames or ())]
    if missing:
        found = ", ".join(reader.fieldnames or ()) or "nothing"
        raise DataError(
            f"{where}: no column '{missing[0]}' (found {found}); expected what 'judge next' writes"
        )
    return [{key: value.strip() for key, value in row.items() if key is not None} for row in reader]


def pairs_csv(comparisons: Sequence[Comparison]) -> str:
    """To be filled in by assessors."""
    return _as_csv([comparison._asdict() for comparison in comparisons], _COLUMNS)


_COLUMNS = ("id", *SIDES, "winner", "assessor")
_NOTHING_TAKEN = "Nothing of the file was taken in"


def _as_csv(rows: Sequence[Mapping[str, object]], columns: Sequence[str]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def _row(judgment: Judgment) -> dict[str, object]:
    return judgment.comparison._asdict() | {"winner": judgment.winner, "assessor": judgment.assessor}


def _written(path: Path) -> list[Judgment]:
    """What `Session.add` wrote."""
    try:
        rows = read_judgments(path.read_text("utf-8"), str(path))
        return [
            Judgment(Comparison(int(row["id"]), row["left"], row["right"]), row["winner"], row["assessor"])
            for row in rows
        ]
    except (KeyError, ValueError):  # a DataError of `read_judgments` is one, too
        raise RecordsError(f"{path}: damaged; expected the columns {', '.join(_COLUMNS)}") from None


def _judgment(row: Mapping[str, str], asked: Mapping[int, Comparison], at: str) -> Judgment | None:
    """What a row says, if it says anything."""
    if not row.get("winner"):
        return None
    number = row.get("id", "")
    comparison = asked.get(int(number)) if number.isdecimal() else None
    if comparison is None:
        raise DataError(
            f"{at}: id is '{number}', which was not asked for; 'rankduel judge next' lists what is open. "
            f"{_NOTHING_TAKEN}"
        )
    for side in SIDES:
        expected = getattr(comparison, side)
        if row.get(side, "") not in ("", expected):
            raise DataError(
                f"{at}: {side} is '{row[side]}', and comparison {number} has '{expected}' there; is the file "
                f"from another session? {_NOTHING_TAKEN}"
            )
    return Judgment(comparison, _winner(row["winner"], comparison, at), row.get("assessor", ""))


def _winner(said: str, comparison: Comparison, at: str) -> str:
    if said in comparison.pair:
        return said
    meant = {"left": comparison.left, "right": comparison.right, TIE: TIE}.get(said.lower())
    if meant is None:
        raise DataError(
            f"{at}: the winner is '{said}'; expected '{comparison.left}', '{comparison.right}', left, right "
            f"or tie. {_NOTHING_TAKEN}"
        )
    return meant


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
