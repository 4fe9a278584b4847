"""Work by reference has the results of work by value, and is sent without rankings.

The cluster of these tests pickles every unit and computes it in this process.
"""

import pickle

import numpy as np
import pytest
from support.arenas import exact_preferences, letor

from rankduel.experiments.arena import open_arena
from rankduel.experiments.arena_reference import arena_of, reference_to
from rankduel.experiments.cluster import Cluster, ClusterStatus, DataUnreadableError
from rankduel.experiments.matrix.build import build_matrix
from rankduel.experiments.matrix.shared_pages import infer_matrix
from rankduel.experiments.multileaving import compare_multileavers
from rankduel.experiments.runs.play import play_runs
from rankduel.experiments.runs.problem import Problem
from rankduel.interleave.multileave import MULTILEAVERS
from rankduel.letor_data import read_data
from rankduel.letor_data.cache import cache_files
from rankduel.letor_data.text.writer import write_letor

pytestmark = pytest.mark.kernel

BY_REFERENCE, BY_VALUE = 0, 1


class PicklingCluster(Cluster):
    """A cluster without workers, which uses one of the transfers that it is given."""

    def __init__(self, transfer):
        self.transfer, self.unit_bytes, self.shared_bytes = transfer, [], []

    def status(self):
        return ClusterStatus(1, 1)

    def ordered_map(self, function, transfers, items):
        chosen = list(transfers)[self.transfer]
        shared = pickle.dumps(chosen.shared, 5)
        self.shared_bytes.append(len(shared))
        received = pickle.loads(shared)
        for item in items:
            unit = pickle.dumps(chosen.pack(item), 5)
            self.unit_bytes.append(len(unit))
            yield function(received, pickle.loads(unit))

    def unordered_map(self, function, transfers, items, compiling=None):
        return self.ordered_map(function, transfers, items)


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "data.txt"
    write_letor(letor(tied=True), path)
    return path


def opened(source, **options):
    return open_arena(read_data(source), interleave="team_draft", length=5, **options)


@pytest.fixture(scope="module")
def arena(source):
    return opened(source)


def both(work):
    """Return the results of `work`, a function of a cluster, by reference and by value."""
    return [work(PicklingCluster(transfer)) for transfer in (BY_REFERENCE, BY_VALUE)]


@pytest.mark.parametrize("simulate", [False, True])
@pytest.mark.parametrize("ties", ["random_impression", "random_run", "stable"])
def test_matrices_are_the_same(source, ties, simulate):
    arena = opened(source, ties=ties)
    how = {"duels": 500, "seed": 3, "simulate": simulate}
    expected = build_matrix(arena, **how, jobs=1)
    for found in both(lambda cluster: build_matrix(arena, **how, jobs=cluster)):
        assert found.digest == expected.digest
        np.testing.assert_array_equal(found.pairs["p"], expected.pairs["p"])


def test_multileaved_matrices_are_the_same(arena):
    method = MULTILEAVERS.parsed("sosm")
    expected = infer_matrix(arena, method, 3000, jobs=1)
    for found in both(lambda cluster: infer_matrix(arena, method, 3000, jobs=cluster)):
        assert found.digest == expected.digest


def test_multileaving_errors_are_the_same(arena):
    preferences = exact_preferences(arena)
    here = compare_multileavers(arena, "sosm", preferences, 2000, 2, jobs=1)
    for there in both(
        lambda cluster: compare_multileavers(arena, "sosm", preferences, 2000, 2, jobs=cluster)
    ):
        np.testing.assert_array_equal(there["e_bin"], here["e_bin"])


def test_live_runs_are_the_same(arena):
    problem = Problem(exact_preferences(arena), arena)
    here = play_runs(problem, "random_pair", 1000, 2).drop(columns="seconds")
    for there in both(lambda cluster: play_runs(problem, "random_pair", 1000, 2, jobs=cluster)):
        assert there.drop(columns="seconds").equals(here)


def test_a_unit_of_a_matrix_has_a_size_that_does_not_depend_on_the_rankers(tmp_path):
    """By value, order and ties take 4 bytes per document and ranker; team draft reads nothing else."""
    path = tmp_path / "wide.txt"
    rng = np.random.default_rng(0)
    values = rng.random((2, 200, 100))  # queries, documents, features
    lines = [
        f"{doc % 3} qid:{q} " + " ".join(f"{k + 1}:{x:.6f}" for k, x in enumerate(row))
        for q, rows in enumerate(values)
        for doc, row in enumerate(rows)
    ]
    path.write_text("\n".join(lines) + "\n")
    arena = open_arena(read_data(path), interleave="team_draft", rankers="1-100")
    by_reference, by_value = (PicklingCluster(transfer) for transfer in (BY_REFERENCE, BY_VALUE))
    for cluster in (by_reference, by_value):
        build_matrix(arena, duels=2, jobs=cluster)
    assert max(by_reference.unit_bytes) < 10_000
    assert 4 * 200 * 100 < min(by_value.unit_bytes) < 5 * 200 * 100


def test_a_problem_by_reference_contains_no_rankings(arena):
    clusters = [PicklingCluster(transfer) for transfer in (BY_REFERENCE, BY_VALUE)]
    problem = Problem(exact_preferences(arena), arena)
    for cluster in clusters:
        play_runs(problem, "random_pair", 100, 1, jobs=cluster)
    rankings = arena.rankings
    saved = clusters[1].shared_bytes[0] - clusters[0].shared_bytes[0]
    assert saved > 0.9 * (rankings.order.nbytes + rankings.positions.nbytes + rankings.ties.nbytes)


def test_an_arena_is_made_once_on_a_worker(arena):
    sent = pickle.loads(pickle.dumps(reference_to(arena)))
    made = arena_of(sent)
    assert arena_of(sent) is made
    np.testing.assert_array_equal(made.rankings.order, arena.rankings.order)
    np.testing.assert_array_equal(made.labels, arena.labels)


def test_data_that_a_worker_does_not_have_are_reported(tmp_path):
    path = tmp_path / "data.txt"
    write_letor(letor(), path)
    arena = opened(path)
    for file in cache_files(tmp_path / ".rankduel"):
        file.unlink()
    with pytest.raises(DataUnreadableError, match="no readable cache file of these data"):
        arena_of(reference_to(arena))
    with pytest.raises(DataUnreadableError, match="no readable cache file of these data"):
        build_matrix(arena, duels=20, jobs=PicklingCluster(BY_REFERENCE))


def test_arenas_of_data_in_memory_have_no_reference():
    assert reference_to(open_arena(letor(), interleave="team_draft")) is None
