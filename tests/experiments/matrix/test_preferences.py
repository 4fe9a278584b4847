"""Preferences: matrices and tables, subsets, and the errors for invalid rows."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.preference_samples import NAMES, SETTINGS, assert_same, by_query_of, rows

from rankduel.base.errors import MatrixError, UsageError
from rankduel.experiments.matrix.builtin import MATRICES
from rankduel.experiments.matrix.preferences import (
    COLUMNS,
    Preferences,
    checked,
    preferences_of,
    read_preferences,
    write_preferences,
)


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
