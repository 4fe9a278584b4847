"""The log of human judgments: finals and best items of a small made-up log."""

import numpy as np
import pytest

from rankduel.base.errors import DataError
from rankduel.experiments.matrix.preferences import preferences_of
from rankduel.experiments.studies.published.human_log.copies import copy_places, play_prefbest, with_copy
from rankduel.experiments.studies.published.human_log.log import (
    Judgment,
    best_items,
    count_judgments,
    counts_of_log,
    finals,
    read_log,
    read_qrels,
)
from rankduel.experiments.studies.study import Inputs, Size

# 'ab' means that a was judged better than b. The finalists are a, b and c.
RUN = ["ad", "bc", "ab", "bc", "ca"]
THIRD, SECOND = ["ab", "ac", "bc"], ["ab", "cb", "ac"]


def judgments(pairs):
    return [Judgment("q", min(pair), max(pair), pair[0]) for pair in pairs]


LOG = judgments([*RUN, *THIRD, *SECOND])


def test_the_last_judgment_of_a_pair_of_finalists_belongs_to_final_one():
    held = finals(judgments(["cb", *RUN, *THIRD, *SECOND]), len(RUN) + 1, len(THIRD))
    assert sorted(judgment.better for judgment in held["I"]) == ["a", "b", "c"]
    assert (held["III"], held["II"]) == (judgments(THIRD), judgments(SECOND))


def test_best_items_won_most_often():
    assert best_items(judgments(["ab", "bc", "ca"])) == {"q": frozenset("abc")}
    assert best_items(judgments(SECOND)) == {"q": frozenset("a")}


def test_counts_of_a_log():
    found, sets = count_judgments(LOG, len(RUN), len(THIRD))
    assert (found["questions"], found["passages"], found["median pool"]) == (1, 4, 4)
    assert sets["Set-I"] == {"q": frozenset("abc")} and sets["Combined-I+II"] == {"q": frozenset("a")}
    assert (found["Set-I items"], found["Set-I and Set-II items"]) == (3, 1)


def test_a_question_may_be_missing_in_a_final():
    other = [judgment._replace(question="r") for judgment in judgments(SECOND)]
    found, _ = count_judgments([*LOG[: -len(SECOND)], *other], len(RUN), len(THIRD))
    assert (found["Set-I and Set-II items"], found["Set-I and Set-II questions"]) == (0, 0)


def test_replay_finds_its_files(tmp_path):
    assert counts_of_log(Inputs(None, Size(1, 1), {}, 1)) == {}
    inputs = Inputs(None, Size(1, 1), {}, 1, data=tmp_path)
    assert counts_of_log(inputs) == {}
    (tmp_path / "judgments.txt").write_text("1 a b a\n" * 11_681)
    (tmp_path / "Set-I.qrels").write_text("1 Q0 a 1\n")
    (tmp_path / "Set-II.qrels").write_text("1 Q0 b 1\n")
    found = counts_of_log(inputs)
    assert (found["Set-I items"], found["Set-I as published"], found["Set-II as published"]) == (1, 1, 0)
    assert "Set-III as published" not in found


def test_invalid_files_are_refused(tmp_path):
    path = tmp_path / "judgments.txt"
    path.write_text("1 a b a\n")
    with pytest.raises(DataError, match="found 1 judgments; expected the 11,681"):
        read_log(path)
    path.write_text("1 a b a\n1 a b c\n")
    with pytest.raises(DataError, match="line 2: expected"):
        read_log(path)
    path.write_text("1 a b " + "c" * 200_000)
    with pytest.raises(DataError, match=r"judgments.txt, line 1: expected .*found '1 a b c{51}\.\.\.'$"):
        read_log(path)
    for read in (read_log, read_qrels):
        path.write_bytes(b"1 a b \xff\n")
        with pytest.raises(DataError, match="judgments.txt: not UTF-8 text"):
            read(path)
        with pytest.raises(DataError, match="cannot be read"):
            read(tmp_path)
    path.write_text("1 Q0 a 1\n1 Q0\n")
    with pytest.raises(DataError, match="line 2: expected 'question Q0 passage 1', found '1 Q0'"):
        read_qrels(path)
    path.write_text("1 Q0 a 1\n1 Q0 b 1\n")
    assert read_qrels(path) == {"1": frozenset("ab")}


def test_a_copy_is_equal_in_every_comparison():
    prefs = with_copy(np.array([[0.5, 0.75], [0.25, 0.5]]))
    np.testing.assert_array_equal(prefs, [[0.5, 0.75, 0.5], [0.25, 0.5, 0.25], [0.5, 0.75, 0.5]])


@pytest.mark.compiling
def test_copies_of_a_sure_winner_are_both_in_the_final():
    """If the better item always wins, the first item and its copy lose to each other only."""
    prefs = np.triu(np.ones((30, 30)), 1) + 0.5 * np.eye(30)
    inputs = Inputs(preferences_of(prefs), Size(1, 20), {}, 1)
    assert copy_places(inputs) == {"copy in the final": [1.0] * 20, "copy in the top five": [1.0] * 20}
    scores = play_prefbest(prefs, seed=0).scores()
    n_finalists = np.count_nonzero(~np.isnan(scores))
    assert n_finalists <= 9 and scores[0] == n_finalists - 1  # the best item wins all its comparisons
    assert np.nansum(scores) == n_finalists * (n_finalists - 1) // 2
