"""Project the time of a preference matrix on 1, 10 and 100 machines from measurements on one.

    python benchmarks/bench_cluster.py [queries to measure, default 100] [queries to project, default 31531]

Measured here, as processor time: the units of a team-draft matrix of 136 features on data with the shape of
MSLR-WEB30K; the client's work for each unit, and its bytes; the start of a worker. The schedule of the whole
matrix is then simulated: the times of its units are drawn from those measured, machines have THREADS threads
of the speed of this machine, and the client handles one message at a time over one of the NETWORKS.
"""

from __future__ import annotations

import heapq
import os
import pickle
import resource
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from side_by_side import show

from rankduel.experiments.arena import Arena, open_arena
from rankduel.experiments.cluster import Cluster, ClusterStatus, Transfer, open_cluster
from rankduel.experiments.matrix.build import build_matrix
from rankduel.experiments.matrix.rounds import queries_per_block
from rankduel.letor_data import read_data
from rankduel.letor_data.synthetic.generate import blocks, shape
from rankduel.letor_data.text.writer import write_letor

THREADS = 8  # of each machine
NETWORKS = {"1 Gbit/s": 125e6, "10 Gbit/s": 1.25e9}  # bytes per second
MACHINES = (1, 10, 100)
WINDOW = 3  # units per thread that are sent and not merged, as in rankduel.experiments.cluster
TRANSFERS = (
    "read by workers",
    "sent",
)  # in the order of rankduel.experiments.matrix.build.transfers_of_blocks
CALLS = 200  # of an empty unit, to measure what Dask takes
START = """
import rankduel.experiments.matrix.build, rankduel
data = rankduel.synthetic_data("mslr-web30k", queries=2)
rankduel.build_matrix(rankduel.open_arena(data, rankers="1-5", interleave="team_draft"), duels=40, jobs=1)
"""


class Unit(NamedTuple):
    """Measurements of one unit: a block of queries."""

    queries: int
    pages: int  # per query, all pairs together
    pairs: int
    seconds: float  # of the worker
    pack: float  # seconds of the client before the unit is sent
    merge: float  # seconds of the client after the result has arrived
    sent: int  # bytes
    received: int


class Phase(NamedTuple):
    """A round of the matrix. The next round starts when all units are merged."""

    seconds: np.ndarray  # (units,) of a worker's thread
    send: float  # seconds of the client and the network for a unit
    receive: float

    @property
    def client(self) -> float:
        """Seconds that the client and its network need for all units."""
        return len(self.seconds) * (self.send + self.receive)


class MeasuringCluster(Cluster):
    """A cluster that computes every unit in this process, and measures it."""

    def __init__(self, transfer: int) -> None:
        self.transfer = transfer  # number of the transfer to use
        self.rounds: list[list[Unit]] = []

    def status(self) -> ClusterStatus:
        return ClusterStatus(1, 1)

    def ordered_map(
        self, function: Callable[..., Any], transfers: Sequence[Transfer], items: Iterable[Any]
    ) -> Iterator[Any]:
        transfer = transfers[self.transfer]
        units: list[Unit] = []
        self.rounds.append(units)
        for item in items:
            start = time.process_time()
            sent = pickle.dumps(transfer.pack(item), 5)
            packed = time.process_time()
            result = pickle.dumps(function(transfer.shared, pickle.loads(sent)), 5)
            computed = time.process_time()
            yield pickle.loads(result)
            merged = time.process_time()
            pairs, times = len(transfer.shared.firsts), item[1]
            sizes = (len(times), pairs * int(times.mean()), pairs)
            seconds = (computed - packed, packed - start, merged - computed)
            units.append(Unit(*sizes, *seconds, len(sent), len(result)))


def measure(arena: Arena, transfer: int) -> list[list[Unit]]:
    """Return the units of every round of the matrix of `arena`."""
    cluster = MeasuringCluster(transfer)
    build_matrix(arena, jobs=cluster)
    return cluster.rounds


def nothing(shared: None, item: int) -> None:
    """Compute an empty unit."""


def dask_seconds() -> float:
    """Return the processor time of the client and the scheduler for an empty unit."""
    with open_cluster("local:1") as cluster:
        list(cluster.ordered_map(nothing, [Transfer(None)], range(10)))
        start = time.process_time()
        list(cluster.ordered_map(nothing, [Transfer(None)], range(CALLS)))
        return (time.process_time() - start) / CALLS


def start_seconds(cache: Path) -> tuple[float, float]:
    """Return the processor time to start a worker that compiles, and one that loads compiled code."""
    environment = {**os.environ, "RANKDUEL_CACHE": str(cache)}
    found = []
    for _ in range(2):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", START], check=True, env=environment, stderr=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        found.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return found[0], found[1]


def phase_of(
    units: list[Unit], n_queries: int, dask: float, bandwidth: float, rng: np.random.Generator
) -> Phase:
    """Return a round of a matrix of `n_queries`, whose times per query are drawn from those measured."""
    one = units[0]  # the last may have fewer queries
    size = queries_per_block(one.pages, n_queries)
    per_query = [unit.seconds / unit.queries for unit in units]
    seconds = np.add.reduceat(rng.choice(per_query, n_queries), np.arange(0, n_queries, size))
    sent = size * np.mean([unit.sent / unit.queries for unit in units])
    received = one.received + 8 * one.pairs * (size - one.queries)  # a value for each query and pair
    pack, merge = (np.median([getattr(unit, name) for unit in units]) for name in ("pack", "merge"))
    growth = received / one.received
    return Phase(
        seconds, pack + dask / 2 + sent / bandwidth, growth * merge + dask / 2 + received / bandwidth
    )


def simulate(phases: Iterable[Phase], threads: int, start_up: float = 0.0) -> float:
    """Return the seconds until the client has merged the last unit.

    The client sends units until WINDOW of them per thread are not merged, and then merges the oldest. A unit
    starts when it has been sent and a thread is free. Threads are free after `start_up` seconds.
    """
    clock = 0.0  # of the client
    free = [start_up] * threads  # heap of the times at which threads are free
    for phase in phases:
        ends: deque[float] = deque()  # of the units that are sent and not merged
        for seconds in phase.seconds:
            if len(ends) >= WINDOW * threads:
                clock = max(clock, ends.popleft()) + phase.receive
            clock += phase.send
            ends.append(max(clock, free[0]) + seconds)
            heapq.heapreplace(free, ends[-1])
        while ends:
            clock = max(clock, ends.popleft()) + phase.receive
    return clock


def projected(phases: list[Phase], machines: int, start_up: float) -> list[str]:
    """Return a row of the table: machines, time, efficiency, and the largest of the lower bounds."""
    threads = machines * THREADS
    seconds = simulate(phases, threads, start_up)
    work = sum(float(phase.seconds.sum()) for phase in phases)
    bounds = {"units": work / threads, "client": sum(one.client for one in phases), "start-up": start_up}
    limit = max(bounds, key=lambda name: bounds[name])
    shown = f"{limit} ({bounds[limit]:,.0f} s)"
    return [f"{machines}", f"{seconds:,.0f} s", f"{work / threads / seconds:.0%}", shown]


def show_units(how: str, rounds: list[list[Unit]]) -> None:
    rows = []
    for number, units in enumerate(rounds):
        table = np.array(units)
        at = np.quantile(table[:, 3] / table[:, 0], (0.1, 0.5, 0.9)) * 1000
        client = 1000 * np.median(table[:, 4:6], axis=0)
        rows.append(
            [f"{number}", f"{len(units)}", f"{units[0].queries}", f"{units[0].pairs:,}"]
            + [" ".join(f"{x:.0f}" for x in at), f"{client[0]:.2f}", f"{client[1]:.2f}"]
            + [f"{np.median(table[:, 6]) / 1000:,.0f}", f"{np.median(table[:, 7]) / 1000:,.0f}"]
        )
    headings = ["round", "units", "queries", "pairs", "ms/query", "pack", "merge", "kB out", "kB in"]
    print("ms/query: quantiles .1, .5 and .9 on a worker; pack, merge: ms of the client for a unit")
    show(f"Units, data {how}", headings, rows)


def main(measured: int, whole: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cold, warm = start_seconds(folder / "code")
        dask = dask_seconds()
        print(f"start of a worker: {cold:.1f} s with compiling, {warm:.1f} s without")
        print(f"client and scheduler of Dask: {1000 * dask:.2f} ms per unit")
        write_letor(blocks(shape("mslr-web30k", queries=measured)), folder / "data.txt")
        arena = open_arena(read_data(folder / "data.txt"), interleave="team_draft")
        for transfer, how in enumerate(TRANSFERS):
            rounds = measure(arena, transfer)
            show_units(how, rounds)
            rows = []
            for network, bandwidth in NETWORKS.items():
                rng = np.random.default_rng(0)
                phases = [phase_of(units, whole, dask, bandwidth, rng) for units in rounds]
                rows += [[network, *projected(phases, machines, cold)] for machines in MACHINES]
            title = f"{whole:,} queries, {THREADS} threads each, data {how}"
            show(title, ["network", "machines", "time", "efficiency", "limit"], rows)


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]]
    main(*(numbers + [100, 31_531][len(numbers) :]))
