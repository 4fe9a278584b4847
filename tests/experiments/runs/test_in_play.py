"""Progress of the runs in play, read from another thread."""

from threading import Barrier

import numpy as np
import pandas as pd
import pytest
from support import arenas
from support.watching import Watching

from rankduel.bandits import checkpoints, policy
from rankduel.bandits.loop import Progress
from rankduel.base.compiling import record
from rankduel.experiments.matrix.preferences import read_preferences
from rankduel.experiments.runs.play import InPlay, play_runs
from rankduel.experiments.runs.problem import Problem


def test_steps_of_the_runs_in_play_are_summed():
    in_play = InPlay(100)
    with in_play.playing() as one:
        one.step = 30
        with in_play.playing() as two:
            two.step = 12
            assert in_play.n_steps() == 42
        assert in_play.n_steps() == 30
    assert in_play.n_steps() == 0


def test_a_watcher_sees_the_runs_of_all_threads(monkeypatch):
    n_steps_seen, watchers, barrier = [], [], Barrier(2)

    def play(problem, configured, steps, seed, number, progress):
        progress.step = 10 + number
        barrier.wait(timeout=60)
        n_steps_seen.append(watchers[0].n_steps())
        barrier.wait(timeout=60)
        return pd.DataFrame({"step": steps})

    monkeypatch.setattr(Problem, "play", play)
    play_runs("arxiv6", ["rucb"], 1000, 2, jobs=2, watch=Watching(playing=watchers.append))
    assert watchers[0].horizon == 1000
    assert n_steps_seen == [21, 21]
    assert watchers[0].n_steps() == 0


# RUCB skips steps; SAVAGE has an agenda.
@pytest.mark.parametrize("name", ["rucb", "savage"])
def test_a_proxy_run_reports_its_step(name):
    progress = record(Progress())
    Problem(read_preferences("arxiv6")).play(policy(name), checkpoints(2000, 10), 0, 0, progress)
    assert progress.step[0] == 2000


def test_a_live_run_reports_its_step():
    chosen, progress = arenas.arena(), record(Progress())
    problem = Problem(arenas.exact_preferences(chosen), chosen)
    problem.play(policy("rucb"), np.array([50, 120]), 0, 0, progress)
    assert progress.step[0] == 120
