"""Click tables equal the published ones, and invalid tables are refused with one message."""

import numpy as np
import pytest

from rankduel.base.errors import ClickModelError
from rankduel.clickmodels import USERS, check_grades, click_model, custom_model, grades_in, model_for
from rankduel.clickmodels.position_based import geometric, reciprocal

FIVE_GRADES = {
    "perfect": ([0, 0.2, 0.4, 0.8, 1], [0] * 5),
    "navigational": ([0.05, 0.3, 0.5, 0.7, 0.95], [0.2, 0.3, 0.5, 0.7, 0.9]),
    "informational": ([0.4, 0.6, 0.7, 0.8, 0.9], [0.1, 0.2, 0.3, 0.4, 0.5]),
    "almost_random": ([0.4, 0.45, 0.5, 0.55, 0.6], [0.5] * 5),
    "random": ([0.5] * 5, [0] * 5),
}


def rows(model):
    return model.p_click.tolist(), model.p_stop.tolist()


def test_the_users_are_those_of_the_literature():
    assert FIVE_GRADES.keys() == USERS.keys()
    assert all(USERS[name].source and USERS[name].about for name in USERS)


@pytest.mark.parametrize("name", FIVE_GRADES)
def test_five_grades(name):
    assert rows(click_model(name, 5)) == FIVE_GRADES[name]


@pytest.mark.parametrize(("grades", "chosen"), [(2, (0, 4)), (3, (0, 2, 4)), (5, (0, 1, 2, 3, 4))])
@pytest.mark.parametrize("name", FIVE_GRADES)
def test_fewer_grades_are_the_five_grade_table_mapped(name, grades, chosen):
    mapped = [[row[g] for g in chosen] for row in FIVE_GRADES[name]]
    assert rows(click_model(name, grades, grade_map=chosen)) == tuple(mapped)
    assert rows(click_model(name, grades, grade_map="even")) == tuple(mapped)
    if (name, grades) == ("perfect", 3):
        mapped[0][1] = 0.5  # the published table differs here
    assert rows(click_model(name, grades)) == tuple(mapped)


def test_four_grades_by_an_explicit_map():
    model = click_model("navigational", 4, grade_map=[0, 1, 3, 4])
    assert rows(model) == ([0.05, 0.3, 0.7, 0.95], [0.2, 0.3, 0.7, 0.9])


def test_other_numbers_of_grades_are_spread_evenly_over_the_five():
    click, stop = rows(click_model("navigational", 4, grade_map="even"))
    # Linear interpolation: grade 1 of 4 is at 4/3 in the table of five grades, and grade 2 is at 8/3.
    assert click == pytest.approx([0.05, 0.3 + 0.2 / 3, 0.5 + 0.4 / 3, 0.95])
    assert stop == pytest.approx([0.2, 0.3 + 0.2 / 3, 0.5 + 0.4 / 3, 0.9])
    eleven = click_model("perfect", 11, grade_map="even").p_click
    assert eleven[[0, 5, 10]] == pytest.approx([0, 0.4, 1]) and (np.diff(eleven) > 0).all()


@pytest.mark.parametrize("grades", [2, 3, 5])
def test_a_named_user_takes_the_table_for_the_grades_of_the_data(grades):
    user = click_model("perfect")
    assert str(user) == "perfect" and rows(model_for(user, grades)) == rows(click_model("perfect", grades))


def test_a_table_for_other_grades_is_refused():
    model = click_model("perfect", 5)
    assert model_for(model, 5) is model
    with pytest.raises(ClickModelError, match="the click model has 5 grades, but 3 are needed"):
        model_for(model, 3)


def test_a_number_of_grades_without_a_table_is_refused_with_alternatives():
    for grades in (4, 11):
        with pytest.raises(ClickModelError) as refused:
            click_model("navigational", grades)
        message = str(refused.value)
        assert f"published tables for 2, 3, 5 grades, not for {grades}" in message
        assert "navigational(grade_map=even)" in message and "a table of ours" in message
        assert (
            "custom(p_click=" in message
            and "grade_cuts=..." in message
            and refused.value.parameter == "grade_cuts"
        )
        assert ("navigational(grade_map=0/1/2/3)" in message) == (grades == 4)


@pytest.mark.parametrize(("labels", "grades"), [([], 2), ([0], 2), ([1, 0], 2), ([0, 2], 3), ([3], 4)])
def test_grades_of_labels(labels, grades):
    assert grades_in(np.array(labels, np.int8)) == grades


@pytest.mark.parametrize(
    ("stop", "p_stop", "leaves_unclicked"),
    [
        ("click", [0.2, 0.9], False),
        ("any", [0.2, 0.9], True),
        ("first", [1, 1], False),
        ("never", [0, 0], False),
    ],
)
def test_stop_rules(stop, p_stop, leaves_unclicked):
    model = click_model("navigational", 2, stop)
    assert (model.p_stop.tolist(), model.leaves_unclicked) == (p_stop, leaves_unclicked)
    assert model.p_click.tolist() == [0.05, 0.95]


def test_a_model_holds_plain_numbers_and_copies_its_arguments():
    mine = np.array([0.0, 1.0])
    model = custom_model(mine, [0, 0])
    mine[0] = 0.5
    assert model.p_click.tolist() == [0, 1]
    assert [field.dtype for field in model[:3]] == [np.float64] * 3 and isinstance(model[3], bool)


def test_attention_by_rank():
    assert reciprocal(2.0, 3).tolist() == pytest.approx([1, 1 / 4, 1 / 9])
    assert geometric(0.5, 3).tolist() == [1, 0.5, 0.25]
    assert geometric(0, 3).tolist() == [1, 0, 0]


NAN = float("nan")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: click_model("navigatonal"), "'navigatonal'; did you mean 'navigational'?"),
        (lambda: click_model("xyz"), "known: almost_random, informational, navigational, perfect, random"),
        (
            lambda: click_model("perfect", stop="frist"),
            "or first or never; did you mean 'first'?",
        ),
        (lambda: click_model("perfect", 4, grade_map=[0, 4]), "grade_map is for 2 grades, but 4 are needed"),
        (lambda: click_model("perfect", 2, grade_map=[0, 5]), "grade_map of grade 1 is 5; the 5-grade table"),
        (lambda: click_model("perfect", 2, grade_map=[-1, 4]), "grade_map of grade 0 is -1"),
        (lambda: click_model("perfect", 2, grade_map=[0, 1.5]), "grade_map of grade 1 is 1.5"),
        (lambda: click_model("perfect", 1, grade_map="even"), "grade_map=even needs 2 grades or more, not 1"),
        (lambda: custom_model([0, 1], [0]), "p_click has 2 grades and p_stop 1; they must agree"),
        (lambda: custom_model([0, 1.5], [0, 0]), "p_click of grade 1 is 1.5; a probability lies"),
        (lambda: custom_model([0, 1], [-0.1, 0]), "p_stop of grade 0 is -0.1"),
        (lambda: custom_model([NAN, 1], [0, 0]), "p_click of grade 0 is nan"),
        (lambda: custom_model([0, 1], [0, 0], attention=[1, 2]), "attention of rank 2 is 2"),
        (lambda: custom_model([0, 1], [0, 0], attention=[]), "attention must be a row of probabilities"),
        (lambda: custom_model([], []), "p_click must be a row of probabilities"),
        (lambda: custom_model(0.5, 0.5), "p_click must be a row of probabilities, not 0.5"),
        (lambda: custom_model(["a"], [0]), "p_click must be a row of probabilities"),
        (lambda: custom_model([True], [0]), "p_click must be a row of probabilities"),
        (lambda: custom_model([[0], [0, 1]], [0]), "p_click must be a row of probabilities"),
        (lambda: reciprocal(-1.0), "eta must not be negative"),
        (lambda: reciprocal(NAN), "eta must not be negative"),
        (lambda: geometric(1.5), "p must lie between 0 and 1"),
    ],
)
def test_invalid_models_are_refused(make, message):
    with pytest.raises(ClickModelError, match=message.replace("?", r"\?")):
        make()


@pytest.mark.parametrize("labels", [[], [0], [0, 2, 1]])
def test_labels_within_the_table(labels):
    check_grades(click_model("perfect", 3), np.array(labels, np.int8))


@pytest.mark.parametrize(("labels", "grade"), [([0, 3, 1], 3), ([2, -1], -1)])
def test_labels_outside_the_table(labels, grade):
    with pytest.raises(ClickModelError, match=f"the data have grade {grade}, but .* grades 0 to 2 only"):
        check_grades(click_model("perfect", 3), np.array(labels, np.int8))
