"""Tables of probabilities: labels of a DataFrame are used, and entries that are no numbers are refused."""

import numpy as np
import pandas as pd
import pytest

import rankduel
from rankduel.bandits.matrix_duels import checked_prefs
from rankduel.base.errors import MatrixError
from rankduel.experiments.matrix.preferences import preferences_of, read_preferences

MATRIX = np.array([[0.5, 0.6, 0.7], [0.4, 0.5, 0.8], [0.3, 0.2, 0.5]])
FRAME = pd.DataFrame(MATRIX, list("abc"), list("abc"))


@pytest.mark.parametrize("columns", ["abc", "cab", "bca"])
def test_columns_are_put_into_the_order_of_the_rows(columns):
    table = FRAME[list(columns)]
    found = preferences_of(table)
    assert found.names == ("a", "b", "c")
    np.testing.assert_array_equal(found.matrix, preferences_of(MATRIX).matrix)
    np.testing.assert_array_equal(checked_prefs(table), checked_prefs(MATRIX))
    assert rankduel.winners(table).sets["condorcet"] == ["a"]


def test_rows_give_the_order_of_the_rankers():
    found = preferences_of(FRAME.loc[list("cab")])
    assert found.names == ("c", "a", "b") and found.matrix[1, 2] == 0.6
    assert preferences_of(pd.DataFrame(MATRIX)).names == preferences_of(MATRIX).names == ("0", "1", "2")
    assert preferences_of(MATRIX.tolist()).names == ("0", "1", "2")


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (FRAME.set_axis(list("aab"), axis=0), "two rows are labelled 'a'; expected distinct labels"),
        (FRAME.set_axis(list("abb"), axis=1), "two columns are labelled 'b'; expected distinct labels"),
        (
            FRAME.set_axis(list("abx"), axis=1),
            "'c' labels a row or a column, but not both; expected the same",
        ),
        (FRAME.reset_index(drop=True), "give the values alone: table.to_numpy()"),
        (FRAME.iloc[:2], "'c' labels a row or a column, but not both"),
        (np.ma.array(MATRIX, mask=MATRIX > 0.75), "1 masked entries; expected a probability for every pair"),
        (np.ma.masked_all((3, 3)), "9 masked entries"),
        (MATRIX + 0j, "the entries are complex numbers; expected probabilities"),
        ([[0.5, 0.6j], [0.4, 0.5]], "the entries are complex numbers; expected probabilities"),
    ],
)
def test_other_tables_are_refused(table, message):
    for read in (preferences_of, checked_prefs):
        with pytest.raises(MatrixError) as refused:
            read(table)
        assert message in str(refused.value)


def test_a_masked_array_without_masked_entries_is_read():
    np.testing.assert_array_equal(checked_prefs(np.ma.array(MATRIX)), checked_prefs(MATRIX))


def test_a_file_of_complex_numbers_is_refused(tmp_path):
    np.save(tmp_path / "complex.npy", MATRIX + 0j)
    with pytest.raises(MatrixError, match="complex.npy: the entries are complex numbers"):
        read_preferences(tmp_path / "complex.npy")
