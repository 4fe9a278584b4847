"""Trained models as rankers: scores equal those of their library, are cached, and errors are reported."""

import dataclasses
import sys
import zlib

import numpy as np
import pandas as pd
import pytest

from rankduel.base.errors import DataError
from rankduel.letor_data import read_data
from rankduel.letor_data.cache import cache_files
from rankduel.letor_data.letor import Letor
from rankduel.letor_data.rankers import libraries, model, parse
from rankduel.letor_data.rankers import models as models_module
from rankduel.letor_data.text.writer import write_letor

N_FEATURES = 4
QUIET = {"verbosity": -1, "num_threads": 1, "min_data_in_leaf": 2, "num_leaves": 6}


@pytest.fixture(scope="module")
def letor():
    """Return twelve queries of ten documents; grades depend on features 1 and 3; some values are missing."""
    rng = np.random.default_rng(3)
    features = rng.normal(size=(120, N_FEATURES))
    labels = np.clip(np.round(features[:, 0] + features[:, 2]), 0, 4).astype(int)
    features[rng.random(features.shape) < 0.1] = np.nan
    columns = {str(number): features[:, number - 1] for number in range(1, N_FEATURES + 1)}
    return Letor.from_pandas(pd.DataFrame({"qid": np.arange(120) // 10, "label": labels, **columns}))


@pytest.fixture(scope="module")
def booster(letor):
    lightgbm = pytest.importorskip("lightgbm")
    data = lightgbm.Dataset(letor.features, letor.labels, group=letor.docs_per_query)
    return lightgbm.train({"objective": "lambdarank", **QUIET}, data, 5)


@pytest.fixture(scope="module")
def saved(booster, tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "ranker.txt"
    booster.save_model(path)
    return path


@pytest.fixture
def on_disk(letor, tmp_path):
    """Return the same data read from a file, with a cache folder; text has no missing values."""
    whole = Letor.from_pandas(letor.to_pandas().fillna(0.5))
    write_letor(whole, tmp_path / "data.txt")
    return read_data(tmp_path / "data.txt")


def linear_onnx(path, weights, kind="FLOAT", outputs=1):
    onnx = pytest.importorskip("onnx")
    helper, types = onnx.helper, onnx.TensorProto
    element = getattr(types, kind)
    matrix = onnx.numpy_helper.from_array(np.array(weights, helper.tensor_dtype_to_np_dtype(element)), "w")
    names = [f"score{number}" for number in range(outputs)]
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], [name]) for name in names],
        "linear",
        [helper.make_tensor_value_info("x", element, [None, len(weights)])],
        [helper.make_tensor_value_info(name, element, None) for name in names],
        [matrix],
    )
    opsets = [helper.make_opsetid("", 17)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), path)


class TestLightgbm:
    def test_it_scores_as_the_library_does(self, letor, booster, saved):
        ranker = model("lightgbm", saved)
        assert (ranker.name, ranker.text) == ("ranker", f"lightgbm:{saved}")
        np.testing.assert_array_equal(ranker.score(letor), booster.predict(letor.features, raw_score=True))

    def test_a_header_with_control_characters_is_refused(self, letor, saved, tmp_path):
        hostile = tmp_path / "hostile.txt"
        hostile.write_bytes(saved.read_bytes().replace(b"objective=", b"objective=\x1b[2J", 1))
        with pytest.raises(DataError, match="header: 'objective' has characters that cannot be printed"):
            model("lightgbm", hostile).score(letor)

    def test_batches_change_nothing(self, letor, booster, saved, monkeypatch):
        whole = model("lightgbm", saved).score(letor)
        monkeypatch.setattr(models_module, "_BATCH", 7 * 8 * N_FEATURES)
        np.testing.assert_array_equal(model("lightgbm", saved).score(letor), whole)

    def test_categories(self, letor, tmp_path):
        lightgbm = pytest.importorskip("lightgbm")
        features = np.column_stack([letor.features[:, :3], np.arange(120) % 7])
        labels = (np.arange(120) % 7 % 2).astype(float)
        settings = {**QUIET, "objective": "regression", "min_data_per_group": 2, "cat_smooth": 1}
        data = lightgbm.Dataset(features, labels, categorical_feature=[3])
        trained = lightgbm.train(settings, data, 3)
        trained.save_model(tmp_path / "m.txt")
        assert "cat_threshold" in (tmp_path / "m.txt").read_text()
        columns = {str(number): features[:, number - 1] for number in range(1, 5)}
        data = Letor.from_pandas(pd.DataFrame({"qid": np.arange(120) // 10, "label": 0, **columns}))
        expected = trained.predict(data.features)
        np.testing.assert_array_equal(model("lightgbm", tmp_path / "m.txt").score(data), expected)

    def test_a_model_trained_on_svmlight_text_has_an_empty_column_first(self, on_disk, tmp_path):
        lightgbm = pytest.importorskip("lightgbm")
        features = np.column_stack([np.zeros(on_disk.n_docs), on_disk.features])
        trained = lightgbm.train(
            {"objective": "regression", **QUIET}, lightgbm.Dataset(features, on_disk.labels), 3
        )
        trained.save_model(tmp_path / "m.txt")
        found = model("lightgbm", tmp_path / "m.txt").score(on_disk)
        np.testing.assert_array_equal(found, trained.predict(features))

    def test_another_number_of_features_is_refused(self, letor, saved):
        with pytest.raises(DataError, match="the model expects 4 features and the data have 3"):
            model("lightgbm", saved).score(letor.only_features(["1", "2", "3"]))

    def test_several_classes_are_refused(self, letor, tmp_path):
        lightgbm = pytest.importorskip("lightgbm")
        data = lightgbm.Dataset(letor.features, np.arange(120) % 3)
        trained = lightgbm.train({"objective": "multiclass", "num_class": 3, **QUIET}, data, 2)
        trained.save_model(tmp_path / "m.txt")
        with pytest.raises(DataError, match="a model of several classes"):
            model("lightgbm", tmp_path / "m.txt")

    @pytest.mark.parametrize(
        ("old", "new", "told"),
        [
            ("tree\n", "treee\n", "begins with the line 'tree'"),
            ("\nend of trees", "\nend of", "no line 'end of trees' after 5 trees"),
            ("Tree=3\n", "Tree=4\n", "tree 3 is not where the header says"),
            ("\nleft_child=1", "\nleft_child=0", "tree [0-4]: left_child=0"),
            ("\nright_child=", "\nright_child=9", "tree 0: right_child=9"),
            ("\nsplit_feature=", "\nsplit_feature=7", "tree 0: split_feature=7"),
            ("\nthreshold=", "\nthreshold=x", "tree 0: threshold=x"),
            ("\nleaf_value=", "\nleaf_vlaue=", "tree 0: no leaf_value"),
            ("\nnum_leaves=", "\nnum_leaves=1", "tree 0: "),
            ("\nis_linear=0", "\nis_linear=1", "expected plain leaves"),
            ("\nmax_feature_idx=3", "\nmax_feature_idx=x", "header: max_feature_idx=x"),
            ("\nleft_child=1", "\nleft_child=\x1b", r"tree [0-4]: left_child=\\x1b"),
        ],
    )
    def test_a_damaged_model_is_refused_before_the_library_reads_it(self, saved, tmp_path, old, new, told):
        text = saved.read_text()
        assert old in text
        kept = len(old) - len(new) if old.startswith("\n") else 0
        damaged = text.replace(old, new, 1)
        if kept < 0:  # the positions of the trees stay those of the header
            at = damaged.index(new) + len(new)
            damaged = damaged[:at] + damaged[at - kept :]
        (tmp_path / "m.txt").write_text(damaged)
        with pytest.raises(DataError, match=told):
            model("lightgbm", tmp_path / "m.txt")


class TestXgboost:
    @pytest.fixture
    def trained(self, letor, tmp_path):
        xgboost = pytest.importorskip("xgboost")
        table = xgboost.DMatrix(letor.features, letor.labels)
        table.set_group(letor.docs_per_query)
        booster = xgboost.train({"objective": "rank:ndcg", "nthread": 1, "max_depth": 3}, table, 4)
        booster.save_model(tmp_path / "model.json")
        booster.save_model(tmp_path / "model.ubj")
        return booster.predict(table)

    def test_it_scores_as_the_library_does(self, letor, trained, tmp_path):
        ranker = parse(f"xgboost:{tmp_path / 'model.json'},name=x", letor)
        assert ranker.name == "x"
        np.testing.assert_array_equal(ranker.score(letor), trained)

    @pytest.mark.parametrize(
        ("old", "new", "told"),
        [
            ('"learner"', '"lerner"', "not an XGBoost model in JSON"),
            ("]", "", "not an XGBoost model in JSON"),
            ("{", "", "not an XGBoost model in JSON"),
        ],
    )
    def test_a_damaged_model_is_refused(self, trained, tmp_path, old, new, told):
        text = (tmp_path / "model.json").read_text()
        assert old in text
        (tmp_path / "bad.json").write_text(text.replace(old, new, 1))
        with pytest.raises(DataError, match=told):
            model("xgboost", tmp_path / "bad.json")

    def test_ubjson_is_refused_with_a_way_out(self, trained, tmp_path):
        with pytest.raises(DataError, match=r"save it with booster.save_model\('model.json'\)"):
            model("xgboost", tmp_path / "model.ubj")


class TestOnnx:
    @pytest.mark.parametrize("kind", ["FLOAT", "DOUBLE"])
    @pytest.mark.parametrize("shape", [(N_FEATURES,), (N_FEATURES, 1)])
    def test_it_scores_as_a_product_of_matrices(self, on_disk, tmp_path, kind, shape):
        weights = np.array([0.5, -1, 2, 0.25])
        linear_onnx(tmp_path / "m.onnx", weights.reshape(shape), kind)
        found = model("onnx", tmp_path / "m.onnx").score(on_disk)
        np.testing.assert_allclose(found, on_disk.features @ weights, rtol=1e-5, atol=1e-5)

    @pytest.mark.parametrize(
        ("weights", "outputs", "told"),
        [
            (np.ones(4), 2, "an ONNX model of 1 inputs and 2 outputs"),
            (np.ones(3), 1, "the model expects 3 features and the data have 4"),
            (np.ones((4, 2)), 1, r"expected one score a document, found \(120, 2\)"),
            (np.full(4, np.nan), 1, "the score of row 0 is nan"),
        ],
    )
    def test_what_does_not_fit_is_refused(self, letor, tmp_path, weights, outputs, told):
        linear_onnx(tmp_path / "m.onnx", weights, outputs=outputs)
        with pytest.raises(DataError, match=told):
            model("onnx", tmp_path / "m.onnx").score(letor)

    def test_another_file_is_refused(self, tmp_path):
        pytest.importorskip("onnxruntime")
        (tmp_path / "m.onnx").write_bytes(b"no model")
        with pytest.raises(DataError, match=r"m.onnx: not an ONNX model, or damaged: "):
            model("onnx", tmp_path / "m.onnx")


class TestCachedScores:
    def test_a_model_is_scored_once(self, on_disk, saved, monkeypatch):
        first = model("lightgbm", saved).score(on_disk)
        monkeypatch.setattr(models_module, "_scored", None)
        np.testing.assert_array_equal(model("lightgbm", saved).score(on_disk), first)

    def test_other_data_and_other_models_are_scored_anew(self, on_disk, booster, saved, tmp_path):
        whole = model("lightgbm", saved).score(on_disk)
        part = model("lightgbm", saved).score(on_disk.take_queries([3]))
        assert part.tolist() == whole[30:40].tolist()
        booster.save_model(tmp_path / "ranker.txt", num_iteration=2)
        assert not np.array_equal(model("lightgbm", tmp_path / "ranker.txt").score(on_disk), whole)
        assert len(cached_scores(on_disk)) == 3

    def test_other_values_of_as_many_documents_are_scored_anew(self, on_disk, booster, saved):
        model("lightgbm", saved).score(on_disk)
        turned = dataclasses.replace(on_disk, columns=tuple(-column for column in on_disk.columns))
        found = model("lightgbm", saved).score(turned)
        np.testing.assert_array_equal(found, booster.predict(turned.features, raw_score=True))

    @pytest.mark.parametrize("damage", [b"", b"x", b"\x93NUMPY\x01\x00"])
    def test_damaged_scores_are_made_anew(self, on_disk, saved, damage):
        whole = model("lightgbm", saved).score(on_disk)
        (path,) = cached_scores(on_disk)
        content = path.read_bytes()
        path.write_bytes(damage + content[len(damage) + 1 :])
        np.testing.assert_array_equal(model("lightgbm", saved).score(on_disk), whole)
        assert path.read_bytes() == content

    @pytest.mark.skipif(sys.platform == "win32", reason="users have no numbers")
    def test_scores_that_others_may_write_are_made_anew(self, on_disk, saved):
        whole = model("lightgbm", saved).score(on_disk)
        (path,) = cached_scores(on_disk)
        np.save(path, whole[::-1])
        stem = path.name.rsplit(".", 2)[0]
        planted = path.rename(path.with_name(f"{stem}.{zlib.crc32(path.read_bytes()):08x}.npy"))
        np.testing.assert_array_equal(model("lightgbm", saved).score(on_disk), whole[::-1])
        planted.chmod(0o666)
        np.testing.assert_array_equal(model("lightgbm", saved).score(on_disk), whole)
        assert path in cached_scores(on_disk)

    def test_no_cache_keeps_nothing(self, on_disk, saved, tmp_path):
        data = read_data(tmp_path / "data.txt", cache=False)
        assert data.cache is None
        model("lightgbm", saved).score(data)
        assert cached_scores(on_disk) == []

    def test_scores_of_an_unknown_version_are_not_kept(self, on_disk, saved, monkeypatch):
        monkeypatch.setitem(libraries._DISTRIBUTIONS, "lightgbm", ())
        assert len(model("lightgbm", saved).score(on_disk)) == on_disk.n_docs
        assert cached_scores(on_disk) == []

    def test_a_folder_that_cannot_be_written_costs_only_time(self, on_disk, saved, tmp_path):
        (tmp_path / "file").write_text("")
        data = read_data(tmp_path / "data.txt", cache=False)
        object.__setattr__(data, "cache", tmp_path / "file" / "folder")
        assert len(model("lightgbm", saved).score(data)) == data.n_docs


def cached_scores(letor):
    return [path for path in cache_files(letor.cache) if path.suffix == ".npy"]


@pytest.mark.parametrize(
    ("kind", "library"), [("lightgbm", "lightgbm"), ("xgboost", "xgboost"), ("onnx", "onnxruntime")]
)
def test_a_library_that_is_not_there(tmp_path, monkeypatch, kind, library):
    monkeypatch.setitem(sys.modules, library, None)
    (tmp_path / "m").write_text("x")
    with pytest.raises(DataError, match=rf"needs {library}, .* pip install 'rankduel\[models\]'"):
        model(kind, tmp_path / "m")


def test_an_unknown_kind(tmp_path):
    with pytest.raises(ValueError, match="no kind of model named 'pickle'"):
        model("pickle", tmp_path / "m.pkl")


def test_a_file_that_is_too_large(tmp_path, monkeypatch):
    monkeypatch.setattr(models_module, "MOST_BYTES", 3)
    (tmp_path / "m").write_text("four")
    with pytest.raises(DataError, match="too large for a model"):
        model("ranklib", tmp_path / "m")
