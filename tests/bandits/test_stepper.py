"""A policy stepped by hand, saved and restored."""

import json
import os

import numpy as np
import pytest
from support.policies import DUELING, SOME_QUICKLY, ladder

from bandits import configure, restore, start
from rankduel.base.errors import RankduelError

pytestmark = pytest.mark.kernel


def play(stepper, n, users):
    """Duel n times; the pairs chosen."""
    pairs = []
    for _ in range(n):
        first, second = stepper.select()
        pairs.append((first, second))
        stepper.update(users.random() < ladder(stepper.n_arms)[first, second])
    return pairs


@pytest.mark.parametrize("policy", SOME_QUICKLY)
def test_a_restored_policy_goes_on_as_if_never_stopped(policy, tmp_path):
    stepper, users = start(configure(policy), 5, seed=4, horizon=500), np.random.default_rng(1)
    play(stepper, 100, users)
    pending = stepper.select()
    stepper.save(tmp_path / "state.npz")
    again = restore(tmp_path / "state.npz")
    assert again.select() == pending and again.n_steps == 100 and again.configured == stepper.configured
    assert play(stepper, 100, np.random.default_rng(2)) == play(again, 100, np.random.default_rng(2))
    assert stepper.recommend() == again.recommend()


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


def test_one_arm():
    stepper = start("rucb", 1)
    assert stepper.select() == (0, 0)
    stepper.update(True)
    assert stepper.recommend() == 0 and stepper.n_steps == 1


@pytest.mark.parametrize("n_arms", [0, -1, 2.5])
def test_bad_numbers_of_arms(n_arms):
    with pytest.raises(RankduelError, match="n_arms is .*; expected a whole number from 1"):
        start("rucb", n_arms)


def test_a_horizon_is_asked_for_where_it_is_needed():
    needy = [name for name, policy in DUELING.items() if configure(policy).needs_horizon]
    for name in needy:
        with pytest.raises(RankduelError, match=f"{name} must know how many duels"):
            start(name, 3)
    for name in set(DUELING) - set(needy):
        start(name, 3)


def saved(tmp_path):
    path = tmp_path / "state.npz"
    stepper = start("rucb", 3)
    play(stepper, 20, np.random.default_rng(0))
    stepper.save(path)
    return path


def test_saving_leaves_nothing_else_behind(tmp_path):
    saved(tmp_path)
    saved(tmp_path)
    assert os.listdir(tmp_path) == ["state.npz"]


def test_a_failed_save_keeps_the_old_file(tmp_path, monkeypatch):
    path = saved(tmp_path)
    before = path.read_bytes()
    monkeypatch.setattr(np, "savez_compressed", lambda *a, **k: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        saved(tmp_path)
    assert path.read_bytes() == before and os.listdir(tmp_path) == ["state.npz"]


def test_files_that_are_no_saved_policy(tmp_path):
    path = saved(tmp_path)
    whole = path.read_bytes()
    for at in (0, 10, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:at])
        with pytest.raises(RankduelError, match="not a saved policy, or damaged"):
            restore(path)
    path.write_bytes(whole[:200] + bytes(b ^ 255 for b in whole[200:260]) + whole[260:])
    with pytest.raises(RankduelError, match="not a saved policy, or damaged"):
        restore(path)
    with pytest.raises(RankduelError, match="there is no such file"):
        restore(tmp_path / "absent.npz")


def rewritten(path, **changes):
    with np.load(path) as stored:
        arrays = dict(stored)
    header = json.loads(str(arrays["header"])) | changes
    np.savez(path, **(arrays | {"header": np.array(json.dumps(header))}))


def test_files_of_another_version(tmp_path):
    path = saved(tmp_path)
    rewritten(path, format=99)
    with pytest.raises(RankduelError, match=r"another version of rankduel \(format 99\)"):
        restore(path)
    path = saved(tmp_path)
    rewritten(path, n_arms=4)
    with pytest.raises(RankduelError, match="state looked different"):
        restore(path)
    path = saved(tmp_path)
    rewritten(path, policy="gone.py")
    with pytest.raises(RankduelError, match="gone.py: there is no such policy file"):
        restore(path)
