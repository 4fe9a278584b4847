"""Test policies that are played step by step, saved and restored."""

import json
import os

import numpy as np
import pytest
from support.policies import DUELING, SOME_QUICKLY, ladder, policies

from rankduel.bandits import configure, restore, start
from rankduel.bandits import stepper as stepper_module
from rankduel.base.errors import RankduelError
from rankduel.base.stored import Kind, write_json

pytestmark = pytest.mark.kernel


def play(stepper, n, users):
    """Play `n` duels; return the pairs."""
    pairs = []
    for _ in range(n):
        first, second = stepper.select()
        pairs.append((first, second))
        stepper.update(users.random() < ladder(stepper.n_arms)[first, second])
    return pairs


def play_on(stepper, again, n):
    """Assert that two steppers choose the same `n` pairs and recommend the same arm."""
    assert play(stepper, n, np.random.default_rng(2)) == play(again, n, np.random.default_rng(2))
    assert stepper.recommend() == again.recommend() and stepper.answers() == again.answers()


@pytest.mark.parametrize("policy", SOME_QUICKLY)
def test_a_restored_policy_continues_as_without_saving(policy, tmp_path):
    stepper, users = start(configure(policy), 5, seed=4, horizon=500), np.random.default_rng(1)
    play(stepper, 60, users)
    stepper.select()
    stepper.pass_over()
    play(stepper, 39, users)
    pending = stepper.select()
    stepper.save(tmp_path / "saved.json")
    again = restore(tmp_path / "saved.json")
    assert again.pair == pending and again.n_steps == 100 and again.configured == stepper.configured
    play_on(stepper, again, 100)


@pytest.mark.parametrize("policy", policies(["rucb", "prefbest"]))
def test_many_duels_are_played_again_by_a_compiled_loop(policy, tmp_path):
    """Self-duels have any outcome, or none, and these are played again too."""
    stepper, users = start(configure(policy), 5, seed=4, horizon=5000), np.random.default_rng(1)
    for number in range(2500):
        first, second = stepper.select()
        if number % 50 == 7:
            stepper.pass_over()
        else:
            stepper.update(users.random() < ladder(5)[first, second])
    stepper.save(tmp_path / "saved.json")
    again = restore(tmp_path / "saved.json")
    assert again.pair is None and again.n_steps == 2500
    play_on(stepper, again, 100)
    stepper.save(tmp_path / "one.json")
    again.save(tmp_path / "other.json")
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "other.json").read_bytes()


def test_the_pair_stays_until_it_is_decided():
    stepper = start("rucb", 4)
    pair = stepper.select()
    assert stepper.select() == pair and stepper.n_steps == 0
    stepper.pass_over()
    assert stepper.n_steps == 1 and stepper.pair is None


def test_update_before_select_is_refused():
    with pytest.raises(RankduelError, match="call select"):
        start("rucb", 4).update(True)
    with pytest.raises(RankduelError, match="call select"):
        start("rucb", 4).pass_over()


def test_scores_are_nan_if_a_policy_has_none():
    for n_arms in (1, 4):
        np.testing.assert_array_equal(start("rucb", n_arms).scores(), np.full(n_arms, np.nan))


def test_scores_change_no_choice():
    watched, unwatched = start("prefbest(k=5)", 12, seed=3), start("prefbest(k=5)", 12, seed=3)
    for number in range(100):
        assert watched.select() == unwatched.select()
        watched.scores()
        watched.update(number % 3 > 0)
        unwatched.update(number % 3 > 0)
    assert watched.finished() and watched.answers() == unwatched.answers()


def test_one_arm():
    stepper = start("rucb", 1)
    assert stepper.select() == (0, 0)
    stepper.update(True)
    assert stepper.recommend() == 0 and stepper.n_steps == 1


@pytest.mark.parametrize("n_arms", [0, -1, 2.5])
def test_bad_numbers_of_arms(n_arms):
    with pytest.raises(RankduelError, match="n_arms is .*; expected a whole number from 1"):
        start("rucb", n_arms)


def test_a_missing_horizon_is_an_error_if_it_is_needed():
    needy = [name for name, policy in DUELING.items() if configure(policy).needs_horizon]
    for name in needy:
        with pytest.raises(RankduelError, match=f"{name} needs the number of duels in advance"):
            start(name, 3)
    for name in set(DUELING) - set(needy):
        start(name, 3)


@pytest.mark.parametrize("seed", [-1, 0.5, None, "1"])
def test_bad_seeds(seed):
    with pytest.raises(RankduelError, match="the seed is .*; expected a whole number from 0"):
        start("rucb", 3, seed=seed)


EXTREME = [("opt_max", {"epsilon": 1e-300}), ("beat_the_mean", {"gamma": 1e300})]


@pytest.mark.parametrize(("name", "settings"), EXTREME)
def test_settings_with_which_nothing_can_be_computed(name, settings):
    """The declared ranges have no such settings; those of a user's own policy may."""
    configured = configure(DUELING[name])
    configured = configured._replace(params=configured.params._replace(**settings))
    with pytest.raises(RankduelError, match=f"{name}.*: step 1: .*; expected less extreme settings"):
        start(configured, 6, horizon=100).select()


@pytest.mark.parametrize("value", [1e300, 2.0**63, -(10**30), float("inf")])
def test_whole_numbers_that_no_kernel_can_hold(value):
    with pytest.raises(RankduelError, match="mohajer_select: m is .*; expected a whole number"):
        configure(DUELING["mohajer_select"], m=value)


def test_a_bounded_number_of_comparisons_is_listed():
    assert len(start(configure(DUELING["mohajer_select"], m=10**12), 6).committed()) == 100_000


def saved(tmp_path):
    path = tmp_path / "saved.json"
    stepper = start("rucb", 6)
    play(stepper, 20, np.random.default_rng(0))
    stepper.save(path)
    return path


def rewritten(path, *without, **changes):
    """Rewrite the file with other fields, and the checksum of these."""
    content = json.loads(path.read_text()) | changes
    write_json(
        path, Kind("", ""), {name: content[name] for name in content if name not in {"digest", *without}}
    )
    return path


def test_saving_leaves_no_other_file(tmp_path):
    saved(tmp_path)
    saved(tmp_path)
    assert os.listdir(tmp_path) == ["saved.json"]


def test_a_failed_save_keeps_the_old_file(tmp_path, monkeypatch):
    path = saved(tmp_path)
    before = path.read_bytes()
    monkeypatch.setattr(os, "fsync", lambda *a: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(RankduelError, match="saved.json: could not be written"):
        saved(tmp_path)
    assert path.read_bytes() == before and os.listdir(tmp_path) == ["saved.json"]


def test_files_that_are_no_saved_policy(tmp_path):
    path = saved(tmp_path)
    whole = path.read_bytes()
    for text in (b"", whole[:10], whole[:-3], b"[]", b"3", b"\xff" + whole, b"[" * 20_000):
        path.write_bytes(text)
        with pytest.raises(RankduelError, match="saved.json: not a saved policy, or damaged"):
            restore(path)
    path.write_bytes(b" " * 6_000_000)
    with pytest.raises(RankduelError, match="more than .* bytes"):
        restore(path)
    with pytest.raises(RankduelError, match="there is no such file"):
        restore(tmp_path / "absent.json")
    with pytest.raises(RankduelError, match="cannot be read: Is a directory"):
        restore(tmp_path)


def test_every_flipped_bit_is_noticed(tmp_path):
    path = saved(tmp_path)
    whole = path.read_bytes()
    n_steps, unnoticed = restore(path).n_steps, []
    for bit in range(0, 8 * len(whole), 7):
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << bit % 8
        path.write_bytes(damaged)
        try:
            unnoticed.append(restore(path).n_steps)
        except RankduelError as problem:
            assert str(path) in str(problem)
    assert set(unnoticed) <= {n_steps} and len(unnoticed) < 20  # white space between the fields


HUGE = 10**30
BAD_FIELDS = {
    "policy": [5, None, ["rucb"], "no_such_policy", ""],
    "settings": [
        [],
        None,
        {"alpha": -1},
        {"alpha": "much"},
        {"alpha": [1]},
        {"beta": 1},
        {"policy": 1},
        {"variant": {}},
    ],
    "n_arms": [0, -1, HUGE, 10**9, 2.5, "6", True, None, 3],
    "horizon": [-1, HUGE, 1e400, "many"],
    "seed": [-1, 1.5, "0", None, True, 7],
    "pending": [0, "false", None],
    "choices": [-1, 0, HUGE, "1"],
    "outcomes": ["2" * 20, "1" * 21, "0" * 20, 5, None, ["1"], "1" * 4_000_001],
}


@pytest.mark.parametrize(("name", "value"), [(n, v) for n, values in BAD_FIELDS.items() for v in values])
def test_every_field_is_checked(name, value, tmp_path):
    """The checksum is right; such numbers crashed or wrote out of bounds when states were saved."""
    with pytest.raises(RankduelError, match="saved.json: "):
        restore(rewritten(saved(tmp_path), **{name: value}))


@pytest.mark.parametrize("name", BAD_FIELDS)
def test_every_field_is_needed(name, tmp_path):
    with pytest.raises(RankduelError, match=f"saved.json: there is no '{name}' in it"):
        restore(rewritten(saved(tmp_path), name))


def test_files_of_another_version(tmp_path):
    with pytest.raises(RankduelError, match=r"another version of rankduel, in format 99; expected 1"):
        restore(rewritten(saved(tmp_path), format=99))


def test_a_policy_that_now_chooses_other_pairs_is_refused(tmp_path):
    path = rewritten(saved(tmp_path), settings={"alpha": 3.0})
    with pytest.raises(RankduelError, match="rucb chooses other pairs now than when it was saved"):
        restore(path)


def test_at_most_four_million_duels_are_saved(tmp_path, monkeypatch):
    monkeypatch.setattr(stepper_module, "MOST_DUELS", 19)
    with pytest.raises(RankduelError, match="20 duels of 6 arms; a saved policy holds at most 19 duels"):
        saved(tmp_path)
    assert os.listdir(tmp_path) == []
