"""Values of many rankers on one data set."""

import numpy as np
import pytest
from support.helpers import small_letor

from rankduel.base.errors import DataError
from rankduel.letor_data.evaluation.catalogue import MEASURES, parse_measure
from rankduel.letor_data.evaluation.values import expected_values, measure_rankers
from rankduel.letor_data.rankers import feature, feature_rankers
from rankduel.letor_data.rankings import rank
from rankduel.letor_data.synthetic.generate import shape, synthesize

pytestmark = pytest.mark.kernel


@pytest.mark.parametrize("jobs", [1, 3])
def test_rankers_are_measured_as_their_rankings(jobs):
    letor = synthesize(shape("small", queries=15))
    rankers = feature_rankers(letor)[:20]
    found, told = measure_rankers(letor, rankers, [parse_measure(name) for name in MEASURES], jobs), []
    measure_rankers(letor, rankers, [parse_measure("mrr")], jobs, told.append)
    ranked = rank(letor, rankers)
    for n, name in enumerate(MEASURES):
        expected = expected_values(name, letor.labels, letor.offsets, ranked.order, ranked.ties)
        assert found[:, n].tolist() == expected.tolist()
    assert found.shape == (20, len(MEASURES), 15) and told == [1] * 20


def test_a_missing_value_is_ranked_last():
    letor = small_letor()  # feature 2 of the first query: 0.1, -0.0 and missing; grades 0, 4 and 1
    found = measure_rankers(letor, [feature(2)], [parse_measure("map")])
    assert found[0, 0] == pytest.approx([(1 / 2 + 2 / 3) / 2, 1, 1 / 2])


def test_rankers_must_have_names_of_their_own():
    with pytest.raises(DataError, match="two rankers are named '1'"):
        measure_rankers(small_letor(), [feature(1), feature(1)], [parse_measure("mrr")])
    with pytest.raises(DataError, match="no rankers are given; expected at least one"):
        measure_rankers(small_letor(), [], [parse_measure("mrr")])


def test_queries_of_one_document_and_large_grades():
    letor = small_letor(labels=np.array([0, 127, 1, 2, 0, 127], np.int8))
    found = measure_rankers(letor, [feature(1)], [parse_measure("ndcg"), parse_measure("dcg@1")])
    assert np.isfinite(found).all() and found[0, 0, 1] == 1 and found[0, 1].tolist() == [0, 3, 2.0**127 - 1]
