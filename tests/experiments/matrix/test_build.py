"""Preference matrices: correct, independent of threads and interruptions, and stopped at their target."""

import dataclasses
import itertools
import random
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import naive.matrix
import numpy as np
import pytest
from support.live_duels import USERS, query_groups, tiny
from support.small_worlds import case_id, chosen, ended_lists

from rankduel.base.errors import CacheNotice, UsageError
from rankduel.experiments.arena import Arena, open_arena
from rankduel.experiments.matrix import build, rounds
from rankduel.experiments.matrix import checkpoint as checkpoints
from rankduel.experiments.matrix.build import build_matrix, write_matrix
from rankduel.experiments.matrix.checkpoint import Checkpoint
from rankduel.interleave import for_another_thread, interleaving
from rankduel.interleave.world import select_queries
from rankduel.letor_data.synthetic.generate import shape, synthesize
from rankduel.letor_data.text.writer import write_letor

pytestmark = pytest.mark.kernel

ROOT = Path(__file__).parents[3]
RANKERS = "110,115,1,96,16,17"  # the first two have few ties, the last two are constant within a query
EXACT = [
    ("team_draft", "prefix", "assign"),
    ("balanced", "credit", "joachims"),
    ("document_constraints", "type", "3"),
]
N_QUERIES = 40
KINDS = {
    "team draft": {"interleave": "team_draft"},
    "pages": {"interleave": "probabilistic"},
    "duels": {"interleave": "team_draft", "simulate": True},
}


def tiny_arena(configured, ties="random_impression", tied_duels="coin", **changes):
    """Return an arena with queries of 1 to 5 documents and pages of 3."""
    labels, rankings = tiny()
    arena = Arena(rankings, labels, USERS["navigational"], configured, 3, ties, tied_duels, "uniform", {})
    return dataclasses.replace(arena, **changes)


def twin(case, pair):
    labels, rankings = tiny()
    grades = [labels[a:b].tolist() for a, b in itertools.pairwise(rankings.offsets)]
    first, second = (query_groups(rankings, ranker) for ranker in pair)
    return naive.matrix.pair_odds(first, second, grades, 3, case[0], case[2], USERS["navigational"])


@pytest.fixture(scope="module")
def letor():
    return synthesize(shape("small", queries=N_QUERIES))


@pytest.fixture(scope="module")
def arena(letor):
    return lambda interleave, **more: open_arena(letor, interleave=interleave, rankers=RANKERS, **more)


def row(preferences, first, second):
    pairs = preferences.pairs
    names = preferences.names
    return pairs[(pairs["first"] == names[first]) & (pairs["second"] == names[second])].iloc[0]


# --- values


@pytest.mark.parametrize(
    "case", [EXACT[0], *(pytest.param(case, marks=pytest.mark.slow) for case in EXACT[1:])], ids=case_id
)
def test_untied_pairs_are_exact(case):
    made = build_matrix(tiny_arena(chosen(case)), duels=60)
    found, (loss, tie, win) = row(made, 0, 1), twin(case, (0, 1))
    assert found["method"] == "exact" and found["n"] == 6
    assert [found["losses"] / 6, found["ties"] / 6, found["wins"] / 6] == pytest.approx(
        [loss, tie, win], abs=1e-12
    )
    assert found["lo"] == found["p"] == found["hi"] == pytest.approx(win + tie / 2, abs=1e-12)
    assert set(made.pairs["method"]) == {"exact", "rao-blackwell"}


@pytest.mark.parametrize("simulate", [False, True], ids=["odds", "duels"])
def test_coverage_of_intervals_of_tied_pairs(simulate):
    """Of 200 intervals, 190 are expected to cover; 4 standard errors are 18, as pairs share tie breaks."""
    case, pairs, n_covered = ("team_draft", "prefix", "assign"), [(0, 4), (2, 3)], 0
    truth = [win + tie / 2 for _, tie, win in (twin(case, pair) for pair in pairs)]
    for seed in range(100):
        made = build_matrix(tiny_arena(chosen(case)), duels=600, seed=seed, simulate=simulate, jobs=1)
        for pair, p in zip(pairs, truth):
            found = row(made, *pair)
            assert found["n"] == 600 and found["method"] == ("simulated" if simulate else "rao-blackwell")
            n_covered += found["lo"] <= p <= found["hi"]
    assert 172 <= n_covered < 200


@pytest.mark.slow
def test_a_method_without_odds_is_simulated():
    made = build_matrix(tiny_arena(interleaving("exploitative")), duels=500)
    assert set(made.pairs["method"]) == {"simulated"} and (made.pairs["n"] == 500).all()
    assert made.settings["simulate"] is True


def test_ties_may_be_dropped():
    case = ("team_draft", "prefix", "assign")
    loss, _, win = twin(case, (0, 1))
    made = build_matrix(tiny_arena(chosen(case), tied_duels="drop"), duels=60)
    assert row(made, 0, 1)["p"] == pytest.approx(win / (win + loss), abs=1e-12)
    played = build_matrix(tiny_arena(chosen(case), tied_duels="drop"), duels=40_000, simulate=True)
    found = row(played, 0, 1)
    assert found["p"] == pytest.approx(found["wins"] / (found["wins"] + found["losses"]), abs=1e-12)
    assert found["lo"] < win / (win + loss) < found["hi"] < found["lo"] + 0.03


def test_a_pair_without_a_winner_has_p_one_half():
    labels, _ = tiny()
    for ties in ("coin", "drop"):
        without_relevance = tiny_arena(interleaving("team_draft"), tied_duels=ties, model=USERS["perfect"])
        made = build_matrix(dataclasses.replace(without_relevance, labels=0 * labels), duels=60)
        assert (made.pairs["p"] == 0.5).all() and (made.pairs["ties"] == made.pairs["n"]).all()


def test_the_prior_of_lerot():
    arena = tiny_arena(interleaving("team_draft"))
    plain, shrunk = (
        build_matrix(arena, duels=50, simulate=True, prior=prior).pairs for prior in ("none", "lerot")
    )
    np.testing.assert_allclose(shrunk["p"], (1 + plain["wins"] + plain["ties"] / 2) / 52, atol=1e-12)
    assert (
        row(build_matrix(arena, duels=60, prior="lerot"), 0, 1)["lo"] == row(build_matrix(arena), 0, 1)["p"]
    )


def test_all_pairs_are_exact_if_ties_are_broken_once_per_run(arena):
    made = build_matrix(arena("team_draft", ties="random_run"), seed=3)
    assert set(made.pairs["method"]) == {"exact"} and (made.pairs["n"] == N_QUERIES).all()
    other = build_matrix(arena("team_draft", ties="random_run"), seed=4)
    assert row(other, 2, 4)["p"] != row(made, 2, 4)["p"]


@pytest.mark.slow
def test_cycled_queries_give_the_same_matrix_as_uniform_queries(arena):
    for kind in ("team_draft", "probabilistic"):
        uniform, cycle = (build_matrix(arena(kind, queries=q), duels=80) for q in ("uniform", "cycle"))
        np.testing.assert_array_equal(uniform.matrix, cycle.matrix)


# --- targets


def test_by_default_every_query_is_played_twenty_times(arena):
    pairs = build_matrix(arena("probabilistic")).pairs
    assert (pairs["n"] == 20 * N_QUERIES).all() and set(pairs["method"]) == {"rao-blackwell"}


@pytest.mark.parametrize(("duels", "n"), [(1, 2 * N_QUERIES), (100, 3 * N_QUERIES), (1000, 25 * N_QUERIES)])
def test_pages_are_drawn_in_whole_passes(arena, duels, n):
    assert (build_matrix(arena("probabilistic"), duels=duels).pairs["n"] == n).all()


@pytest.mark.parametrize("kind", KINDS)
def test_rounds_have_their_own_random_numbers(arena, kind):
    """The second half of a long job does not repeat the first."""
    how = dict(KINDS[kind])
    opened, half = arena(how.pop("interleave")), 2**16 if "simulate" in how else 1000
    once, twice = (build_matrix(opened, duels=duels, **how).pairs for duels in (half, 2 * half))
    drawn = once["method"] != "exact"
    assert (twice["n"] == 2 * once["n"])[drawn].all()
    assert (twice["wins"] != 2 * once["wins"])[drawn].all()


def test_precision_is_reached_without_many_extra_duels(arena):
    pairs = build_matrix(arena("probabilistic"), precision=0.02).pairs
    half = (pairs["hi"] - pairs["lo"]) / 2
    assert (half <= 0.02).all() and (half > 0.02 / 1.4).all() and pairs["n"].nunique() > 1
    capped = build_matrix(arena("probabilistic"), precision=1e-4, duels=400).pairs
    assert (capped["n"] == 400).all()


@pytest.mark.parametrize("kind", KINDS)
def test_decisions_are_right_and_even_pairs_stay_undecided(arena, kind):
    """Features 16 and 17 are constant within queries, so p = 1/2. The other pairs are far from 1/2."""
    how = dict(KINDS[kind])
    opened = arena(how.pop("interleave"))
    pairs = build_matrix(opened, decide=0.05, duels=20_000, **how).pairs
    truth = build_matrix(opened, duels=40_000, seed=1, **how).pairs
    decided = (pairs["lo"] > 0.5) | (pairs["hi"] < 0.5)
    drawn = pairs["method"] != "exact"
    assert pairs["n"].max() == 20_000 and not decided.iloc[-1]  # the pair of constant rankers
    assert decided.sum() >= 10 and (pairs["n"][drawn & decided] < 20_000).any()
    assert (pairs["n"][drawn & ~decided] == 20_000).all()
    clear = decided & ((truth["lo"] > 0.5) | (truth["hi"] < 0.5))
    assert ((pairs["p"] > 0.5) == (truth["p"] > 0.5))[clear].all()
    assert ((pairs["lo"] <= truth["hi"]) & (truth["lo"] <= pairs["hi"])).all()


def test_the_error_probability_is_divided_among_the_pairs(arena, monkeypatch):
    shares = []
    monkeypatch.setattr(rounds, "extend", lambda *arguments: shares.append(arguments[4]))
    made = build_matrix(arena("team_draft"), decide=0.05, duels=100)
    assert shares and set(shares) == {0.05 / (made.pairs["method"] != "exact").sum()}


def test_decided_pairs_are_not_played_further(arena):
    early = build_matrix(arena("team_draft"), decide=0.05, duels=2000).pairs
    late = build_matrix(arena("team_draft"), decide=0.05, duels=8000).pairs
    undecided = early["n"] == 2000
    assert undecided.any() and not undecided.all()
    np.testing.assert_array_equal(early[~undecided], late[~undecided])
    assert (late["n"][undecided] > 2000).all()


# --- threads and interruptions


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("aim", [{"duels": 1300}, {"decide": 0.05, "duels": 3000}, {"precision": 0.02}])
def test_the_number_of_threads_changes_no_byte(arena, tmp_path, kind, aim):
    how = KINDS[kind] | aim
    opened = arena(how.pop("interleave"))
    paths = [tmp_path / f"{jobs}.prefs.parquet" for jobs in (1, 2, 5)]
    for path, jobs in zip(paths, (1, 2, 5)):
        write_matrix(opened, path, jobs=jobs, **how)
    assert len({path.read_bytes() for path in paths}) == 1


class Stopped(Exception):
    """Raised to interrupt a job."""


@pytest.mark.parametrize("kind", [*KINDS, pytest.param("balanced", marks=pytest.mark.slow)])
def test_a_worker_with_only_the_queries_of_a_block_has_the_same_sums(arena, kind):
    how = dict(KINDS.get(kind, {"interleave": kind}))
    simulate = how.pop("simulate", False)
    job = build._job(arena(**how), rounds.Target(80, None, None), simulate, 0.05, seed=1)
    start, times = 13, np.full(9, 2)
    work = build.RoundWork(job.kernel, 1, 0, job.firsts, job.seconds, np.full(len(job.firsts), 0.5))
    whole = build._sums(work, for_another_thread(job.world), start, times, start)
    block = build.Block(start, times, select_queries(job.world, start, start + 9))
    alone = build.sums_on_worker(work, block)
    np.testing.assert_array_equal(alone.sums, whole.sums)
    np.testing.assert_array_equal(alone.by_query, whole.by_query)
    sent = [block.world.blocks, block.world.order, block.world.ties]
    assert [array.size > 0 for array in sent] == [kind != "team draft", *[kind == "team draft"] * 2]


@pytest.mark.parametrize("ties", ["random_impression", "random_run"])
def test_team_draft_without_blocks_has_the_same_bytes(arena, monkeypatch, tmp_path, ties):
    drafted, files = arena("team_draft", ties=ties), [tmp_path / f"{i}.prefs.parquet" for i in range(2)]
    write_matrix(drafted, files[0], duels=80)
    monkeypatch.setattr(build, "_reads_blocks", lambda arena, simulate: True)
    write_matrix(drafted, files[1], duels=80)
    assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.parametrize(
    ("arena_of", "simulate", "expected"),
    [
        (lambda: tiny_arena(interleaving("team_draft")), False, False),
        (lambda: tiny_arena(interleaving("team_draft")), True, True),
        (lambda: tiny_arena(interleaving("team_draft"), length=33), False, True),
        (lambda: tiny_arena(interleaving("balanced")), False, True),
        (lambda: tiny_arena(interleaving("team_draft"), rankings=ended_lists((0, 1), (2,), 5)), False, True),
    ],
)
def test_which_kernels_read_blocks(arena_of, simulate, expected):
    assert build._reads_blocks(arena_of(), simulate) == expected


def stop_after(blocks):
    left = [blocks]

    def progress(_):
        left[0] -= 1
        if left[0] < 0:
            raise Stopped

    return progress


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("blocks", [0, 17, 90])
def test_an_interrupted_job_resumes(arena, tmp_path, monkeypatch, kind, blocks):
    how = KINDS[kind] | {"decide": 0.05, "duels": 8000 if kind == "duels" else 1000}
    opened = arena(how.pop("interleave"))
    whole, cut = tmp_path / "whole.prefs.parquet", tmp_path / "cut.prefs.parquet"
    reports = []
    write_matrix(opened, whole, progress=reports.append, **how)
    assert len(reports) > 90
    monkeypatch.setattr(Checkpoint, "is_due", lambda self: True)
    with pytest.raises(Stopped):
        write_matrix(opened, cut, progress=stop_after(blocks), **how)
    assert not cut.exists() and (tmp_path / ".cut.prefs.parquet.partial").exists()
    reports_after_resuming = []
    write_matrix(opened, cut, jobs=1, progress=reports_after_resuming.append, **how)
    assert cut.read_bytes() == whole.read_bytes()
    assert (
        reports_after_resuming == reports[-len(reports_after_resuming) :]
        and len(reports_after_resuming) < len(reports) - blocks
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cut.prefs.parquet", "whole.prefs.parquet"]


@pytest.mark.parametrize(
    "change", [{"seed": 1}, {"duels": 900}, {"simulate": True}, {"interleave": "probabilistic"}]
)
def test_a_different_job_does_not_resume_from_the_checkpoint(letor, tmp_path, monkeypatch, change):
    monkeypatch.setattr(Checkpoint, "is_due", lambda self: True)
    path, usual = tmp_path / "one.prefs.parquet", {"interleave": "team_draft", "duels": 800}

    def make(path, how, **more):
        how = dict(how)
        opened = open_arena(letor, interleave=how.pop("interleave"), rankers=RANKERS)
        write_matrix(opened, path, **how, **more)

    with pytest.raises(Stopped):
        make(path, usual, progress=stop_after(5))
    make(path, usual | change)
    fresh = tmp_path / "fresh.prefs.parquet"
    make(fresh, usual | change)
    assert path.read_bytes() == fresh.read_bytes()


@pytest.mark.parametrize("content", [b"", b"not a file of arrays", bytes(1000)])
def test_a_damaged_checkpoint_is_discarded(arena, tmp_path, content):
    path = tmp_path / "one.prefs.parquet"
    folder = tmp_path / ".one.prefs.parquet.partial"
    folder.mkdir()
    (folder / "sums.values").write_bytes(content)
    with pytest.warns(CacheNotice, match=r"sums.values: damaged; the matrix is built from the beginning"):
        write_matrix(arena("team_draft"), path, duels=80)
    fresh = tmp_path / "fresh.prefs.parquet"
    write_matrix(arena("team_draft"), fresh, duels=80)
    assert not folder.exists() and path.read_bytes() == fresh.read_bytes()


@pytest.mark.parametrize("place", [70, 200, -1])
def test_a_changed_checkpoint_is_discarded(arena, tmp_path, monkeypatch, place):
    monkeypatch.setattr(Checkpoint, "is_due", lambda self: True)
    path, fresh = tmp_path / "one.prefs.parquet", tmp_path / "fresh.prefs.parquet"
    with pytest.raises(Stopped):
        write_matrix(arena("team_draft"), path, duels=800, progress=stop_after(5))
    saved = tmp_path / ".one.prefs.parquet.partial" / "sums.values"
    content = bytearray(saved.read_bytes())
    content[place] ^= 1
    saved.write_bytes(content)
    with pytest.warns(CacheNotice, match="built from the beginning"):
        write_matrix(arena("team_draft"), path, duels=800)
    write_matrix(arena("team_draft"), fresh, duels=800)
    assert path.read_bytes() == fresh.read_bytes()


def test_two_writers_at_once_leave_the_same_bytes(arena, tmp_path, monkeypatch):
    monkeypatch.setattr(Checkpoint, "is_due", lambda self: True)
    alone, shared = tmp_path / "alone.prefs.parquet", tmp_path / "shared.prefs.parquet"
    write_matrix(arena("team_draft"), alone, duels=800)
    with ThreadPoolExecutor(2) as pool:
        writers = [
            pool.submit(write_matrix, arena("team_draft"), shared, duels=800, jobs=1) for _ in range(2)
        ]
    for writer in writers:
        writer.result()
    assert shared.read_bytes() == alone.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == [alone.name, shared.name]


def test_saving_takes_a_small_share_of_the_time(tmp_path, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(checkpoints.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(Checkpoint, "_write", lambda *_: now.__setitem__(0, now[0] + 1.0))
    checkpoint = Checkpoint(tmp_path / "one")
    assert not checkpoint.is_due()
    now[0] += 3
    assert checkpoint.is_due()
    checkpoint.save({})
    now[0] += 49
    assert not checkpoint.is_due()
    now[0] += 1
    assert checkpoint.is_due()


def test_a_folder_cleared_by_another_process_is_no_error(tmp_path, monkeypatch):
    checkpoint, write_bytes = Checkpoint(tmp_path / "one"), Path.write_bytes

    def clear_meanwhile(path, content):
        write_bytes(path, content)
        checkpoint.remove()

    monkeypatch.setattr(Path, "write_bytes", clear_meanwhile)
    checkpoint.save({"x": np.zeros(3)})
    assert list(tmp_path.iterdir()) == []


def test_progress_ends_at_its_announced_total(arena):
    for how in ({"duels": 800}, {"duels": 800, "simulate": True}):
        reports = []
        build_matrix(arena("team_draft"), progress=reports.append, **how)
        done = [one.done for one in reports]
        assert done == sorted(done) and len({one.total for one in reports}) == 1
        assert done[-1] == reports[-1].total and reports[-1].pairs == 15


_CHILD = """
import sys
from rankduel.experiments.matrix import checkpoint
from rankduel.experiments.arena import open_arena
from rankduel.experiments.matrix.build import write_matrix
from rankduel.letor_data import read_data
checkpoint._EVERY, checkpoint._SHARE = 0.0, 1.0
arena = open_arena(read_data(sys.argv[1]), interleave="probabilistic", rankers="100-136")
write_matrix(arena, sys.argv[2], decide=0.05, duels=200_000)
"""


@pytest.mark.slow
def test_a_job_killed_repeatedly_ends_with_the_same_bytes(tmp_path):
    data, when = tmp_path / "data.txt", random.Random(0)
    write_letor(synthesize(shape("small", queries=100)), data)
    whole, cut = tmp_path / "whole.prefs.parquet", tmp_path / "cut.prefs.parquet"
    command = [sys.executable, "-c", _CHILD, str(data)]
    subprocess.run([*command, str(whole)], check=True, cwd=ROOT)
    saved, kills = tmp_path / ".cut.prefs.parquet.partial" / "sums.values", 0
    while not cut.exists():
        before = saved.read_bytes() if saved.exists() else b""
        with subprocess.Popen([*command, str(cut)], cwd=ROOT) as child:
            while kills < 25 and child.poll() is None:
                time.sleep(0.01)
                if saved.exists() and saved.read_bytes() != before:  # some blocks are done
                    time.sleep(when.uniform(0, 0.2))
                    child.kill()
                    kills += child.wait() != 0
    assert kills == 25 and cut.read_bytes() == whole.read_bytes()
    assert not saved.parent.exists()


@pytest.mark.slow
def test_two_processes_on_one_matrix(tmp_path):
    data = tmp_path / "data.txt"
    write_letor(synthesize(shape("small", queries=100)), data)
    whole, shared = tmp_path / "whole.prefs.parquet", tmp_path / "shared.prefs.parquet"
    command = [sys.executable, "-c", _CHILD, str(data)]
    subprocess.run([*command, str(whole)], check=True, cwd=ROOT)
    jobs = [subprocess.Popen([*command, str(shared)], cwd=ROOT) for _ in range(2)]
    assert [job.wait() for job in jobs] == [0, 0]
    assert shared.read_bytes() == whole.read_bytes()


# --- errors


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"duels": 0}, "duels is 0; expected a whole number from 1 to 1,000,000,000,000"),
        ({"duels": 2.5}, "duels is 2.5; expected a whole number from 1 to 1,000,000,000,000"),
        ({"duels": 10**21}, f"duels is {10**21}; expected a whole number from 1 to 1,000,000,000,000"),
        ({"duels": float("inf")}, "duels is inf; expected a whole number from 1 to 1,000,000,000,000"),
        ({"seed": -1}, "the seed is -1; expected a whole number from 0"),
        (
            {"jobs": 0},
            "jobs is 0; expected a whole number from 1 to 1,024, or -1 for as many as there are cores",
        ),
        ({"precision": 0}, "precision is 0; expected a half-width between 0 and 0.5"),
        ({"decide": 1.5}, "decide is 1.5; expected a probability between 0 and 1"),
        ({"alpha": 0}, "alpha is 0; expected a probability between 0 and 1"),
        ({"prior": "flat"}, "prior is flat; expected one of: none, lerot"),
    ],
)
def test_invalid_options_are_refused(how, message):
    with pytest.raises(UsageError) as problem:
        build_matrix(tiny_arena(interleaving("team_draft")), **how)
    assert str(problem.value) == message


def test_one_ranker_has_no_pairs(letor):
    with pytest.raises(UsageError, match="only the ranker '110' is chosen; expected at least two"):
        build_matrix(open_arena(letor, interleave="team_draft", rankers="110"))
