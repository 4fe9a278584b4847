"""The arena: every option reaches the world of the duels, and invalid values are errors."""

import dataclasses
import inspect
import json

import numpy as np
import pandas as pd
import pytest

from rankduel.base.errors import RankduelError
from rankduel.cli.options import DuelOptions
from rankduel.clickmodels import click_model
from rankduel.experiments.arena import open_arena
from rankduel.experiments.specs import parse_model
from rankduel.interleave import METHODS, PRESETS, interleaving, make_world, play_duels, preset
from rankduel.interleave.world import user_table
from rankduel.letor_data.letor import Letor
from rankduel.letor_data.rankers import Ranker, feature
from rankduel.letor_data.rankings import rank

pytestmark = pytest.mark.kernel

REFUSALS = RankduelError


@pytest.fixture
def letor():
    """Return three queries of 4, 1 and 6 documents; feature 3 is the same for all documents."""
    rng = np.random.default_rng(1)
    return Letor(
        labels=np.array([0, 2, 1, 4, 3, 0, 0, 1, 2, 4, 0], np.int8),
        offsets=np.array([0, 4, 5, 11]),
        columns=(*(rng.random(11).astype(np.float32) for _ in range(2)), np.ones(11, np.float32)),
        feature_names=("1", "2", "3"),
        query_ids=np.array(["a", "b", "c"], object),
        splits=np.array(["", "", ""], object),
        records=np.arange(11),
        profile="svmlight",
        source="small.txt",
        digest="abc",
    )


def assert_same_world(one, other):
    for name, mine, theirs in zip(one._fields, one, other):
        np.testing.assert_array_equal(mine, theirs, err_msg=name)


def made(letor, model=None, configured=None, rankers=("1", "2", "3"), **settings):
    """Return the world that `make_world` makes, without an arena."""
    rankings = rank(letor, [feature(name) for name in rankers])
    return make_world(
        rankings,
        letor.labels,
        model or click_model("navigational", 5),
        configured or interleaving("probabilistic"),
        **{"length": 10, "ties": "random_impression"} | settings,
    )


def test_the_defaults_are_those_of_the_papers(letor):
    arena = open_arena(letor)
    assert_same_world(arena.world(), made(letor))
    assert arena.rankings.names == ("1", "2", "3") and str(arena.interleaving) == "probabilistic"
    assert arena.settings == {
        "data": "small.txt",
        "profile": "svmlight",
        "data_digest": "abc",
        "n_queries": 3,
        "n_docs": 11,
        "interleave": "probabilistic",
        "clicks": "navigational",
        "grades": 5,
        "length": 10,
        "preset": "paper",
        "ties": "random_impression",
        "tied_duels": "coin",
        "queries": "uniform",
    }


def test_the_command_line_has_the_same_defaults():
    takes = inspect.signature(open_arena).parameters
    options = dataclasses.asdict(DuelOptions())
    # None stands for the default of the arena.
    assert options.pop("ranker") is None and options["clicks"] is None
    options["clicks"] = takes["clicks"].default
    assert options == {
        name: parameter.default for name, parameter in takes.items() if name not in ("data", "watch")
    }


@pytest.mark.parametrize(
    ("options", "made_with"),
    [
        ({"interleave": "team_draft"}, {"configured": interleaving("team_draft")}),
        (
            {"interleave": "probabilistic(credit=assignment,tau=2)"},
            {"configured": interleaving("probabilistic", credit="assignment", tau=2)},
        ),
        ({"clicks": "informational(stop=any)"}, {"model": click_model("informational", 5, stop="any")}),
        ({"length": 3}, {"length": 3}),
        ({"ties": "stable"}, {"ties": "stable"}),
        ({"ties": "random_impression_redraw"}, {"ties": "random_impression_redraw"}),
        ({"tied_duels": "drop"}, {"tied_duels": "drop"}),
        ({"queries": "cycle"}, {"queries": "cycle"}),
        ({"rankers": "2-3"}, {"rankers": ("2", "3")}),
        ({"rankers": "3,1"}, {"rankers": ("3", "1")}),
    ],
    ids=lambda options: next(iter(options.items()))[0],
)
def test_every_option_reaches_the_world(letor, options, made_with):
    arena = open_arena(letor, **options)
    assert_same_world(arena.world(), made(letor, **made_with))
    usual = open_arena(letor)
    assert any(not np.array_equal(a, b) for a, b in zip(arena.world(), usual.world()))
    for name, value in options.items():
        if name != "rankers":
            assert arena.settings[name] == value and usual.settings[name] != value


@pytest.mark.parametrize("name", PRESETS)
def test_presets_set_the_options_that_are_not_given(letor, name):
    expected = preset(name)
    arena = open_arena(letor, preset=name)
    assert arena.interleaving == expected["interleaving"]
    assert (arena.ties, arena.tied_duels) == (expected["ties"], expected["tied_duels"])
    assert not arena.notes
    assert_same_world(
        arena.world(),
        made(letor, configured=arena.interleaving, ties=arena.ties, tied_duels=arena.tied_duels),
    )
    assert arena.settings["preset"] == name
    explicit = open_arena(letor, preset=name, interleave="balanced", ties="stable", tied_duels="drop")
    assert (explicit.interleaving.name, explicit.ties, explicit.tied_duels) == ("balanced", "stable", "drop")


def test_the_settings_read_back_to_the_same_arena(letor):
    arena = open_arena(letor, interleave="team_draft(prefix=neutral)", clicks="perfect(stop=never)", length=4)
    settings = json.loads(json.dumps(dict(arena.settings)))  # the settings survive JSON
    assert METHODS.parsed(settings["interleave"]) == arena.interleaving
    again = parse_model(settings["clicks"], letor.n_grades)
    np.testing.assert_array_equal(user_table(again, 4), user_table(arena.model, 4))
    same = ("interleave", "clicks", "length", "preset", "ties", "tied_duels", "queries")
    assert_same_world(open_arena(letor, **{name: settings[name] for name in same}).world(), arena.world())


def test_ties_broken_once_per_run_follow_the_seed(letor):
    arena = open_arena(letor, ties="random_run", rankers="3")
    assert_same_world(arena.world(5), made(letor, rankers=("3",), ties="random_run", seed=5))
    orders = {arena.world(seed).order.tobytes() for seed in range(6)}
    assert len(orders) == 6
    np.testing.assert_array_equal(arena.world(5).order, arena.world(5).order)


def test_rankers_from_functions(letor):
    mine = Ranker("mine", lambda data: data.labels.astype(np.float64))
    arena = open_arena(letor, rankers=[mine, feature("1")], clicks="perfect")
    assert arena.rankings.names == ("mine", "1")
    loss, _, win = play_duels(arena.world(), arena.interleaving, 0, 1, 4000, np.random.default_rng(0))
    assert win > 2 * loss  # ranking by grade beats the feature


def test_rankers_keep_the_direction_of_their_profile(letor):
    reversed_profile = dataclasses.replace(letor, profile="letor_agg", labels=np.minimum(letor.labels, 2))
    all_rankers, some = open_arena(reversed_profile), open_arena(reversed_profile, rankers="2")
    assert all_rankers.rankings.names == ("-1", "-2", "-3") and some.rankings.names == ("-2",)
    np.testing.assert_array_equal(all_rankers.rankings.order[1], some.rankings.order[0])


@pytest.mark.parametrize(
    ("profile", "top", "grades"),
    [
        ("mslr", 2, 5),
        ("yahoo", 4, 5),
        ("letor4", 1, 3),
        ("letor3", 2, 3),
        ("svmlight", 0, 2),
        ("svmlight", 1, 2),
        ("svmlight", 2, 3),
        ("svmlight", 3, 4),
        ("trec", 3, 4),
        ("svmlight", 4, 5),
        ("trec", 1, 2),
        ("svmlight", 6, 7),
    ],
)
def test_grades_follow_the_profile_and_otherwise_the_data(letor, profile, top, grades):
    data = dataclasses.replace(letor, profile=profile, labels=np.minimum(letor.labels, 0))
    data.labels[3] = top
    assert data.n_grades == grades
    if grades in (2, 3, 5):
        assert len(open_arena(data).model.p_click) == grades
        assert open_arena(data).world().user.shape[2] == grades


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"interleave": "team_daft"}, "did you mean 'team_draft'?"),
        ({"interleave": "team_draft(prefix=x)"}, "prefix"),
        ({"interleave": "team_draft("}, "expected a setting's name"),
        ({"clicks": "navigationl"}, "did you mean 'navigational'?"),
        ({"clicks": "custom(p_click=0/1,p_stop=0/0)"}, "grade"),
        ({"length": 0}, "a page must have at least 1 document, not 0"),
        ({"preset": "papr"}, "did you mean 'paper'?"),
        ({"ties": "stabel"}, "did you mean 'stable'?"),
        ({"tied_duels": "dropp"}, "did you mean 'drop'?"),
        ({"queries": "cycel"}, "did you mean 'cycle'?"),
        ({"rankers": "1,9"}, "no feature '9'"),
        ({"rankers": "1,1"}, "two rankers are named '1'"),
        ({"rankers": ","}, "no rankers are given; expected at least one"),
        ({"rankers": []}, "no rankers are given; expected at least one"),
    ],
)
def test_invalid_options_are_refused(letor, options, message):
    with pytest.raises(REFUSALS) as refused:
        open_arena(letor, **options)
    assert message in str(refused.value)


@pytest.fixture
def three_grades():
    """Return one query of three documents with grades 2, 1 and 0; its features have opposite orders."""
    frame = pd.DataFrame({"qid": [1, 1, 1], "label": [2, 1, 0], "good": [3, 2, 1], "bad": [1, 2, 3]})
    return Letor.from_pandas(frame)


def test_a_user_by_name_has_the_table_for_the_grades_of_the_data(three_grades):
    duel = {"interleave": "team_draft", "length": 2}
    by_name = open_arena(three_grades, clicks="perfect", **duel)
    assert by_name.settings["clicks"] == "perfect" and by_name.settings["grades"] == 3
    assert by_name.model.p_click.tolist() == [0, 0.5, 1]
    made = open_arena(three_grades, clicks=click_model("perfect"), **duel)
    table = open_arena(three_grades, clicks=click_model("perfect", 3), **duel)
    for arena in (made, table):
        assert arena.settings == by_name.settings
        assert_same_world(arena.world(), by_name.world())
    rankings = rank(three_grades, [feature("good"), feature("bad")])
    world = make_world(rankings, three_grades.labels, click_model("perfect"), made.interleaving, length=2)
    assert_same_world(world, by_name.world())


def test_a_table_for_other_grades_is_refused(three_grades):
    with pytest.raises(REFUSALS, match="the click model has 5 grades, but 3 are needed"):
        open_arena(three_grades, clicks=click_model("perfect", 5))


def test_four_grades_need_an_explicit_grade_map(letor):
    four = dataclasses.replace(letor, labels=np.minimum(letor.labels, 3))
    with pytest.raises(REFUSALS, match="tables for 2, 3, 5 grades, not for 4") as refused:
        open_arena(four)
    assert "navigational(grade_map=even)" in str(refused.value)
    arena = open_arena(four, clicks="navigational(grade_map=even)")
    assert arena.settings["clicks"] == "navigational(grade_map=even)" and arena.settings["grades"] == 4
    assert arena.model.p_click[-1] == 0.95


def test_grades_outside_the_click_table_are_refused(letor):
    with pytest.raises(REFUSALS, match="grade"):
        open_arena(dataclasses.replace(letor, profile="letor4"))
