"""Closed forms of click probabilities against enumeration of all outcomes of reading a page."""

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankduel.clickmodels import (
    STOP_RULES,
    USERS,
    click_model,
    click_probability,
    custom_model,
    examination,
    expected_clicks,
    geometric,
    reciprocal,
)
from rankduel.clickmodels.position_based import MEASURED

ATTENTION = {
    "everywhere": (1.0,),
    "reciprocal": tuple(reciprocal(0.7)),
    "geometric": tuple(geometric(0.8)),
    "measured": MEASURED,
    "two ranks": (0.9, 0.4),
}
TABLES = [(name, grades) for name in USERS for grades in USERS[name].tables]


def pages(grades):
    """Return pages on which every grade occurs, above and below other grades."""
    ladder = [g % grades for g in range(5)]
    return [[], [grades - 1], ladder[:4], ladder[:0:-1], [grades - 1, 0, grades - 1]]


def assert_matches_enumeration(p_click, p_stop, stop, attention, page):
    model = custom_model(p_click, p_stop, stop, attention)
    outcomes = naive.reading_outcomes(p_click, p_stop, stop, attention, page)
    page = np.array(page, np.int64)

    def chance(event):
        return sum(p for p, reached, clicked in outcomes if event(reached, clicked))

    ranks = range(len(page))
    reach = [chance(lambda reached, _, rank=rank: reached > rank) for rank in ranks]
    click = [chance(lambda _, clicked, rank=rank: clicked[rank]) for rank in ranks]
    assert examination(model, page) == pytest.approx(np.array(reach), abs=1e-12)
    assert click_probability(model, page) == pytest.approx(np.array(click), abs=1e-12)
    assert expected_clicks(model, page) == pytest.approx(sum(click), abs=1e-12)


class TestClosedForms:
    @pytest.mark.parametrize("attention", ATTENTION.values(), ids=ATTENTION)
    @pytest.mark.parametrize("stop", STOP_RULES)
    @pytest.mark.parametrize(("name", "grades"), TABLES)
    def test_named_users(self, name, grades, stop, attention):
        for page in pages(grades):
            assert_matches_enumeration(*USERS[name].tables[grades], stop, attention, page)

    @given(st.data())
    def test_any_user(self, data):
        chance = st.floats(0, 1)
        grades = data.draw(st.integers(1, 4))
        p_click, p_stop = (data.draw(st.lists(chance, min_size=grades, max_size=grades)) for _ in range(2))
        attention = data.draw(st.lists(chance, min_size=1, max_size=5))
        page = data.draw(st.lists(st.integers(0, grades - 1), max_size=5))
        stop = data.draw(st.sampled_from(list(STOP_RULES)))
        assert_matches_enumeration(p_click, p_stop, stop, attention, page)

    def test_worked_example(self):
        model, page = click_model("navigational", 5), np.array([4, 0, 2, 1])
        assert examination(model, page) == pytest.approx([1, 0.145, 0.14355, 0.1076625], rel=1e-14)
        clicks = [0.95, 0.00725, 0.071775, 0.03229875]
        assert click_probability(model, page) == pytest.approx(clicks, rel=1e-14)
        assert expected_clicks(model, page) == pytest.approx(sum(clicks), rel=1e-14)


class TestStopRules:
    """The effect of stop rules on the expected number of clicks, on any page."""

    def clicks(self, name, page):
        return {stop: expected_clicks(click_model(name, 5, stop=stop), page) for stop in STOP_RULES}

    @pytest.mark.parametrize("name", USERS)
    @given(page=st.lists(st.integers(0, 4), min_size=2, max_size=10).map(np.array))
    def test_earlier_leaving_means_fewer_clicks(self, name, page):
        clicks = self.clicks(name, page)
        tolerance = 1e-12
        assert clicks["any"] <= clicks["click"] + tolerance
        assert clicks["first"] <= clicks["click"] + tolerance
        assert clicks["click"] <= clicks["never"] + tolerance
        assert clicks["first"] <= 1 + tolerance

    @pytest.mark.parametrize("name", ["navigational", "informational", "almost_random"])
    @given(page=st.lists(st.integers(0, 4), min_size=2, max_size=10).map(np.array))
    def test_leaving_without_a_click_lowers_the_number_of_clicks(self, name, page):
        clicks = self.clicks(name, page)
        assert clicks["any"] < clicks["click"]

    @pytest.mark.parametrize("name", ["perfect", "random"])
    @given(page=st.lists(st.integers(0, 4), max_size=10).map(lambda page: np.array(page, int)))
    def test_stop_rules_agree_for_users_that_never_leave(self, name, page):
        clicks = self.clicks(name, page)
        assert clicks["any"] == clicks["click"] == clicks["never"]

    def test_examination_when_users_leave_at_any_rank(self):
        model, page = click_model("informational", 5, stop="any"), np.array([0, 4, 2])
        assert examination(model, page) == pytest.approx([1, 0.9, 0.9 * 0.5], rel=1e-14)

    def test_position_based_clicks_are_independent(self):
        model = click_model("informational", 5, stop="never", attention=reciprocal(1.0))
        page = np.array([4, 0, 2])
        assert click_probability(model, page) == pytest.approx([0.9, 0.4 / 2, 0.7 / 3], rel=1e-14)
