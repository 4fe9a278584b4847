"""The simulated schedule of benchmarks/bench_cluster.py obeys the laws of a schedule."""

import sys
from pathlib import Path

import numpy as np
import pytest

BENCHMARKS = str(Path(__file__).parents[2] / "benchmarks")


@pytest.fixture(scope="module")
def bench():
    sys.path.insert(0, BENCHMARKS)
    try:
        import bench_cluster
    finally:
        sys.path.remove(BENCHMARKS)
    return bench_cluster


def units(seed, n=200):
    return np.random.default_rng(seed).gamma(2.0, 0.1, n)


def test_without_overhead_the_time_is_that_of_the_units_divided_by_threads(bench):
    assert bench.simulate([bench.Phase(np.full(80, 0.5), 0.0, 0.0)], 8) == pytest.approx(80 * 0.5 / 8)
    several = [bench.Phase(units(seed), 0.0, 0.0) for seed in range(3)]
    assert bench.simulate(several, 1) == pytest.approx(sum(phase.seconds.sum() for phase in several))


@pytest.mark.parametrize(("send", "receive"), [(0.0, 0.0), (0.001, 0.002), (0.05, 0.01), (0.01, 0.2)])
def test_more_machines_never_take_longer(bench, send, receive):
    phases = [bench.Phase(units(seed), send, receive) for seed in range(3)]
    times = [bench.simulate(phases, machines * bench.THREADS, 2.0) for machines in range(1, 20)]
    assert all(later <= earlier + 1e-9 for earlier, later in zip(times, times[1:]))


def test_the_client_and_the_start_are_lower_bounds(bench):
    phase = bench.Phase(units(0), 0.1, 0.2)
    assert bench.simulate([phase], 1000) >= phase.client == pytest.approx(200 * 0.3)
    assert bench.simulate([phase], 1000, start_up=500.0) >= 500.0 + phase.seconds.max()


def test_a_phase_has_one_time_per_block_of_the_whole_matrix(bench):
    measured = [bench.Unit(2, 50_000, 9180, 1.0, 0.1, 0.3, 600, 4000 + 16 * 9180)] * 5
    phase = bench.phase_of(measured, 1001, 0.0, 1e6, np.random.default_rng(0))
    assert len(phase.seconds) == 251  # 200,000 pages in a block
    assert phase.seconds.sum() == pytest.approx(1001 / 2)
    assert phase.send == pytest.approx(0.1 + 4 * 300 / 1e6)
