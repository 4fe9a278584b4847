"""Judged data of studies: found in the published folders, whole, and made into matrices and live problems."""

import tarfile
import zipfile

import numpy as np
import pytest

from rankduel.experiments.matrix.preferences import read_preferences
from rankduel.experiments.studies.data.judged import JUDGED, PLACES, DataSource, find_judged
from rankduel.experiments.studies.data.problems import open_problem, stand_in_for


def letor_text(queries, n_features, grades=3, line="{grade} qid:{query} {values}\n"):
    """Return judged documents, four per query, with random features."""
    rng = np.random.default_rng(queries[0])
    return "".join(
        line.format(
            grade=rng.integers(grades),
            query=query,
            values=" ".join(f"{number}:{rng.random():.3f}" for number in range(1, n_features + 1)),
        )
        for query in queries
        for _ in range(4)
    )


def write_folds(folder, n_features=5, names=("train", "vali", "test"), grades=3):
    """Write five folds of ten queries: Fold1 tests on the last two, Fold2 on the first two, and so on."""
    parts = [[2 * part + 1, 2 * part + 2] for part in range(5)]
    for fold in range(5):
        order = [parts[(fold + place) % 5] for place in range(5)]
        (folder / f"Fold{fold + 1}").mkdir(parents=True)
        for name, queries in zip(names, (sum(order[:3], []), order[3], order[4])):
            (folder / f"Fold{fold + 1}" / f"{name}.txt").write_text(letor_text(queries, n_features, grades))


def opened(text, folder, made):
    return open_problem(text, DataSource(folder, made, jobs=1)).problem


def live(data, folder, made, more=""):
    arena = opened(f"letor(data={data},mode=live{more})", folder, made).arena
    assert arena is not None
    return arena


def test_every_name_has_places():
    assert set(PLACES) == set(JUDGED)
    assert all(find_judged(name, None) is None for name in JUDGED)


@pytest.mark.parametrize("name", ["MSLR-WEB30K", "mslr_web30k", "Gov/sets/MSLR-WEB30K"])
def test_all_queries_of_mslr_are_read_not_one_fold(name, tmp_path):
    write_folds(tmp_path / "data" / name)
    assert stand_in_for("letor(data=mslr)", tmp_path / "data") == ""
    assert live("mslr", tmp_path / "data", tmp_path).rankings.n_queries == 10


def test_the_data_folder_may_be_the_data_set_itself(tmp_path):
    write_folds(tmp_path / "MSLR-WEB30K")
    assert stand_in_for("letor(data=mslr)", tmp_path / "MSLR-WEB30K") == ""
    (tmp_path / "empty").mkdir()  # the set is beside this folder
    assert "synthetic documents" in stand_in_for("letor(data=mslr)", tmp_path / "empty")


def test_all_queries_of_mslr_are_read_from_its_archive(tmp_path):
    write_folds(tmp_path / "unpacked")
    (tmp_path / "data").mkdir()
    with zipfile.ZipFile(tmp_path / "data" / "MSLR-WEB30K.zip", "w") as archive:
        for path in sorted((tmp_path / "unpacked").rglob("*.txt")):
            archive.write(path, path.relative_to(tmp_path / "unpacked"))
    assert stand_in_for("letor(data=mslr)", tmp_path / "data") == ""
    assert live("mslr", tmp_path / "data", tmp_path).rankings.n_queries == 10


def test_parts_and_samples_of_mslr_are_marked(tmp_path):
    write_folds(tmp_path / "MSLR-WEB10K")
    assert stand_in_for("letor(data=mslr)", tmp_path) == "MSLR-WEB10K in place of MSLR-WEB30K"
    write_folds(tmp_path / "MSLR-WEB30K")
    (tmp_path / "MSLR-WEB30K" / "Fold1" / "train.txt").unlink()
    assert stand_in_for("letor(data=mslr)", tmp_path) == "a fifth of the queries of MSLR-WEB30K"
    assert live("mslr", tmp_path, tmp_path).rankings.n_queries == 2


def test_other_folds_are_not_mslr(tmp_path):
    write_folds(tmp_path / "NP2004")
    assert "synthetic documents" in stand_in_for("letor(data=mslr)", tmp_path)


def write_yahoo(folder, number):
    folder.mkdir(parents=True, exist_ok=True)
    for split, queries in {"train": range(1, 4), "valid": range(4, 6), "test": range(6, 8)}.items():
        (folder / f"set{number}.{split}.txt").write_text(letor_text(list(queries), 5))


def test_yahoo_sets_are_read_whole_and_apart(tmp_path):
    write_yahoo(tmp_path / "Webscope_C14B" / "ltrc_yahoo", 1)
    assert stand_in_for("letor(data=yahoo1)", tmp_path) == ""
    assert "synthetic documents" in stand_in_for("letor(data=yahoo2)", tmp_path)
    assert live("yahoo1", tmp_path, tmp_path, ",rankers=1-3").rankings.n_queries == 7
    (tmp_path / "set2.train.txt").write_text(letor_text([1, 2], 5))
    assert stand_in_for("letor(data=yahoo2)", tmp_path) == "a part of Yahoo set 2"


def test_yahoo_sets_are_read_from_their_archive(tmp_path):
    for number in (1, 2):
        write_yahoo(tmp_path / "files", number)
    (tmp_path / "data").mkdir()
    with tarfile.open(tmp_path / "data" / "ltrc_yahoo.tgz", "w:gz") as archive:
        for path in sorted((tmp_path / "files").iterdir()):
            archive.add(path, f"ltrc_yahoo/{path.name}")
    assert live("yahoo2", tmp_path / "data", tmp_path, ",rankers=1-3").rankings.n_queries == 7


def test_yandex_has_its_queries_in_comments_and_real_labels(tmp_path):
    text = letor_text([7, 8], 6, line="{grade}.600000 {values} # {query}\n")
    (tmp_path / "imat2009_learning.txt").write_text(text)
    arena = live("yandex", tmp_path, tmp_path, ",rankers=1-6")
    assert (arena.rankings.n_queries, arena.rankings.n_rankers) == (2, 6)
    assert set(arena.labels) <= {1, 2, 3}  # 0.6, 1.6 and 2.6


@pytest.mark.parametrize("layout", ["NP2004", "Gov/Feature_min/2004_np_dataset"])
def test_np2004_makes_its_matrix_of_4000_duels_per_pair(layout, tmp_path):
    names = ("train", "vali", "test") if layout == "NP2004" else ("trainingset", "validationset", "testset")
    write_folds(tmp_path / "data" / layout, n_features=6, names=names, grades=2)
    assert stand_in_for("np2004(random=3,seed=1)", tmp_path / "data") == ""
    problem = opened("np2004", tmp_path / "data", tmp_path / "made")
    assert len(problem.preferences) == 6 and problem.arena is None
    (path,) = (tmp_path / "made").iterdir()
    saved = read_preferences(path)
    assert saved.settings["n_queries"] == 10
    assert saved.settings["simulate"] and str(saved.settings["interleave"]).startswith("probabilistic")
    assert str(saved.settings["clicks"]).startswith("navigational")
    half_wins = saved.matrix * 8000  # a tie is half a win
    np.testing.assert_allclose(half_wins, np.rint(half_wins), rtol=0, atol=1e-9)
    assert saved.settings["duels"] == 4000
    again = opened("np2004(random=3,seed=1)", tmp_path / "data", tmp_path / "made")
    assert len(again.preferences) == 3 and len(list((tmp_path / "made").iterdir())) == 1


def test_a_matrix_file_of_np2004_is_preferred_to_its_judged_data(tmp_path):
    write_folds(tmp_path / "NP2004", grades=2)
    np.savetxt(tmp_path / "np2004_matrix.txt", np.array([[0.5, 0.7], [0.3, 0.5]]))
    assert len(opened("np2004", tmp_path, tmp_path / "made").preferences) == 2
