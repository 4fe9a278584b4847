"""Preferences: writing and reading files, subsets, and the errors for invalid input."""

import itertools
import json
import os
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.permissions import needs_permission

from experiments.matrix.builtin import MATRICES
from experiments.matrix.preferences import (
    COLUMNS,
    METHODS,
    Preferences,
    checked,
    preferences_of,
    read_preferences,
    write_preferences,
)
from rankduel.base.errors import MatrixError, UsageError

NAMES = ("bm25", "tf idf", "größer", "110")
SETTINGS = {
    "data": "MSLR/Fold1",
    "length": 10,
    "clicks": "navigational(stop=any)",
    "draws": 0.1,
    "seed": None,
}


def rows(size=4, seed=0):
    """Return pairs by several methods: played, exact and given."""
    rng = np.random.default_rng(seed)
    pairs = []
    for place, (i, j) in enumerate(itertools.combinations(range(size), 2)):
        odds, n = rng.dirichlet([3, 1, 2]), int(rng.integers(1, 1000))
        wins, ties = odds[0] * n, odds[1] * n
        losses = n - wins - ties
        p = (wins + ties / 2) / n
        known = {"wins": wins, "ties": ties, "losses": losses, "n": n, "method": METHODS[place % 3]}
        unknown = {"wins": np.nan, "ties": np.nan, "losses": np.nan, "n": 0, "method": "given"}
        pairs.append(
            {"first": i, "second": j, "p": p, "lo": p * 0.9, "hi": p * 0.9 + 0.1}
            | (unknown if place == 3 else known)
        )
    return pd.DataFrame(pairs)


def by_query_of(pairs, n_queries=7):
    """Return values of seven queries whose means are p."""
    noise = np.random.default_rng(2).normal(0, 0.1, (len(pairs), n_queries))
    return pairs["p"].to_numpy()[:, None] + noise - noise.mean(axis=1, keepdims=True)


@pytest.fixture
def some():
    return checked(NAMES, rows(), SETTINGS, "some")


def assert_same(one, other):
    assert one.names == other.names and one.settings == other.settings and one.digest == other.digest
    pd.testing.assert_frame_equal(one.pairs, other.pairs, check_exact=True)
    np.testing.assert_array_equal(one.matrix, other.matrix)


# --- the matrix


def test_the_square_matrices_match_the_rows(some):
    for place, (i, j) in enumerate(itertools.combinations(range(4), 2)):
        row = some.pairs.iloc[place]
        assert (some.matrix[i, j], some.matrix[j, i]) == (row["p"], 1 - row["p"])
        assert (some.lower[i, j], some.lower[j, i]) == (row["lo"], 1 - row["hi"])
        assert (some.upper[i, j], some.upper[j, i]) == (row["hi"], 1 - row["lo"])
    for square in (some.matrix, some.lower, some.upper):
        assert (square.diagonal() == 0.5).all()
        with pytest.raises(ValueError, match="read-only"):
            square[0, 1] = 0.0
    assert len(some) == 4 and tuple(some.pairs.columns) == COLUMNS


def test_the_digest_depends_on_names_and_probabilities(some):
    other_names = Preferences(("a", *NAMES[1:]), some.pairs, {})
    other_p = Preferences(
        NAMES, some.pairs.assign(p=some.pairs["p"].where(some.pairs["first"] != NAMES[0], 0.25)), {}
    )
    same = Preferences(NAMES, some.pairs.assign(wins=0.0, lo=0.0), {})
    assert len({some.digest, other_names.digest, other_p.digest}) == 3 and same.digest == some.digest


def test_pairs_are_named(some, tmp_path):
    """The table, files and subsets hold names; files with numbers of rankers are read with names."""
    expected = [[*pair] for pair in itertools.combinations(NAMES, 2)]
    assert some.pairs[["first", "second"]].to_numpy().tolist() == expected
    write_preferences(some, tmp_path / "some.prefs.parquet")
    written = pd.read_parquet(tmp_path / "some.prefs.parquet")
    assert written[["first", "second"]].to_numpy().tolist() == expected
    part = some.subset([NAMES[3], NAMES[1]])
    assert part.pairs[["first", "second"]].to_numpy().tolist() == [[NAMES[3], NAMES[1]]]
    numbers = dict(zip(("first", "second"), np.triu_indices(4, 1)))
    assert_same(checked(NAMES, some.pairs.assign(**numbers), some.settings, "m"), some)


def test_values_by_query_are_written_and_read(tmp_path):
    made = checked(NAMES, rows(), SETTINGS, "some", by_query_of(rows()))
    write_preferences(made, tmp_path / "m.prefs.parquet")
    found = read_preferences(tmp_path / "m.prefs.parquet")
    assert_same(found, made)
    assert found.by_query.dtype == np.float32 and np.array_equal(found.by_query, made.by_query)


@pytest.mark.parametrize(
    "change",
    [
        lambda values: values[:-1],
        lambda values: values[:, :0],
        lambda values: values[0],
        lambda values: values + 1e-4,
        lambda values: values[::-1],
        lambda values: values + np.where(np.arange(7) == 3, np.nan, 0.0),
        lambda values: values * np.inf,
    ],
)
def test_invalid_values_by_query_are_refused(change):
    with pytest.raises(MatrixError, match="mine: the means of its values by query differ from p"):
        checked(NAMES, rows(), SETTINGS, "mine", change(by_query_of(rows())))


def test_a_name_that_is_not_unicode_is_escaped_in_tables(tmp_path):
    made = preferences_of(np.array([[0.5, 0.6], [0.4, 0.5]]), ["a\udcff", "b"])
    assert made.names == ("a\udcff", "b") and made.pairs["first"].tolist() == ["a\\xff"]
    write_preferences(made, tmp_path / "m.prefs.parquet")
    assert_same(read_preferences(tmp_path / "m.prefs.parquet"), made)


def test_a_plain_matrix_keeps_its_probabilities():
    made = preferences_of(MATRICES["arxiv6"].make(), source="somewhere")
    np.testing.assert_array_equal(made.matrix, MATRICES["arxiv6"].make())
    assert made.names == tuple("012345") and made.settings == {"source": "somewhere"}
    assert (made.pairs["method"] == "given").all() and not made.pairs["n"].any()
    assert made.pairs["lo"].equals(made.pairs["p"]) and made.pairs["hi"].equals(made.pairs["p"])


@pytest.mark.parametrize("difference", [-1e-16, 1e-13, -4e-13])
def test_rounding_errors_at_one_half_are_ties(difference):
    made = preferences_of(np.array([[0.5, 0.5 + difference], [0.5 - difference, 0.5]]))
    assert made.matrix[0, 1] == made.lower[0, 1] == made.upper[1, 0] == 0.5
    assert preferences_of(np.array([[0.5, 0.5 + 1e-11], [0.5 - 1e-11, 0.5]])).matrix[0, 1] > 0.5


# --- subsets


@given(st.lists(st.integers(0, 4), min_size=1, max_size=5, unique=True), st.lists(st.booleans(), min_size=5))
def test_a_subset_is_the_submatrix_in_every_column(places, by_name):
    pairs = rows(5, seed=1)
    whole = checked("abcde", pairs, SETTINGS, "whole", by_query_of(pairs))
    part = whole.subset([whole.names[i] if named else i for i, named in zip(places, by_name)])
    assert part.names == tuple(whole.names[i] for i in places) and part.settings == SETTINGS
    # 1 - (1 - p) is rounded for p below 1/2, so the last bit may differ.
    np.testing.assert_allclose(part.matrix, whole.matrix[np.ix_(places, places)], rtol=0, atol=2**-53)
    by_pair = {(row["first"], row["second"]): row for row in whole.pairs.to_dict("records")}
    places_of = {pair: place for place, pair in enumerate(by_pair)}
    expected, by_query = [], []
    for i, j in itertools.combinations(range(len(places)), 2):
        pair = tuple("abcde"[place] for place in sorted((places[i], places[j])))
        row = by_pair[pair] | {"first": part.names[i], "second": part.names[j]}
        values = whole.by_query[places_of[pair]]
        by_query.append(values if places[i] < places[j] else 1 - values)
        if places[i] > places[j]:
            row |= {"wins": row["losses"], "losses": row["wins"], "p": 1 - row["p"]}
            row |= {"lo": 1 - row["hi"], "hi": 1 - row["lo"]}
        expected.append(row)
    expected = pd.DataFrame(expected, columns=list(COLUMNS)).astype(whole.pairs.dtypes)
    pd.testing.assert_frame_equal(part.pairs, expected, check_exact=True)
    np.testing.assert_array_equal(part.by_query, np.array(by_query).reshape(-1, 7))
    # The result is valid, and its own subsets can be taken.
    assert_same(checked(part.names, part.pairs, part.settings, "part"), part)
    assert_same(part.subset(range(len(part))), part)


def test_subsets_given_as_text(some):
    # A number is an index unless a ranker has it as its name.
    by_name = checked(["3", "1", "2", "x"], rows(), {}, "numbers")
    assert by_name.chosen("1-3,x").names == ("1", "2", "3", "x")
    by_index = checked(["a", "b", "c", "d"], rows(), {}, "words")
    assert by_index.chosen(" 3, a,1-2").names == ("d", "a", "b", "c")
    assert some.chosen("110,tf idf").names == ("110", "tf idf")


@pytest.mark.parametrize(
    ("rankers", "message"),
    [
        (["bm52"], "no ranker named 'bm52'; did you mean 'bm25'?"),
        ([4], "no ranker number 4; expected a number from 0 to 3"),
        ([-1], "no ranker number -1"),
        ([0, "bm25"], "ranker 'bm25' is given twice"),
        ([], "no rankers are given; expected at least one"),
    ],
)
def test_invalid_subsets_are_refused(some, rankers, message):
    with pytest.raises(UsageError) as refused:
        some.subset(rankers)
    assert message in str(refused.value)


# --- files


def test_parquet_keeps_all_values_and_settings(some, tmp_path):
    write_preferences(some, tmp_path / "a.prefs.parquet")
    assert_same(read_preferences(tmp_path / "a.prefs.parquet"), some)
    # Equal preferences are written as equal bytes.
    write_preferences(some, tmp_path / "b.prefs.parquet")
    assert (tmp_path / "a.prefs.parquet").read_bytes() == (tmp_path / "b.prefs.parquet").read_bytes()


@pytest.mark.parametrize("ending", ["npy", "txt", "mat"])
@pytest.mark.parametrize("seed", range(5))
def test_plain_files_keep_the_probabilities_exactly(tmp_path, ending, seed):
    made = preferences_of(checked(map(str, range(30)), rows(30, seed), {}, "made").matrix)
    write_preferences(made, tmp_path / f"m.{ending}")
    found = read_preferences(str(tmp_path / f"m.{ending}"))
    np.testing.assert_array_equal(found.matrix, made.matrix)
    pd.testing.assert_frame_equal(found.pairs, made.pairs, check_exact=True)
    assert found.settings == {"source": f"m.{ending}"} and found.names == made.names


def test_a_single_ranker_is_written_and_read(some, tmp_path):
    for name in ("one.prefs.parquet", "one.npy", "one.txt"):
        write_preferences(some.subset([2]), tmp_path / name)
        found = read_preferences(tmp_path / name)
        assert len(found) == 1 and len(found.pairs) == 0 and found.matrix.tolist() == [[0.5]]
    assert read_preferences(tmp_path / "one.prefs.parquet").names == ("größer",)


@pytest.mark.parametrize("name", MATRICES)
def test_built_in_matrices_by_name(name):
    found = read_preferences(name)
    np.testing.assert_array_equal(found.matrix, preferences_of(MATRICES[name].make()).matrix)
    assert found.settings == {"source": name}


def test_published_rounding_is_repaired(tmp_path):
    (tmp_path / "rounded.txt").write_text("# two rankers\n0.5 0.6004\n0.4 0.5\n")
    assert read_preferences(tmp_path / "rounded.txt").matrix[0, 1] == pytest.approx(
        0.6004 / 1.0004, abs=1e-15
    )


# --- errors


def changed(column, value, row=1):
    def change(pairs):
        return pairs.astype({column: object}).assign(
            **{column: [value if i == row else old for i, old in enumerate(pairs[column])]}
        )

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (changed("p", np.nan), "the pair (bm25, größer) has p = nan"),
        (changed("p", 1.5), "p must be a probability from 0 to 1. Number of such rows: 1"),
        (changed("p", -0.1), "p must be a probability from 0 to 1"),
        (changed("lo", 0.99), "0 <= lo <= p <= hi <= 1 must hold"),
        (changed("hi", 0.01), "0 <= lo <= p <= hi <= 1 must hold"),
        (changed("lo", -0.01), "0 <= lo <= p <= hi <= 1 must hold"),
        (changed("hi", 1.01), "0 <= lo <= p <= hi <= 1 must hold"),
        (changed("lo", np.nan), "0 <= lo <= p <= hi <= 1 must hold"),
        (changed("n", 7), "wins, ties and losses must not be negative and add up to n"),
        (changed("n", -1), "must not be negative"),
        (changed("n", 0), "add up to n, or be unknown and n be 0"),
        (changed("wins", np.nan), "add up to n"),
        (changed("n", np.nan), "a column holds values that are not numbers"),
        (changed("first", "one"), "one for each pair of rankers, by name and in the order of the names"),
        (changed("first", None), "one for each pair of rankers, by name and in the order of the names"),
        (changed("p", "one"), "a column holds values that are not numbers"),
        (
            changed("method", "guessed"),
            "method must be one of exact, rao-blackwell, simulated, multileaved, given",
        ),
        (
            changed("second", 3),
            "6 rows for 4 rankers; expected 6, one for each pair of rankers, by name",
        ),
        (
            lambda pairs: pairs.assign(losses=pairs["ties"] + pairs["losses"], ties=np.nan),
            "be unknown and n be 0",
        ),
        (lambda pairs: pairs.drop(index=2), "5 rows for 4 rankers; expected 6"),
        (lambda pairs: pairs.iloc[::-1], "in the order of the names"),
        (lambda pairs: pairs.drop(columns="hi"), "no column 'hi'; expected first, second, wins"),
        (
            lambda pairs: pairs.assign(
                wins=pairs["wins"] + pairs["ties"] + pairs["losses"] + 1, ties=-1.0, losses=0.0
            ),
            "must not be negative",
        ),
    ],
)
def test_invalid_rows_are_refused(change, message):
    with pytest.raises(MatrixError) as refused:
        checked(NAMES, change(rows()), {}, "mine")
    assert str(refused.value).startswith("mine: ") and message in str(refused.value)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a", "b", "a", "d"], "two rankers are named 'a'"),
        (["a", "b", "c"], "6 rows for 3 rankers; expected 3"),
        ([], "no rankers; expected at least one"),
    ],
)
def test_invalid_names_are_refused(names, message):
    with pytest.raises(MatrixError, match=message):
        checked(names, rows(), {}, "mine")


def test_sums_of_probabilities_may_be_off_by_rounding():
    pairs = rows()
    assert len(checked(NAMES, pairs.assign(wins=pairs["wins"] * (1 + 1e-8)), {}, "mine")) == 4


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0.5 0.6\n0.4 0.5\n0.1 0.2\n", "expected a square matrix, found 3 x 2"),
        ("0.5 0.6\n0.4\n", "not a matrix of numbers"),
        ("0.5 much\nless 0.5\n", "not a matrix of numbers: could not convert string 'much'"),
        ("0.5 nan\nnan 0.5\n", "entry (0, 1) is nan"),
        ("0.5 1.2\n-0.2 0.5\n", "entry (0, 1) is 1.2 (its mirror is -0.2); expected a probability"),
        ("0.5 0.6\n0.6 0.5\n", "must add up to 1"),
        ("", "not a matrix of numbers"),
        ("# nothing\n", "not a matrix of numbers"),
        ("\x00\xff\n", "not a matrix of numbers"),
    ],
)
def test_text_without_a_matrix_is_refused(tmp_path, text, message):
    path = tmp_path / "bad.txt"
    path.write_text(text, encoding="latin-1")
    with pytest.raises(MatrixError) as refused:
        read_preferences(path)
    assert str(refused.value).startswith(str(path)) and message in str(refused.value)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
@pytest.mark.parametrize("ending", ["prefs.parquet", "npy"])
def test_truncated_files_are_refused(some, tmp_path, ending, share):
    path = tmp_path / f"cut.{ending}"
    write_preferences(some, path)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(MatrixError) as refused:
        read_preferences(path)
    assert str(refused.value).startswith(str(path)) and "not a" in str(refused.value)


@pytest.mark.parametrize(
    ("about", "message"),
    [
        (None, "a Parquet file without metadata of rankduel"),
        (b"not json", "its metadata are not JSON"),
        (b"\xff", "its metadata are not text in UTF-8"),
        (b'{"names":' * 20_000, "its metadata are nested too deep"),
        (b"[]", "its metadata are not a JSON object"),
        (b"{}", "a Parquet file without preferences"),
        (b'{"names": ["a"]}', "a Parquet file without preferences"),
        (b'{"settings": {}}', "a Parquet file without preferences"),
        (b'{"names": "a", "settings": {}}', "a Parquet file without preferences"),
        (b'{"names": ["a"], "settings": {}, "digesu": ""}', "a Parquet file without preferences"),
        (b'{"names": ["a"], "settings": {}, "digest": ""}', "do not have the digest in its metadata"),
    ],
)
def test_parquet_without_preferences_is_refused(tmp_path, about, message):
    path = tmp_path / "other.parquet"
    table = pa.table({"a": [1, 2]}).replace_schema_metadata({b"rankduel": about} if about else None)
    pq.write_table(table, path)
    with pytest.raises(MatrixError) as refused:
        read_preferences(path)
    assert str(refused.value).startswith(f"{path}: ") and message in str(refused.value)
    assert "; 'rankduel matrix' makes" in str(refused.value)


@pytest.mark.parametrize("about", [{"names": 3, "settings": {}}, {"names": ["a", "b"], "settings": 5}])
def test_parquet_with_a_broken_description(tmp_path, about):
    path = tmp_path / "broken.parquet"
    table = pa.table({"a": [1]}).replace_schema_metadata({b"rankduel": json.dumps(about).encode()})
    pq.write_table(table, path)
    with pytest.raises(MatrixError, match="broken.parquet"):
        read_preferences(path)


def without_digest(table):
    """Remove the digest, as in files of older releases and other tools."""
    about = json.loads(table.schema.metadata[b"rankduel"])
    del about["digest"]
    return table.replace_schema_metadata({b"rankduel": json.dumps(about).encode()})


def test_a_file_without_a_digest_is_read(some, tmp_path):
    write_preferences(some, tmp_path / "a.prefs.parquet")
    pq.write_table(without_digest(pq.read_table(tmp_path / "a.prefs.parquet")), tmp_path / "b.prefs.parquet")
    pd.testing.assert_frame_equal(read_preferences(tmp_path / "b.prefs.parquet").pairs, some.pairs)


def test_a_flipped_bit_is_detected_or_harmless(some, tmp_path):
    """Most bits are in the footer, which page checksums do not cover."""
    path, rng = tmp_path / "a.prefs.parquet", np.random.default_rng(0)
    write_preferences(some, path)
    whole = path.read_bytes()
    footer = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
    refused = 0
    for place in [*rng.integers(footer, len(whole), 400), *rng.integers(0, footer, 100)]:
        changed = bytearray(whole)
        changed[place] ^= 1 << rng.integers(8)
        path.write_bytes(changed)
        try:
            found = read_preferences(path)
        except MatrixError as problem:
            assert str(path) in str(problem)
            refused += 1
        else:
            pd.testing.assert_frame_equal(found.pairs, some.pairs, check_exact=True)
            assert (found.names, found.settings) == (some.names, some.settings)
    assert refused > 300


def test_more_names_than_pairs_are_refused(tmp_path):
    """A hundred thousand rankers have more pairs than fit into memory."""
    about = {"names": [str(i) for i in range(100_000)], "settings": {}}
    table = pa.table({column: [1.0] for column in COLUMNS})
    pq.write_table(
        table.replace_schema_metadata({b"rankduel": json.dumps(about).encode()}), tmp_path / "a.parquet"
    )
    with pytest.raises(MatrixError, match="a.parquet: 1 rows for 100000 rankers; expected 4999950000"):
        read_preferences(tmp_path / "a.parquet")


@pytest.mark.parametrize(
    "change",
    [
        lambda table: table.append_column("p", table.column("p")),
        lambda table: table.set_column(6, "p", pa.array([[0.5]] * len(table))),
        lambda table: table.set_column(6, "p", pa.array([b"0.5"] * len(table))),
        lambda table: table.set_column(5, "n", pa.array([2**63] * len(table), pa.uint64())),
        lambda table: table.set_column(5, "n", pa.array([None] * len(table), pa.int64())),
        lambda table: table.set_column(9, "method", pa.array([{"a": 1}] * len(table))),
    ],
)
def test_parquet_with_columns_of_other_types_is_refused(some, tmp_path, change):
    write_preferences(some, tmp_path / "a.prefs.parquet")
    table = without_digest(pq.read_table(tmp_path / "a.prefs.parquet"))
    pq.write_table(change(table), tmp_path / "b.prefs.parquet")
    with pytest.raises(MatrixError, match="b.prefs.parquet: "):
        read_preferences(tmp_path / "b.prefs.parquet")


def test_parquet_with_wrong_rows_is_refused(some, tmp_path):
    write_preferences(some, tmp_path / "a.prefs.parquet")
    table = without_digest(pq.read_table(tmp_path / "a.prefs.parquet"))
    pq.write_table(table.drop_columns("lo"), tmp_path / "b.prefs.parquet")
    pq.write_table(table.slice(1), tmp_path / "c.prefs.parquet")
    with pytest.raises(MatrixError, match="b.prefs.parquet: no column 'lo'"):
        read_preferences(tmp_path / "b.prefs.parquet")
    with pytest.raises(MatrixError, match="c.prefs.parquet: 5 rows for 4 rankers; expected 6"):
        read_preferences(tmp_path / "c.prefs.parquet")


def test_numpy_files_without_a_matrix_are_refused(tmp_path):
    np.save(tmp_path / "objects.npy", np.array([{"a": 1}], dtype=object))
    np.save(tmp_path / "words.npy", np.array([["a", "b"], ["c", "d"]]))
    np.save(tmp_path / "cube.npy", np.zeros((2, 2, 2)))
    for name, message in (
        ("objects", "not a matrix"),
        ("words", "square table"),
        ("cube", "found 2 x 2 x 2"),
    ):
        with pytest.raises(MatrixError, match=message):
            read_preferences(tmp_path / f"{name}.npy")


def npy(header, values=b"", version=b"\x01\x00"):
    return b"\x93NUMPY" + version + len(header).to_bytes(2, "little") + header + values


@pytest.mark.parametrize(
    "content",
    [
        npy(b"{'descr': '<f8', 'fortran_order': False, 'shape': (100000, 100000), }"),
        npy(b"{'descr': '<f8', 'fortran_order': False, 'shape': (9999999999, 9999999999), }"),
        npy(b"{'descr': '<f8', 'fortran_order': False, 'shape': (-2, -2), }", bytes(32)),
        npy(b"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), ", bytes(32)),
        npy(b"{'descr': '<f8', 'fortran_order': False, 'shape': 4, }", bytes(32)),
        npy(b"{'descr': '|O', 'fortran_order': False, 'shape': (2, 2), }", bytes(32)),
        npy(b"{'descr': 'what', 'fortran_order': False, 'shape': (2, 2), }", bytes(32)),
        npy(b"(" * 9000),
        npy(b"'" * 9001),
        npy(b"\xff\x00" * 10),
        npy(b"x" * 65000),
        npy(b"{}", version=b"\x09\x00"),
        b"PK\x03\x04 a zip archive",
        b"\x93NUMPY",
    ],
)
def test_numpy_files_with_invalid_headers_are_refused(tmp_path, content):
    path = tmp_path / "hostile.npy"
    path.write_bytes(content)
    with pytest.raises(MatrixError) as refused:
        read_preferences(path)
    assert str(refused.value).startswith(f"{path}: ") and len(str(refused.value)) < 500


@pytest.mark.parametrize(
    "content", [b"0.5 " + b"9" * 200_000, b"x" * 200_000, b"\xff\xfe0\x00", b"0.5\0 1\n0 1"]
)
def test_text_with_damaged_fields(tmp_path, content):
    for name in ("bad.txt", "bad.csv"):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(MatrixError) as refused:
            read_preferences(tmp_path / name)
        assert str(refused.value).startswith(f"{tmp_path / name}: ") and len(str(refused.value)) < 500


def test_unreadable_paths_are_named_in_the_message(tmp_path):
    for name in ("folder.npy", "folder.txt", "folder.prefs.parquet"):
        (tmp_path / name).mkdir()
        with pytest.raises(MatrixError, match=f"{name}: cannot be read: Is a directory"):
            read_preferences(tmp_path / name)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("name", ["a.prefs.parquet", "a.npy", "a.txt"])
def test_a_full_disk(some, tmp_path, monkeypatch, name):
    @contextmanager
    def on_a_full_disk(path):
        yield Path("/dev/full")

    monkeypatch.setattr("experiments.matrix.preferences.replacing", on_a_full_disk)
    with pytest.raises(UsageError, match=f"{name}: could not be written: No space left on device"):
        write_preferences(some, tmp_path / name)


def test_missing_files_get_a_suggestion(tmp_path):
    with pytest.raises(MatrixError, match="no matrix named 'arxiv'; did you mean 'arxiv6'?"):
        read_preferences("arxiv")
    with pytest.raises(MatrixError, match="absent.npy: there is no such file; built-in matrices: cyclic, "):
        read_preferences(tmp_path / "absent.npy")


# --- complete files only


class WriteFailed(Exception):
    pass


@pytest.mark.parametrize("name", ["a.prefs.parquet", "a.npy", "a.txt"])
@pytest.mark.parametrize("before", [None, b"older"])
def test_a_failed_write_leaves_the_old_file(some, tmp_path, monkeypatch, name, before):
    path = tmp_path / name
    if before:
        path.write_bytes(before)

    def write_half(where, *_, **__):
        os.write(os.open(where, os.O_WRONLY | os.O_CREAT), b"half") if not hasattr(where, "write") else None
        raise WriteFailed

    monkeypatch.setattr(Path, "write_bytes", lambda where, content: write_half(where))
    monkeypatch.setattr(np, "save", write_half)
    monkeypatch.setattr(np, "savetxt", write_half)
    with pytest.raises(WriteFailed):
        write_preferences(some, path)
    assert [p.name for p in tmp_path.iterdir()] == ([name] if before else [])
    assert before is None or path.read_bytes() == before


@pytest.mark.parametrize("name", ["a.prefs.parquet", "a.npy", "a.txt"])
def test_an_unwritable_folder_is_refused(some, tmp_path, name):
    (tmp_path / "file").write_text("not a folder")
    for folder in ("file", "absent"):
        with pytest.raises(UsageError) as refused:
            write_preferences(some, tmp_path / folder / name)
        assert str(refused.value).startswith(f"{tmp_path / folder / name}: could not be written: ")
        assert ".tmp" not in str(refused.value)
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


@needs_permission
@pytest.mark.parametrize("name", ["a.prefs.parquet", "a.npy", "a.txt"])
def test_a_read_only_folder(some, tmp_path, name):
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(UsageError, match="could not be written: Permission denied"):
            write_preferences(some, tmp_path / name)
    finally:
        tmp_path.chmod(0o700)
    assert list(tmp_path.iterdir()) == []
