"""Selection of queries by text."""

import numpy as np
import pytest

from rankduel.base.errors import DataError, RankduelError
from rankduel.letor_data.selection import only_queries
from rankduel.letor_data.synthetic.generate import shape, synthesize


@pytest.fixture(scope="module")
def letor():
    return synthesize(shape("small", queries=40))


def test_ids_keep_the_order_of_the_data(letor):
    ids = letor.query_ids
    chosen = only_queries(letor, f"{ids[7]}, {ids[2]},{ids[7]}")
    assert chosen.query_ids.tolist() == [ids[2], ids[7]]
    np.testing.assert_array_equal(chosen.columns[5], letor.take_queries([2, 7]).columns[5])
    assert chosen.source == f"{letor.source}, queries {ids[7]}, {ids[2]},{ids[7]}"


def test_a_file_of_ids(letor, tmp_path):
    path = tmp_path / "dev.txt"
    path.write_bytes(f"\ufeff{letor.query_ids[3]}\r\n\n {letor.query_ids[1]} \n".encode())
    assert only_queries(letor, str(path)).query_ids.tolist() == letor.query_ids[[1, 3]].tolist()


def test_a_sample_follows_the_seed_alone(letor):
    one, same, other = (only_queries(letor, text) for text in ("sample:10", "sample:10:0", "sample:10:7"))
    numbers = [letor.query_ids.tolist().index(query) for query in one.query_ids]
    assert len(numbers) == 10 and numbers == sorted(numbers)
    assert one.query_ids.tolist() == same.query_ids.tolist() != other.query_ids.tolist()
    assert only_queries(letor, "sample:40").query_ids.tolist() == letor.query_ids.tolist()


def test_other_queries_are_other_data(letor):
    digests = {only_queries(letor, text).digest for text in ("sample:10", "sample:10:7", "sample:11")}
    assert len(digests | {letor.digest}) == 4
    assert only_queries(letor, "sample:10").digest == only_queries(letor, "sample:10:0").digest


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("nine,ten", "2 of 2 queries asked for are not in the data: 'nine', 'ten'; there are 40: "),
        ("sample:41", "the data have 40 queries; expected at most as many"),
        ("sample:0", "expected a number of queries from 1, as in 'sample:500'"),
        ("sample:x", "expected a number of queries"),
        ("sample:5:-1", "expected a number of queries"),
        (",", "no queries are named"),
    ],
)
def test_what_is_not_there_is_named(letor, text, told):
    with pytest.raises(RankduelError, match=told):
        only_queries(letor, text)


def test_a_file_that_is_no_text(letor, tmp_path):
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match="not UTF-8"):
        only_queries(letor, str(tmp_path / "binary"))
