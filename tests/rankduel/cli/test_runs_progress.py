"""Test the progress bar of runs with a simulated clock."""

from io import StringIO

import pytest
from rich.console import Console

from rankduel.cli import console
from rankduel.experiments.runs.play import InPlay


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def terminal(monkeypatch, clock):
    """Return the stream that replaces the error output."""
    sent = StringIO()
    shown = Console(file=sent, force_terminal=True, width=120, color_system=None, get_time=clock)
    monkeypatch.setattr(console, "errors", shown)
    return sent


def test_the_bar_of_one_run_shows_duels_rate_and_time_left(terminal, clock):
    in_play = InPlay(1_000_000)
    with console.watching("runs", 1) as watch, in_play.playing() as run:
        watch.playing(in_play)
        watch.runs(0)
        for clock.now, run.step in ((10.0, 100_000), (20.0, 200_000), (30.0, 300_000)):
            watch.runs(0)
    text = terminal.getvalue()
    assert "0 of 1 run" in text
    assert " 30%" in text
    assert "10,000 duels/s" in text
    assert "0:01:10" in text


def test_recorded_runs_do_not_count_for_the_rate(terminal, clock):
    in_play = InPlay(1000)
    with console.watching("runs", 4) as watch:
        watch.playing(in_play)
        watch.runs(2)
        for clock.now in (10.0, 20.0):
            watch.runs(1)
    text = terminal.getvalue()
    assert " 50%" in text and "4 of 4 runs" in text
    assert "100 duels/s" in text


def test_the_bar_never_goes_back_when_a_run_ends(terminal, clock):
    in_play = InPlay(1000)
    with console.watching("runs", 2) as watch:
        watch.playing(in_play)
        watch.runs(0)
        with in_play.playing() as run:
            run.step = 900
            watch.runs(0)
        watch.runs(0)  # ended, and not yet reported
    assert terminal.getvalue().rpartition("%")[0].endswith(" 45")


def test_runs_are_counted_without_watch(terminal, clock):
    with console.watching("impressions", 400) as watch:
        watch.runs(100)
        clock.now = 1.0
        watch.runs(100)
    assert " 50%" in terminal.getvalue()
    assert "duels" not in terminal.getvalue()
