"""Every policy, method and user works at both ends of the declared range of each of its settings."""

import faulthandler
import itertools
import re

import numpy as np
import pytest
from support.arenas import arena
from support.policies import generators, ladder
from support.setting_ends import all_ends

from rankduel.bandits import POLICIES, configure
from rankduel.bandits.loop import run_loop
from rankduel.bandits.matrix_duels import by_matrix
from rankduel.bandits.sets_loop import pages_by_matrix, run_sets
from rankduel.base.errors import PolicyError
from rankduel.base.settings import written_spec
from rankduel.clickmodels.catalogue import CLICK_MODELS
from rankduel.clickmodels.tables import STOP_RULES
from rankduel.experiments.duels import play_duels
from rankduel.interleave import METHODS, interleaving
from rankduel.interleave.multileave import MULTILEAVERS, multileaved_page, multileaving
from rankduel.interleave.pages import interleaved_page

pytestmark = [pytest.mark.kernel, pytest.mark.compiling]

STEPS = np.array([1, 2, 3, 10, 100, 300])
SECONDS = 300  # for the ends of one policy or method, compilation included
ARMS = 5
# Settings whose range depends on another setting, or on the number of arms, and what their refusals say.
RELATED = {
    "alpha": "expected more than 1/2 for C",
    "c": "alpha is 0.262144; expected more than 1/2",
    "kappa": "expected less than 5, the number of arms",
    "rho": "expected less than 4, the number of other arms",
    "k": "expected k < n < m",
    "n": "expected k < n < m",
    "m": "expected k < n < m",
}


@pytest.fixture(autouse=True)
def end_if_a_kernel_hangs():
    """End the process with a traceback: compiled code cannot be interrupted."""
    faulthandler.dump_traceback_later(SECONDS, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


def play(configured):
    """Return the trace of a short run."""
    rng, users = generators(0, 0)
    prefs, labels = ladder(ARMS, 0.1), np.arange(ARMS)
    if configured.thing.sets:
        return run_sets(configured, pages_by_matrix(prefs), labels, STEPS, rng, users)
    return run_loop(configured, by_matrix(prefs), labels / 10, labels, STEPS, rng, users)


@pytest.mark.parametrize("name", POLICIES)
def test_policies(name):
    for settings in all_ends(POLICIES[name]):
        configured = configure(POLICIES[name], **settings)
        try:
            trace = play(configured)
        except PolicyError as problem:
            expected = RELATED.get(next(iter(settings)))
            assert expected and re.search(expected, str(problem)), f"{configured}: {problem}"
        else:
            assert ((trace.recommended >= 0) & (trace.recommended < ARMS)).all(), configured


@pytest.mark.parametrize("name", METHODS)
def test_interleavers(name):
    for settings in all_ends(METHODS[name]):
        configured = interleaving(name, **settings)
        for length in (1, 4):
            page = interleaved_page(["a", "b", "c", "d"], ["d", "b", "c", "a"], configured, length, 1)
            assert len(set(page.docs)) == length
            assert np.isfinite(page.credit(page.docs[:1]).lead), configured


@pytest.mark.parametrize("name", MULTILEAVERS)
def test_multileavers(name):
    for settings in all_ends(MULTILEAVERS[name]):
        configured = multileaving(name, **settings)
        for length in (1, 4):
            page = multileaved_page(["abcd", "dbca", "bacd"], configured, length, 1)
            assert len(set(page.docs)) == length
            assert np.isfinite(page.preferences([True] + [False] * (length - 1))).all(), configured


ROWS = ("0/0/0/0/0", "1/1/1/1/1", "5e-324/0/1/0.5/1")
ATTENTIONS = (
    *("0", "1", "5e-324/1", "reciprocal:0", "reciprocal:1.7976931348623157e308"),
    *("reciprocal:inf", "geometric:0", "geometric:1", "measured", "everywhere"),
)


@pytest.mark.parametrize("name", CLICK_MODELS)
def test_users(name):
    """Users have rows of probabilities, whose ends are 0 and 1, and attentions with a number."""
    rows = {field: ROWS for field in ("p_click", "p_stop") if field in CLICK_MODELS[name].params._fields}
    choices = {**rows, "attention": ATTENTIONS, "stop": tuple(STOP_RULES)}
    for values in itertools.product(*choices.values()):
        settings = dict(zip(choices, values))
        outcomes = play_duels(arena("team_draft", written_spec(name, settings)), "1", "2", 20, seed=1)
        assert sum(outcomes) == 20, settings
