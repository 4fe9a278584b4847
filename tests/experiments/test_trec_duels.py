"""Duels between TREC runs: a run is credited for the documents it lists; other runs change nothing."""

import naive
import numpy as np
import pytest

import rankduel
from rankduel.interleave import go_live, is_exact, live_duel_by, mean_odds, own_pages, play_duels

pytestmark = pytest.mark.kernel

QRELS = """1 0 a 0
1 0 e 2
1 0 z 1
2 0 a 2
3 0 b 2
"""
# Documents by query, best first; the first run lists none for query 3.
RUNS = {
    "one": {"1": "a", "2": "ab"},
    "nine": {"1": "ebcdfghij", "2": "cda", "3": "ab"},
    "other": {"1": "xyz", "2": "xya", "3": "b"},
}


@pytest.fixture
def data(tmp_path, monkeypatch):
    """Return a function that reads the runs with the given names."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text(QRELS)
    for name, lists in RUNS.items():
        lines = [
            f"{query} Q0 {doc} {rank} {-rank} {name}\n"
            for query, docs in lists.items()
            for rank, doc in enumerate(docs)
        ]
        (tmp_path / name).write_text("".join(lines))
    return lambda *names: rankduel.read_data(*names, qrels="qrels")


def arena_of(letor, interleave="team_draft", **more):
    return rankduel.open_arena(letor, interleave=interleave, clicks="perfect", **more)


def test_rankings_have_the_lengths_of_the_runs(data):
    ranked = arena_of(data("one", "nine")).rankings
    assert ranked.lengths.tolist() == [[1, 2, 0], [9, 3, 2]]
    assert not ranked.ties.any()


@pytest.mark.parametrize("chosen", [{"preset": "paper"}, {"interleave": "probabilistic"}], ids=str)
def test_the_usual_method_is_fair_if_lists_end(data, chosen):
    arena = rankduel.open_arena(data("one", "nine"), clicks="perfect")
    assert str(arena.interleaving) == arena.settings["interleave"] == "team_draft"
    assert arena.settings["preset"] == "paper"
    (note,) = arena.notes
    assert "interleaved by team_draft, which is fair to users who ignore relevance" in note
    asked = rankduel.open_arena(data("one", "nine"), clicks="perfect", **chosen)
    assert (str(asked.interleaving), asked.notes) == ("probabilistic", ())


def test_a_run_ties_with_its_own_beginning(tmp_path):
    """40 documents against the first 10 of them, also if documents are tied; the longer one lost most."""
    runs = {"whole": range(40), "cut": range(10), "tied": range(40), "tied_cut": range(10)}
    for name, docs in runs.items():
        scores = [(d // 5 if "tied" in name else d) for d in docs]
        lines = [f"{q} Q0 d{d:02} 0 {-score} x\n" for q in range(5) for d, score in zip(docs, scores)]
        (tmp_path / name).write_text("".join(lines))
    grades = np.random.default_rng(1).integers(0, 3, (5, 40))
    qrels = [f"{q} 0 d{d:02} {grade}\n" for q, row in enumerate(grades) for d, grade in enumerate(row)]
    (tmp_path / "qrels").write_text("".join(qrels))
    letor = rankduel.read_data(*(tmp_path / name for name in runs), qrels=tmp_path / "qrels")
    for preset in ("paper", "lerot"):
        world = (arena := rankduel.open_arena(letor, clicks="informational", preset=preset)).world()
        users = np.random.default_rng(1)
        assert play_duels(world, arena.interleaving, 0, 1, 1000, users).tolist() == [0, 1000, 0]
        losses, _, wins = play_duels(world, arena.interleaving, 2, 3, 20_000, users)
        assert abs(wins - losses) < 5 * (wins + losses) ** 0.5  # 5 s.e.
    matrix = rankduel.build_matrix(letor, rankers=["whole", "cut"], preset="paper", duels=200)
    assert matrix.matrix[0, 1] == 0.5


def test_a_run_of_one_irrelevant_document_does_not_win(data):
    arena = arena_of(data("one", "nine"))
    world, users = arena.world(), np.random.default_rng(1)
    assert is_exact(world, arena.interleaving, 0, 1)
    odds = mean_odds(world, arena.interleaving, 0, 1, users)
    # Run `nine` is credited for e in query 1, run `one` for a in query 2, and neither run in query 3.
    assert odds == pytest.approx([1 / 3, 1 / 3, 1 / 3])
    found = play_duels(world, arena.interleaving, 0, 1, 20_000, users) / 20_000
    assert np.abs(found - odds).max() < 5 * 0.5 / 20_000**0.5  # 5 s.e.


@pytest.mark.parametrize("interleave", ["team_draft", "balanced", "document_constraints"])
def test_other_runs_change_no_odds(data, interleave):
    """Odds and NDCG are unchanged: the ideal ranking has all judged documents, listed or not."""
    found = []
    for names in (("one", "nine"), ("one", "nine", "other")):
        arena = arena_of(data(*names), interleave)
        world = arena.world()
        odds = mean_odds(world, arena.interleaving, 0, 1, np.random.default_rng(0))
        found.append((odds.tolist(), own_pages(world, np.random.default_rng(0))[:2].tolist()))
    assert found[0] == found[1]


def test_ndcg_of_own_pages_equals_that_of_evaluate(data):
    letor = data("one", "nine", "other")
    pages = own_pages(arena_of(letor).world(), np.random.default_rng(0))
    means = rankduel.evaluate(letor, measures=["ndcg@10"]).means
    assert pages[:, 0] == pytest.approx(means["value"].to_numpy())


@pytest.mark.parametrize("interleave", ["team_draft", "probabilistic(credit=assignment)", "balanced"])
def test_the_matrix_is_the_mean_of_the_odds(data, interleave):
    arena = arena_of(data("one", "nine", "other"), interleave)
    preferences = rankduel.build_matrix(arena, duels=6000)
    world = arena.world()
    for first, second in ((0, 1), (0, 2), (1, 2)):
        loss, tie, win = mean_odds(world, arena.interleaving, first, second, np.random.default_rng(0), 2000)
        assert preferences.matrix[first, second] == pytest.approx(
            win + tie / 2, abs=0.03
        )  # 5 s.e. of 2000 pages


def test_live_pages_show_both_lists_to_their_ends(data):
    """The mean NDCG of pages is within 5 standard errors; its standard deviation is at most 0.5."""
    arena = arena_of(data("one", "nine"))
    live, duel, users = go_live(arena.world()), live_duel_by("team_draft"), np.random.default_rng(3)
    for _ in range(4000):
        duel(live, 0, 1, users)
    pages, ndcg, clicks, _ = live.shown
    assert pages == 4000
    assert ndcg / pages == pytest.approx(mean_ndcg(), abs=5 * 0.5 / 4000**0.5)
    assert clicks / pages == 1  # every query has one relevant document that is shown


def test_unjudged_documents_are_counted(data):
    """A page of both runs shows all their documents: 8 of 10, 3 of 4 and 1 of 2 have no judgment."""
    letor = data("one", "nine")
    assert letor.unjudged.sum() == 12 and letor.take_queries([1]).unjudged.sum() == 3
    arena = arena_of(letor, queries="cycle")
    assert own_pages(arena.world(), np.random.default_rng(0))[:, 2] == pytest.approx([1 / 3, 11 / 3])
    for policy in ("rucb", "multi_self_sparring"):  # on pages of two rankers, and on pages of sets
        table = rankduel.run(arena, policy, horizon=30, runs=1).table
        assert table["unjudged"].round(9).isin([8, 3, 1, round(1 / 3, 9), round(11 / 3, 9)]).all()
    live, duel, users = go_live(arena.world()), live_duel_by("team_draft"), np.random.default_rng(3)
    for _ in range(300):
        duel(live, 0, 1, users)
    assert live.shown[3] == 300 * 4


def test_nothing_is_counted_if_all_documents_are_judged(data):
    letor = rankduel.read_data("one", "nine", qrels="qrels", unjudged="drop")
    assert letor.unjudged is None and len(go_live(arena_of(letor).world()).shown) == 3


def mean_ndcg():
    grades = {tuple(line.split()[::2]): int(line.split()[3]) for line in QRELS.splitlines()}
    total = 0
    for query in "123":
        left, right = (RUNS[name].get(query, "") for name in ("one", "nine"))
        judged = sorted(
            (grade for (judged_query, _), grade in grades.items() if judged_query == query), reverse=True
        )
        for chance, page, _ in naive.team_draft_pages(left, right, 10):
            shown = [grades.get((query, doc), 0) for doc in (*page, *naive.filled(left, right, page, 10))]
            total += float(chance) * gain(shown) / gain(judged) / 3
    return total


def gain(grades):
    return sum((2**grade - 1) / np.log2(rank + 1) for rank, grade in enumerate(grades, 1))
