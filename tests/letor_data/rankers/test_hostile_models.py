"""Damaged models give an error that names the file, or finite scores; never a dead process."""

import json
import random
import warnings

import naive
import numpy as np
import pandas as pd
import pytest
from support.damage import damaged

from rankduel.base.errors import DataError, RankduelError
from rankduel.letor_data import read_data
from rankduel.letor_data.cache import cache_files
from rankduel.letor_data.letor import Letor
from rankduel.letor_data.rankers import apart, model
from rankduel.letor_data.rankers.lightgbm_text import checked_trees
from rankduel.letor_data.rankers.onnx_graph import checked_features
from rankduel.letor_data.rankers.ranklib import read_ranklib
from rankduel.letor_data.rankers.xgboost_json import checked_model
from rankduel.letor_data.text.writer import write_letor

ODD = (
    *(
        None,
        True,
        -1,
        0,
        1,
        2,
        3,
        0.5,
        -0.0,
        1e-45,
        1e39,
        float("nan"),
        float("inf"),
        2**31 - 1,
        2**31,
        2**63,
    ),
    *(
        -(2**31),
        10**40,
        "",
        "0",
        "-1",
        "1",
        "2",
        "4294967295",
        "nan",
        "x" * 1000,
        "\x1b[2J",
        [],
        {},
        [0],
        [[]],
    ),
    *("gbtree", "dart", "gblinear", "multi:softprob", "rank:ndcg", "survival:aft"),
)
CHECKS = {
    "lightgbm": checked_trees,
    "xgboost": checked_model,
    "onnx": checked_features,
    "ranklib": read_ranklib,
}


@pytest.fixture(scope="module")
def letor():
    rng = np.random.default_rng(3)
    columns = {str(number): np.round(rng.normal(size=30), 3) for number in range(1, 5)}
    columns["4"] = np.arange(30) % 5.0
    return Letor.from_pandas(pd.DataFrame({"qid": np.arange(30) // 10, "label": 0, **columns}))


@pytest.fixture(scope="module")
def contents(letor):
    """Return the bytes of good models by name; the name starts with the kind."""
    return {**dict(xgboost_models(letor)), **dict(other_models(letor))}


def xgboost_models(letor):
    xgboost = pytest.importorskip("xgboost")
    labels = letor.columns[0] + (letor.columns[3] % 2)
    table = xgboost.DMatrix(letor.features, labels, feature_types=["q", "q", "q", "c"])
    settings = {
        "trees": {"tree_method": "exact", "gamma": 0.2},
        "categories": {"max_cat_to_onehot": 1},
        "dart": {"booster": "dart", "num_parallel_tree": 2},
        "linear": {"booster": "gblinear"},
    }
    for name, more in settings.items():
        table.feature_types = ["q"] * 3 + ["c" if name == "categories" else "q"]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a linear model has no use for the depth of trees
            booster = xgboost.train({"nthread": 1, "max_depth": 3, **more}, table, 2)
        booster.set_attr(best_iteration="0")
        yield f"xgboost {name}", bytes(booster.save_raw("json"))


def other_models(letor):
    lightgbm = pytest.importorskip("lightgbm")
    settings = {"num_leaves": 4, "min_data_in_leaf": 2, "num_threads": 1, "verbosity": -1, "seed": 1}
    settings |= {"min_data_per_group": 1, "cat_smooth": 1}
    data = lightgbm.Dataset(letor.features, letor.columns[3] % 2, categorical_feature=[3])
    yield "lightgbm", lightgbm.train(settings, data, 3).model_to_string().encode()
    onnx = pytest.importorskip("onnx")
    floats = onnx.TensorProto.FLOAT
    nodes = [
        onnx.helper.make_node("Clip", ["x", "low"], ["z"]),
        onnx.helper.make_node("MatMul", ["z", "w"], ["y"]),
    ]
    weights = [
        onnx.helper.make_tensor("w", floats, [4, 1], [1, 2, 3, 4]),
        onnx.helper.make_tensor("low", floats, [], [0]),
    ]
    x = onnx.helper.make_tensor_value_info("x", floats, [None, 4])
    y = onnx.helper.make_tensor_value_info("y", floats, None)
    graph = onnx.helper.make_graph(nodes, "g", [x], [y], weights)
    opsets = [onnx.helper.make_opsetid("", 17)]
    yield "onnx", onnx.helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString()
    trees = [(0.5, (1, 0.25, 1.0, (3, -0.5, 2.0, 3.0)))]
    yield "ranklib", naive.ensemble_text(trees).encode()


def damaged_model(content, rng):
    """Return a model with a few fields of JSON deleted, replaced or swapped; or with damaged bytes."""
    if not content.startswith(b"{") or rng.random() < 0.3:
        return damaged(content, rng)
    whole = json.loads(content)
    for _ in range(rng.choice((1, 1, 1, 2))):
        places = list(all_places(whole))
        place, key = rng.choice(places)
        change = rng.randrange(4)
        if change == 0:
            del place[key]
        elif change == 1:
            other, its_key = rng.choice(places)
            place[key] = json.loads(json.dumps(other[its_key]))
        else:
            place[key] = rng.choice(ODD)
    return json.dumps(whole).encode()


def all_places(value):
    """Yield (container, key) of every value inside; long lists count no more than short ones."""
    keys = list(value if isinstance(value, dict) else range(len(value)))
    for key in keys:
        yield value, key
        if isinstance(value[key], (dict, list)):
            yield from all_places(value[key])


NAMES = [
    *(f"xgboost {name}" for name in ("trees", "categories", "dart", "linear")),
    "lightgbm",
    "onnx",
    "ranklib",
]


def score_damaged(contents, name, letor, folder, n_cases):
    """Score damaged models; return the numbers of models that were scored, and refused."""
    write_letor(letor, folder / "data.txt")
    data = read_data(folder / "data.txt")
    kind, kept, refused = name.split()[0], 0, 0
    for case in range(n_cases):
        path = folder / "hostile.model"
        content = damaged_model(contents[name], random.Random(f"{name}, {case}"))
        path.write_bytes(content)
        before = kept_scores(data)
        try:
            scores = model(kind, path).score(data)
        except RankduelError as problem:
            assert "hostile.model" in str(problem) and str(problem).replace("\n", "").isprintable(), case
            assert kept_scores(data) == before, case
            refused += 1
            continue
        assert scores.shape == (30,) and np.isfinite(scores).all(), case
        kept += 1
    return kept, refused


def kept_scores(data):
    return [path for path in cache_files(data.cache) if path.suffix == ".npy"]


@pytest.mark.parametrize("name", NAMES)
def test_few_damaged_models_are_scored_or_refused(contents, letor, tmp_path, monkeypatch, name):
    monkeypatch.setattr(apart, "SECONDS", 60)
    kind = name.split()[0]
    (tmp_path / "good.model").write_bytes(contents[name])
    assert np.isfinite(model(kind, tmp_path / "good.model").score(letor)).all()
    assert sum(score_damaged(contents, name, letor, tmp_path, 10)) == 10


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_many_damaged_models_are_scored_or_refused(contents, letor, tmp_path, monkeypatch, name):
    monkeypatch.setattr(apart, "SECONDS", 60)
    kept, refused = score_damaged(contents, name, letor, tmp_path, 500)
    print(f"{name}: {kept} scored, {refused} refused")
    assert refused > 100


@pytest.mark.parametrize("name", NAMES)
def test_checks_raise_no_other_error(contents, name):
    """Without the library, so that many cases are quick."""
    check = CHECKS[name.split()[0]]
    refused = 0
    for case in range(400):
        content = damaged_model(contents[name], random.Random(f"checks of {name}, {case}"))
        try:
            check(content, "hostile.model")
        except DataError as problem:
            assert str(problem).startswith("hostile.model"), case
            refused += 1
    assert refused > 100
