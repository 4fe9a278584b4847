"""A reference gives the same rankings in another process, or an error if the cache file is not usable."""

import dataclasses
import pickle

import numpy as np
import pytest
from support.arenas import letor as small_data

from rankduel.base.errors import RankduelError
from rankduel.letor_data import read_data
from rankduel.letor_data.cache import cache_files
from rankduel.letor_data.parquet_files import write_parquet
from rankduel.letor_data.rankers import Ranker, feature, rankers_of
from rankduel.letor_data.rankings import rank
from rankduel.letor_data.references import rank_again, reference_of, with_reference
from rankduel.letor_data.text.writer import write_letor
from rankduel.letor_data.ties import TIE_MODES

ARRAYS = ("offsets", "query_keys", "order", "positions", "ties")


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "data.txt"
    write_letor(small_data(tied=True), path)
    return path


def ranked(letor, rankers=""):
    chosen = rankers_of(rankers, letor)
    return with_reference(rank(letor, chosen), letor, chosen)


def assert_same_rankings(found, expected):
    assert found.names == expected.names
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), strict=True)


@pytest.mark.parametrize("ties", TIE_MODES)
@pytest.mark.parametrize("queries", [(0, None), (0, 1), (3, 7), (11, 12)])
def test_rankings_made_again_are_the_same(source, ties, queries):
    rankers = ["1", "-2", "4", "0.7*1-0.3*3,name=mix", "minmax(0.5*1+0.5*2)"]
    letor = read_data(source)
    reference = pickle.loads(pickle.dumps(reference_of(ranked(letor, rankers))))
    chosen = letor.take_queries(np.arange(letor.n_queries)[slice(*queries)])
    expected = rank(chosen, rankers_of(rankers, letor)).resolve(ties, 5)
    assert_same_rankings(rank_again(reference._replace(ties=ties, seed=5), *queries), expected)


def test_the_digest_counts_and_not_the_file_that_was_parsed(source):
    rankings = ranked(read_data(source))
    source.write_text("0 qid:1 1:1\n")
    assert_same_rankings(rank_again(reference_of(rankings)), rankings)


@pytest.mark.parametrize(
    "derive",
    [
        lambda letor: letor.take_queries([0, 1]),
        lambda letor: letor.only_features(["1"]),
        lambda letor: dataclasses.replace(letor, labels=letor.labels.copy()),
        lambda letor: read_data(letor.source, cache=False),
    ],
    ids=["queries", "features", "a copy", "no cache"],
)
def test_derived_data_have_no_reference(source, derive):
    assert reference_of(ranked(derive(read_data(source)))) is None


@pytest.mark.parametrize("change", [{"source": "renamed"}, {"notes": ("a",)}, {"scale": 7}, {"cache": None}])
def test_data_of_the_same_content_keep_their_reference(source, change):
    letor = dataclasses.replace(read_data(source), **change)
    rankings = ranked(letor, ["1", "0.7*1-0.3*3,name=mix"])
    assert_same_rankings(rank_again(reference_of(rankings)), rankings)


@pytest.mark.parametrize("derive", [lambda letor: letor, lambda letor: letor.take_queries([0, 1])])
def test_a_replaced_ranking_has_no_wrong_reference(source, derive):
    """A reference that other rankings inherit would give the rankings of the first."""
    rankings = ranked(read_data(source))
    kept = dataclasses.replace(rankings, query_keys=rankings.query_keys)
    assert reference_of(kept) == reference_of(rankings) is not None
    other = rank(derive(read_data(source)), rankers_of(["-1"], read_data(source)))
    changed = {name: getattr(other, name) for name in (*ARRAYS, "names")}
    assert reference_of(dataclasses.replace(rankings, **changed)) is None
    assert reference_of(dataclasses.replace(rankings, names=("x", *rankings.names[1:]))) is None


def test_rankings_are_pickled_without_blocks(source):
    rankings = ranked(read_data(source))
    size = len(pickle.dumps(rankings))
    assert rankings.blocks is rankings.blocks and len(pickle.dumps(rankings)) == size
    assert reference_of(pickle.loads(pickle.dumps(rankings))) == reference_of(rankings)


def test_parquet_has_no_reference(source, tmp_path):
    path = tmp_path / "data.parquet"
    write_parquet(read_data(source), path)
    assert reference_of(ranked(read_data(path))) is None


def test_rankers_of_files_and_of_python_have_no_reference(source, tmp_path):
    letor = read_data(source)
    scores = tmp_path / "scores.txt"
    scores.write_text("".join(f"{i}\n" for i in range(letor.n_docs)))
    given = [
        f"scores:{scores}",
        Ranker("mine", lambda data: -data.column(1)),
        lambda features: features[:, 0],
    ]
    assert [reference_of(ranked(letor, [one])) for one in given] == [None] * 3


def test_resolved_rankings_have_no_reference(source):
    assert reference_of(ranked(read_data(source)).resolve("stable")) is None


def test_a_missing_or_damaged_cache_file_is_an_error(source):
    reference = reference_of(ranked(read_data(source)))
    (file,) = cache_files(source.parent / ".rankduel")
    content = file.read_bytes()
    for damaged in (content[:100], b"", content[:-1] + bytes([content[-1] ^ 1])):
        file.write_bytes(damaged)
        with pytest.raises(RankduelError, match="no readable cache file of these data"):
            rank_again(reference)
    file.unlink()
    with pytest.raises(RankduelError, match="no readable cache file of these data"):
        rank_again(reference)


def test_another_digest_is_an_error(source):
    reference = reference_of(ranked(read_data(source)))
    with pytest.raises(RankduelError, match="no readable cache file of these data"):
        rank_again(reference._replace(digest=reference.digest[:-1] + "x"))


def test_a_ranker_whose_text_means_another_is_an_error(source):
    """With this profile, which ranks the smallest value first, the text '1' means the other order."""
    letor = read_data(source, profile="letor_agg", grade_cuts=(1, 3))
    rankings = ranked(letor, [feature("1")])
    with pytest.raises(RankduelError, match="do not determine their names"):
        rank_again(reference_of(rankings))
