"""Preferences: for every pair of rankers, the probability that one beats the other, with its interval.

The file format is `NAME.prefs.parquet`, with one row per pair and the settings of the matrix. Plain K x K
matrices of probabilities, as text or .npy, can be read and written too.
"""

from __future__ import annotations

import hashlib
import os
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rankduel.bandits import checked_prefs, condorcet_winner
from rankduel.base.arguments import check_type
from rankduel.base.errors import MatrixError, UsageError, encodable
from rankduel.base.files import convert_write_errors, replacing
from rankduel.base.notebook import few, html_repr, short_repr
from rankduel.base.results import plain
from rankduel.base.settings import find
from rankduel.base.stored import Kind
from rankduel.base.stored_tables import DamagedTable, read_table, table_content
from rankduel.base.text import feature_list, shortened
from rankduel.experiments.matrix.builtin import FAMILIES, MATRICES, is_built_in, make_matrix, parse_matrix
from rankduel.letor_data.kinds import kind_of

# How a probability was found: in closed form; as a mean of exact odds given drawn ties or pages; from played
# duels; from multileaved pages; or given without further information.
METHODS = ("exact", "rao-blackwell", "simulated", "multileaved", "given")

_SCHEMA = {
    "first": str,  # names of rankers; files may also hold their numbers from 0
    "second": str,
    # Counts for `first`; sums of probabilities if no duels were played, NaN if only p is known.
    "wins": np.float64,
    "ties": np.float64,
    "losses": np.float64,
    "n": np.int64,  # duels, or summands of exact odds; 0 if only p is known
    "p": np.float64,  # probability that `first` beats `second`
    "lo": np.float64,
    "hi": np.float64,
    "method": object,
}
COLUMNS = tuple(_SCHEMA)
_NAMES = ("first", "second")
_ROUNDING = 1e-12
_SINGLE_ROUNDING = 1e-6
_FILE = Kind("preferences", "'rankduel matrix' makes such files", error=MatrixError)
_BY_QUERY = "by_query"
_PARQUET = ".parquet"
_LONGEST_REASON = 200  # characters of a message that quotes a file


@dataclass(frozen=True, eq=False, repr=False)
class Preferences:
    """Probabilities that rankers beat each other, made by `build_matrix` or `read_preferences`.

    Parameters
    ----------
    names : tuple of str
        Names of the rankers.
    pairs : DataFrame
        One row per pair, (0, 1), (0, 2), ..., (K - 2, K - 1): the names ``first`` and ``second``; ``wins``,
        ``ties`` and ``losses`` of the first in ``n`` duels; the probability ``p`` that the first beats the
        second, its interval from ``lo`` to ``hi``, and the ``method`` that found it.
    settings : mapping
        How the matrix was made, as plain values.
    by_query : ndarray of float32, shape (n_pairs, n_queries), optional
        Value of ``p`` for each query; ``p`` is their mean. With very many queries, each column is a group
        of neighbouring queries.

    Attributes
    ----------
    matrix : ndarray of float64, shape (K, K)
        Probability that ranker ``i`` beats ranker ``j``; 1/2 on the diagonal.
    lower, upper : ndarray of float64, shape (K, K)
        Ends of the intervals of `matrix`.

    Examples
    --------
    >>> preferences = rankduel.read_preferences("arxiv6")
    >>> preferences.names
    ('0', '1', '2', '3', '4', '5')
    >>> float(preferences.matrix[0, 1])
    0.55
    >>> preferences.subset(["0", "3"]).matrix
    array([[0.5 , 0.54],
           [0.46, 0.5 ]])
    """

    names: tuple[str, ...]
    pairs: pd.DataFrame
    settings: Mapping[str, Any]
    by_query: np.ndarray | None = None

    def _facts(self) -> dict[str, object]:
        """Return the names and values that the representations show."""
        return {
            "rankers": few(self.names),
            "pairs": len(self.pairs),
            "methods": few(sorted(set(self.pairs["method"]))),
            "winner": self._winner(),
        }

    def __repr__(self) -> str:
        return short_repr("Preferences", self._facts())

    def _repr_html_(self) -> str:
        return html_repr("Preferences", self._facts())

    def _winner(self) -> str | None:
        """Return the name of the Condorcet winner; None if there is none."""
        place = condorcet_winner(self.matrix)
        return self.names[place] if place >= 0 else None

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def matrix(self) -> np.ndarray:
        """(K, K) array: entry (i, j) is the probability that ranker i beats ranker j; 1/2 on the diagonal."""
        return self._square("p", "p")

    @cached_property
    def lower(self) -> np.ndarray:
        """(K, K) array of the lower ends of the intervals of `matrix`."""
        return self._square("lo", "hi")

    @cached_property
    def upper(self) -> np.ndarray:
        """(K, K) array of the upper ends of the intervals of `matrix`."""
        return self._square("hi", "lo")

    def _square(self, column: str, mirrored: str) -> np.ndarray:
        square = np.full((len(self), len(self)), 0.5)
        above = np.triu_indices(len(self), 1)
        square[above] = self.pairs[column]
        square.T[above] = 1.0 - self.pairs[mirrored]
        square.flags.writeable = False
        return square

    @property
    def digest(self) -> str:
        """First 16 hexadecimal digits of the SHA-256 of names and probabilities."""
        about = "\0".join(self.names).encode("utf-8", "surrogatepass")
        return hashlib.sha256(about + b"\0" + self.matrix.tobytes()).hexdigest()[:16]

    def subset(self, rankers: Sequence[str | int]) -> Preferences:
        """Return the preferences of some of the rankers.

        Parameters
        ----------
        rankers : sequence of str or int
            Names, or indices from 0, in the order of the result.

        Returns
        -------
        Preferences
            The pairs of these rankers, with their intervals and settings.

        Raises
        ------
        UsageError
            If `rankers` is empty, or a ranker is unknown or given twice.
        """
        places = [self._place(ranker) for ranker in rankers]
        twice = [self.names[place] for place in places if places.count(place) > 1]
        if twice:
            raise UsageError(f"ranker '{twice[0]}' is given twice; expected each once")
        if not places:
            raise UsageError("no rankers are given; expected at least one")
        size = len(places)
        ups, downs = np.triu_indices(size, 1)
        chosen = np.array(places)
        left, right = chosen[ups], chosen[downs]
        low = np.minimum(left, right)
        high = np.maximum(left, right)
        rows = low * len(self) - low * (low + 1) // 2 + high - low - 1
        pairs = self.pairs.iloc[rows].reset_index(drop=True)
        names = tuple(self.names[place] for place in places)
        pairs = _turned(pairs, left > right).assign(**_named_pairs(names)).astype(_SCHEMA)
        by_query = None if self.by_query is None else self.by_query[rows]
        if by_query is not None:
            by_query[left > right] = 1.0 - by_query[left > right]
        return Preferences(names, pairs, self.settings, by_query)

    def chosen(self, text: str) -> Preferences:
        """Return the preferences of some of the rankers, given as text.

        Parameters
        ----------
        text : str
            Names and ranges of numbers, such as ``"1-5,110"``. If no ranker's name is a number, numbers are
            indices from 0.

        Returns
        -------
        Preferences
            The pairs of these rankers, as from `subset`.
        """
        words = feature_list(text)
        by_index = not any(name.isdigit() for name in self.names)
        return self.subset([int(word) if by_index and word.isdigit() else word for word in words])

    def to_pandas(self) -> pd.DataFrame:
        """Return `pairs`."""
        return self.pairs

    def to_dict(self) -> dict[str, Any]:
        """Return names, settings, digest and pairs as plain Python objects."""
        facts = {"names": self.names, "settings": self.settings, "digest": self.digest, "pairs": self.pairs}
        values: dict[str, Any] = plain(facts)
        return values

    def save(self, path: str | Path) -> None:
        """Write the matrix to a file, as `write_preferences` does."""
        write_preferences(self, path)

    def _place(self, ranker: str | int) -> int:
        if isinstance(ranker, str):
            return find(ranker, {name: i for i, name in enumerate(self.names)}, "ranker", UsageError)
        if not 0 <= ranker < len(self):
            raise UsageError(f"no ranker number {ranker}; expected a number from 0 to {len(self) - 1}")
        return int(ranker)


def exact_ties(pairs: pd.DataFrame) -> np.ndarray:
    """Return a mask of the pairs that are known to tie: both ends of the interval are 1/2."""
    return ((pairs["lo"] == 0.5) & (pairs["hi"] == 0.5)).to_numpy()


def _turned(pairs: pd.DataFrame, where: np.ndarray) -> pd.DataFrame:
    """Return `pairs` with first and second ranker exchanged in the rows of the mask `where`."""
    turned = pairs.assign(
        wins=pairs["losses"],
        losses=pairs["wins"],
        p=1.0 - pairs["p"],
        lo=1.0 - pairs["hi"],
        hi=1.0 - pairs["lo"],
    )
    return pd.concat([pairs[~where], turned[where]]).sort_index()


def _named_pairs(names: Sequence[str]) -> dict[str, np.ndarray]:
    """Return the columns `first` and `second` of all pairs of `names`, in order."""
    shown = np.array([encodable(name) for name in names], object)
    return {column: shown[places] for column, places in zip(_NAMES, np.triu_indices(len(names), 1))}


def preferences_of(
    table: Any, names: Sequence[str] | None = None, where: str = "preferences", **settings: Any
) -> Preferences:
    """Return the preferences of a K x K table of probabilities; raise MatrixError if it is not valid.

    `names` are the rankers; by default the labels of a DataFrame, or numbers. `where` names the source of the
    table in messages.
    """
    matrix = checked_prefs(table, where)
    if names is None:
        labels = table.index if isinstance(table, pd.DataFrame) else range(len(matrix))
        names = [str(label) for label in labels]
    upper = np.triu_indices(len(matrix), 1)
    p = matrix[upper]
    pairs = pd.DataFrame({"first": upper[0], "second": upper[1], "p": p, "lo": p, "hi": p, "n": 0})
    pairs = pairs.assign(wins=np.nan, ties=np.nan, losses=np.nan, method="given")
    return checked(names, pairs, settings, where)


def checked(
    names: Sequence[str],
    pairs: pd.DataFrame,
    settings: Mapping[str, Any],
    where: str,
    by_query: np.ndarray | None = None,
) -> Preferences:
    """Return the preferences of a table of pairs; raise MatrixError with the first row that is not valid.

    `where` names the source of the table in messages.
    """
    names = tuple(str(name) for name in names)
    _check_layout(where, names, pairs)
    pairs = pairs.loc[:, list(COLUMNS)].assign(**_named_pairs(names))
    try:
        pairs = pairs.astype(_SCHEMA).reset_index(drop=True)
    except (TypeError, ValueError, OverflowError) as problem:
        raise MatrixError(f"{where}: a column holds values that are not numbers: {problem}") from None
    # Exact odds are sums with rounding errors. A value within these errors of 1/2 is a tie.
    chances = pairs[["p", "lo", "hi"]]
    pairs[["p", "lo", "hi"]] = chances.mask((chances - 0.5).abs() < _ROUNDING, 0.5)
    _check_values(where, pairs)
    if by_query is not None:
        by_query = by_query.astype(np.float32)
        _check_by_query(where, by_query, pairs["p"].to_numpy())
    return Preferences(names, pairs, dict(settings), by_query)


def _check_layout(where: str, names: Sequence[str], pairs: pd.DataFrame) -> None:
    """Raise MatrixError unless `pairs` has all columns, and one row for each pair of distinct `names`."""
    missing = [column for column in COLUMNS if column not in pairs]
    if missing:
        raise MatrixError(f"{where}: no column '{missing[0]}'; expected {', '.join(COLUMNS)}")
    double = pairs.columns[pairs.columns.duplicated()]
    if len(double):
        raise MatrixError(f"{where}: two columns are named '{double[0]}'")
    if not names:
        raise MatrixError(f"{where}: no rankers; expected at least one")
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise MatrixError(f"{where}: two rankers are named '{twice[0]}'")
    n_pairs = len(names) * (len(names) - 1) // 2
    # The number of rows is checked first: `_in_order` makes arrays whose size depends on the names only.
    if len(pairs) != n_pairs or not _in_order(pairs, names):
        raise MatrixError(
            f"{where}: {len(pairs)} rows for {len(names)} rankers; expected {n_pairs}, one for each pair of "
            "rankers, by name and in the order of the names"
        )


def _check_values(where: str, pairs: pd.DataFrame) -> None:
    """Raise MatrixError for the first row whose probability, interval, counts or method is not valid."""
    _refuse(where, pairs, ~pairs["p"].between(0, 1), "p must be a probability from 0 to 1")
    inside = (
        (pairs["lo"] >= 0) & (pairs["lo"] <= pairs["p"]) & (pairs["p"] <= pairs["hi"]) & (pairs["hi"] <= 1)
    )
    _refuse(where, pairs, ~inside, "0 <= lo <= p <= hi <= 1 must hold")
    counts, rounding = pairs[["wins", "ties", "losses"]], 1e-6 * pairs["n"]
    adds_up = (counts.sum(axis=1) - pairs["n"]).abs() <= rounding
    _refuse(
        where,
        pairs,
        # Comparisons with NaN are false: the counts must be all known, or all unknown.
        ~(adds_up & (counts.min(axis=1, skipna=False) >= -rounding))
        & ~(counts.isna().all(axis=1) & (pairs["n"] == 0)),
        "wins, ties and losses must not be negative and add up to n, or be unknown and n be 0",
    )
    _refuse(where, pairs, ~pairs["method"].isin(METHODS), f"method must be one of {', '.join(METHODS)}")


def _check_by_query(where: str, by_query: np.ndarray, p: np.ndarray) -> None:
    """Raise MatrixError unless `p` is the mean of `by_query` over the queries, for every pair."""
    fits = by_query.ndim == 2 and len(by_query) == len(p) and by_query.shape[1] > 0
    if fits:
        mean = by_query.mean(axis=1, dtype=np.float64)
        size = np.abs(by_query).max(axis=1)
        fits = bool((np.abs(mean - p) <= _SINGLE_ROUNDING * (1.0 + size)).all() and np.isfinite(size).all())
    if not fits:
        raise MatrixError(
            f"{where}: the means of its values by query differ from p; 'rankduel matrix' makes such files"
        )


def _in_order(pairs: pd.DataFrame, names: Sequence[str]) -> bool:
    """Return whether the rows of `pairs` are all pairs of `names` in order, by name or by number."""
    numbered = all(pd.api.types.is_integer_dtype(pairs[column]) for column in _NAMES)
    numbers = dict(zip(_NAMES, np.triu_indices(len(names), 1)))
    expected = numbers if numbered else _named_pairs(names)
    return all(np.array_equal(pairs[column].to_numpy(), expected[column]) for column in _NAMES)


def _refuse(where: str, pairs: pd.DataFrame, bad: pd.Series, expected: str) -> None:
    """Raise MatrixError with the first row of the mask `bad` and what was `expected`."""
    if bad.any():
        row = pairs[bad].iloc[0]
        pair = f"({shortened(row['first'])}, {shortened(row['second'])})"
        raise MatrixError(
            f"{where}: the pair {pair} has p = {row['p']:g}, interval [{row['lo']:g}, {row['hi']:g}], "
            f"{row['wins']:g} + {row['ties']:g} + {row['losses']:g} of {row['n']}, "
            f"method '{row['method']}'; {expected}. Number of such rows: {int(bad.sum())}"
        )


def choose_preferences(preferences: Preferences | np.ndarray | str | Path, rankers: str) -> Preferences:
    """Return a matrix, or that of a name or file, restricted to `rankers` if any are named."""
    if isinstance(preferences, (str, Path)):
        preferences = read_preferences(preferences)
    elif not isinstance(preferences, Preferences):
        preferences = preferences_of(preferences)
    return preferences.chosen(rankers) if rankers else preferences


def read_preferences(text: str | Path) -> Preferences:
    """Read a preference matrix from a file, or return a built-in one.

    Parameters
    ----------
    text : str or Path
        Name of a built-in matrix such as ``"arxiv6"``, a family with settings such as
        ``"btl(k=20,spread=0.5)"``, or a file: ``.prefs.parquet``, ``.npy``, or rows of numbers.

    Returns
    -------
    Preferences
        ``matrix[i, j]`` is the probability that ranker ``i`` beats ranker ``j``; ``names`` are the rankers.

    Raises
    ------
    RankduelError
        If there is no such file or matrix, or the file does not hold preferences.

    Examples
    --------
    >>> preferences = rankduel.read_preferences("arxiv6")
    >>> preferences.matrix[0].tolist()
    [0.5, 0.55, 0.55, 0.54, 0.61, 0.61]
    >>> rankduel.read_preferences("btl(strengths=4/2/1)").matrix[0].round(3).tolist()
    [0.5, 0.667, 0.8]
    """
    check_type("the matrix", text, (str, Path), "the name of a built-in one, or a file")
    path = Path(text)
    text = str(text)
    exists = os.path.exists(text)  # unlike Path.exists, False for a name that is too long
    if is_built_in(text) or not (exists or _looks_like_file(text)):
        chosen = parse_matrix(text)
        return preferences_of(make_matrix(chosen), where=str(chosen), source=str(chosen))
    if not exists:
        known = ", ".join((*MATRICES, *FAMILIES))
        raise MatrixError(f"{text}: there is no such file; built-in matrices: {known}")
    try:
        return _read_parquet(path) if path.suffix == _PARQUET else _read_plain(path)
    except OSError as problem:
        reason = f"{text}: cannot be read: {problem.strerror or problem}"
        raise MatrixError(_with_advice(reason, path)) from None


def _looks_like_file(text: str) -> bool:
    """Return whether a text that names no file is the name of one; 'blt(spread=0.5)' is a misspelt family."""
    return bool(Path(text).suffix) and not text.rstrip().endswith(")")


def _read_plain(path: Path) -> Preferences:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", UserWarning)  # NumPy warns about an empty file
            matrix = (
                _npy_matrix(path) if path.suffix == ".npy" else np.loadtxt(path, ndmin=2, encoding="utf-8")
            )
    except OSError:
        raise
    except Exception as problem:  # any kind: NumPy parses a damaged header as Python text
        reason = str(problem).partition("\n")[0][:_LONGEST_REASON] or type(problem).__name__
        raise MatrixError(_with_advice(f"{path}: not a matrix of numbers: {reason}", path)) from None
    return preferences_of(matrix, where=str(path), source=path.name)


def _with_advice(problem: str, path: Path) -> str:
    """Return the message `problem`, with advice if the file at `path` holds judged data or a TREC run."""
    kind = kind_of(path)
    if kind is None:
        return problem
    return (
        f"{problem}\n  it looks like {kind.about}: 'rankduel run {kind.typed} --live --policy rucb' runs a "
        f"policy on it, and 'rankduel matrix {kind.typed} -o NAME.prefs.parquet' makes its matrix"
    )


def _npy_matrix(path: Path) -> np.ndarray:
    """Return the array of a .npy file; the memory map raises an error if the shape exceeds the file."""
    return np.array(np.lib.format.open_memmap(path, mode="r"))


def _read_parquet(path: Path) -> Preferences:
    try:
        stored = read_table(path, _FILE)
    except DamagedTable as problem:
        raise _FILE.unusable(path, str(problem)) from None
    names = stored.about.get("names")
    settings = stored.about.get("settings")
    # Other tools write no digest. A third key is the damaged name of a digest.
    if not isinstance(names, list) or not isinstance(settings, dict) or len(stored.about) > 2:
        raise MatrixError(
            f"{path}: a Parquet file without preferences; 'rankduel matrix' makes such files, and 'rankduel "
            "run DATA --live' runs policies on judged data"
        ) from None
    return checked(names, stored.values, settings, str(path), stored.vectors.get(_BY_QUERY))


def write_preferences(preferences: Preferences, path: str | Path) -> None:
    """Write a preference matrix to a file, completely or not at all.

    Parameters
    ----------
    preferences : Preferences
        The matrix with its names, intervals and settings.
    path : str or Path
        ``NAME.prefs.parquet``, or ``.npy`` or ``.txt`` (17 digits) for the probabilities alone.

    Raises
    ------
    RankduelError
        If the file cannot be written.

    Examples
    --------
    >>> preferences = rankduel.read_preferences("arxiv6")
    >>> rankduel.write_preferences(preferences, "mine.prefs.parquet")
    >>> rankduel.read_preferences("mine.prefs.parquet").digest == preferences.digest
    True
    """
    check_type("preferences", preferences, Preferences, "a matrix from read_preferences or build_matrix")
    path = Path(path)
    with convert_write_errors(path, UsageError), replacing(path) as temporary:
        _write(preferences, path.suffix, temporary)


def _write(preferences: Preferences, kind: str, path: Path) -> None:
    if kind == _PARQUET:
        about = {"names": list(preferences.names), "settings": dict(preferences.settings)}
        vectors = {} if preferences.by_query is None else {_BY_QUERY: preferences.by_query}
        path.write_bytes(table_content(_FILE, preferences.pairs, about, vectors))
    elif kind == ".npy":
        with open(path, "wb") as stream:
            np.save(stream, preferences.matrix)
    else:
        np.savetxt(path, preferences.matrix, fmt="%.17g")
