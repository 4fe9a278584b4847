"""Kernels on disk: compiled code is linked by name, so two kernels with one name would be taken for one."""

from collections import defaultdict
from typing import NamedTuple

import pytest
from numba import njit
from numba.extending import is_jitted
from support.policies import DUELING, FOR_SETS

from bandits.loop import Duel, compiled, compiled_step
from bandits.matrix_duels import by_matrix
from bandits.sets_loop import Pages, pages_by_matrix
from bandits.sets_loop import compiled as sets_loop
from experiments.matrix.kernels import duel_kernel
from interleave import METHODS, interleaving, live_duel_by, shown_so_far
from interleave.multileave import MULTILEAVERS
from interleave.multileave.live import live_comparison_by
from rankduel.base.compiling import record


def called(kernel):
    """The kernels that it calls by name, or holds in its closure."""
    function = kernel.py_func
    names = [function.__globals__.get(name) for name in function.__code__.co_names]
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    return [value for value in (*names, *cells) if is_jitted(value)]


def name_of(kernel):
    return kernel.py_func.__module__, kernel.py_func.__qualname__


def all_loops():
    duels = [by_matrix(None)]
    duels += [Duel(live_duel_by(name), None, shown_so_far) for name in METHODS]
    pages = [pages_by_matrix(None), *(Pages(live_comparison_by(name), None) for name in MULTILEAVERS)]
    yield from (compiled(policy, duel) for policy in DUELING.values() for duel in duels)
    yield from (step for policy in DUELING.values() for step in compiled_step(policy))
    yield from (duel_kernel(interleaving(name)) for name in METHODS)
    yield from (sets_loop(policy, page) for policy in FOR_SETS.values() for page in pages)


def test_no_two_kernels_share_a_name():
    texts, seen, waiting = defaultdict(set), set(), list(all_loops())
    while waiting:
        kernel = waiting.pop()
        if id(kernel) not in seen and "inline" not in kernel.targetoptions:  # those have no code of their own
            seen.add(id(kernel))
            waiting += called(kernel)
            inside = tuple(sorted(name_of(other) for other in called(kernel)))
            texts[name_of(kernel)].add((kernel.py_func.__code__, inside))
    assert len(texts) > 500
    shared = [name for name, different in texts.items() if len(different) > 1]
    assert not shared


class Now(NamedTuple):
    clock: int = 3
    leader: int = -1


def test_a_record_is_written_in_place():
    """The same in plain Python and compiled."""

    def step(records):
        now = records[0]
        now.clock += 1
        return now.clock, records[0].leader

    plain, compiled = record(Now()), record(Now())
    assert step(plain) == njit(step)(compiled) == (4, -1)
    assert plain[0].clock == compiled[0].clock == 4


def test_names_of_numpys_records_are_refused():
    class Round(NamedTuple):
        round: int = 0

    with pytest.raises(ValueError, match="a 'round' of its own; choose another name"):
        record(Round())
