"""Test that every kind of wrong input has a subclass of RankduelError."""

import pytest
from support import arenas

import rankduel
from rankduel.base import errors


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (lambda: rankduel.read_data("missing.txt"), errors.DataError),
        (lambda: rankduel.click_model("prefect"), errors.ClickModelError),
        (lambda: rankduel.interleaving("team_daft"), errors.InterleaveError),
        (lambda: rankduel.multileaved_page([], "sosm"), errors.InterleaveError),
        (lambda: rankduel.policy("rucbb"), errors.PolicyError),
        (lambda: rankduel.policy("rucb", alpha=-1), errors.PolicyError),
        (lambda: rankduel.start("rucb", n_arms=0), errors.PolicyError),
        (lambda: rankduel.read_preferences("arxiv7"), errors.MatrixError),
        (lambda: rankduel.winners([[0.5, 0.9], [0.4, 0.5]]), errors.MatrixError),
        (lambda: rankduel.restore("missing.json"), errors.RecordsError),
        (lambda: rankduel.report("no/such/folder"), errors.RecordsError),
        (lambda: rankduel.judge("no/such/folder"), errors.RecordsError),
        (lambda: rankduel.study("cycels"), errors.StudyError),
        (lambda: rankduel.run("arxiv6", ["rucb"], runs=0), errors.UsageError),
        (lambda: rankduel.synthetic_data("small", queries=1, seed=2**128), errors.UsageError),
        (lambda: rankduel.play_duels(arenas.arena(), "1", "2", 10, seed=-1), errors.UsageError),
        (lambda: rankduel.duel_odds(arenas.arena(), "1", "2", seed=-1), errors.UsageError),
        (lambda: rankduel.run("arxiv6", ["rucb"], regret="bordo"), errors.UsageError),
        (lambda: rankduel.run("arxiv6", ["rucb"], horizon=1.5), errors.UsageError),
        (lambda: rankduel.run("arxiv6", ["rucb("]), errors.UsageError),
    ],
)
def test_kinds_of_errors(call, kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(rankduel.RankduelError) as refused:
        call()
    assert type(refused.value) is kind and str(refused.value)
