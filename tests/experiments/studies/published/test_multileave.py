"""Expected clicks on the pages of rankers, as the study of multileaving computes them."""

from itertools import product

import numpy as np
import pytest

import rankduel
from rankduel.clickmodels import ClickModel
from rankduel.experiments.studies.published.multileave.quality import clicks_of_rankers, expected_clicks


def enumerated_clicks(grades: list[int], model: ClickModel) -> float:
    """Return the expected clicks on one page, over all patterns of clicks and ranks of a stop."""
    total = 0.0
    for clicked in product((False, True), repeat=len(grades)):
        reached = 1.0
        for rank, (grade, click) in enumerate(zip(grades, clicked)):
            reached *= model.p_click[grade] if click else 1 - model.p_click[grade]
            if click:
                stops = reached * model.p_stop[grade]
                # Patterns that differ below the rank of the stop are the same event.
                total += stops * sum(clicked[: rank + 1]) / 2 ** (len(grades) - rank - 1)
                reached -= stops
        total += reached * sum(clicked)
    return total


@pytest.fixture
def arena():
    return rankduel.open_arena(
        rankduel.synthetic_data("small", queries=12), rankers="110,115,3", clicks="navigational", length=6
    )


def test_expected_clicks_are_those_of_all_patterns_of_clicks(arena):
    pages = np.array([[4, 0, 2, 1, 1, 3], [0, 0, 0, 0, 0, 0], [1, 2, 3, 4, 0, 1]])
    found = expected_clicks(pages, np.ones(pages.shape, bool), arena.model)
    assert found == pytest.approx([enumerated_clicks(list(page), arena.model) for page in pages])


def test_a_rank_without_a_document_has_no_click(arena):
    page = np.array([[2, 1, 4, 4, 4, 4]])
    shown = np.arange(6)[None, :] < 2
    assert expected_clicks(page, shown, arena.model) == pytest.approx(enumerated_clicks([2, 1], arena.model))


def test_clicks_of_rankers_are_means_over_queries(arena):
    ranked, labels = arena.rankings, arena.labels
    for k, clicks in enumerate(clicks_of_rankers(arena)):
        pages = []
        for start, stop in zip(ranked.offsets, ranked.offsets[1:]):
            best = ranked.order[k, start:stop][: arena.length]
            pages.append([labels[start + document] for document in best])
        assert clicks == pytest.approx(np.mean([enumerated_clicks(page, arena.model) for page in pages]))


def test_ten_satisfying_documents_have_fewer_clicks_than_ten_fair_ones(arena):
    pages = np.repeat([[1], [4]], 10, axis=1)
    fair, perfect = expected_clicks(pages, np.ones(pages.shape, bool), arena.model)
    assert fair == pytest.approx(0.3 * (1 - 0.91**10) / 0.09)
    assert perfect < 0.6 * fair
