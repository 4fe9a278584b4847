"""Every field of an XGBoost model is checked, and a model without damage scores as the library does."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest

from rankduel.base.errors import DataError
from rankduel.letor_data.letor import Letor
from rankduel.letor_data.rankers import model, xgboost_json
from rankduel.letor_data.rankers.xgboost_json import checked_model

xgboost = pytest.importorskip("xgboost")
QUIET = {"nthread": 1, "max_depth": 3}
TREES = "learner.gradient_booster.model.trees"
DELETE = object()


@pytest.fixture(scope="module")
def letor():
    """Return data with missing values, and whole numbers in feature 4."""
    rng = np.random.default_rng(3)
    features = rng.normal(size=(120, 4))
    features[rng.random(features.shape) < 0.1] = np.nan
    features[:, 3] = np.arange(120) % 7
    columns = {str(number): features[:, number - 1] for number in range(1, 5)}
    return Letor.from_pandas(pd.DataFrame({"qid": np.arange(120) // 10, "label": 0, **columns}))


def train(letor, settings, **more):
    first, _, third, whole = np.nan_to_num(letor.features).T
    labels = np.clip(np.round(first + third), 0, 3) + whole % 2
    objective = settings.get("objective", "")
    if objective in BINARY:
        labels = labels > 1
    types = ["q", "q", "q", "c"] if "max_cat_to_onehot" in settings else None
    table = xgboost.DMatrix(letor.features, labels + (objective in POSITIVE), feature_types=types)
    if objective.startswith("rank:"):
        table.set_group(letor.docs_per_query)
    more = {"evals": [(table, "train")], "verbose_eval": False, **more} if more else {}
    return xgboost.train({**QUIET, **settings}, table, 4, **more)


KINDS = {
    "trees": {"objective": "rank:ndcg"},
    "position bias": {"objective": "rank:ndcg", "lambdarank_unbiased": True},
    "dart": {"booster": "dart", "rate_drop": 0.5, "one_drop": True},
    "linear": {"booster": "gblinear"},
    "forest": {"num_parallel_tree": 3, "subsample": 0.5},
    "pruned": {"tree_method": "exact", "gamma": 0.3},
    "categories": {"max_cat_to_onehot": 1},
    "logit": {"objective": "binary:logistic"},
    "logarithm": {"objective": "count:poisson"},
}
BINARY = ("binary:logistic", "binary:logitraw", "binary:hinge", "reg:logistic", "rank:map")
POSITIVE = ("reg:gamma", "survival:cox")
OTHERS = (
    *("binary:logitraw", "binary:hinge", "reg:absoluteerror", "reg:gamma", "reg:logistic"),
    *("reg:pseudohubererror", "reg:squaredlogerror", "reg:tweedie", "survival:cox"),
    *("rank:pairwise", "rank:map"),
)


@pytest.mark.filterwarnings("ignore::UserWarning:xgboost")
@pytest.mark.parametrize("kind", KINDS)
def test_scores_are_those_of_the_library(letor, tmp_path, kind):
    assert_same_scores(letor, train(letor, KINDS[kind]), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("objective", OTHERS)
def test_scores_are_those_of_the_library_for_other_objectives(letor, tmp_path, objective):
    assert_same_scores(letor, train(letor, {"objective": objective}), tmp_path)


def assert_same_scores(letor, booster, folder):
    booster.save_model(folder / "model.json")
    expected = booster.predict(xgboost.DMatrix(letor.features), output_margin=True, validate_features=False)
    assert len(set(expected.tolist())) > 2
    np.testing.assert_array_equal(model("xgboost", folder / "model.json").score(letor), expected)


def test_the_best_iteration_is_the_last(letor, tmp_path):
    booster = train(letor, {}, early_stopping_rounds=5)
    booster.set_attr(best_iteration="1")
    booster.save_model(tmp_path / "model.json")
    table = xgboost.DMatrix(letor.features)
    expected = booster.predict(table, output_margin=True, iteration_range=(0, 2))
    assert not np.array_equal(expected, booster.predict(table, output_margin=True))
    np.testing.assert_array_equal(model("xgboost", tmp_path / "model.json").score(letor), expected)


def content_of(letor, kind):
    return json.loads(bytes(train(letor, KINDS[kind]).save_raw("json")))


def changed(content, path, value):
    """Return a copy with the value at a path such as 'learner.attributes' or 'trees[0].id' replaced."""
    copy = json.loads(json.dumps(content))
    parts = path.replace("[", ".").replace("]", "").split(".")
    *way, last = [int(part) if part.isdigit() else part for part in parts]
    place = copy
    for part in way:
        place = place[part]
    if value is DELETE:
        del place[last]
    else:
        place[last] = value
    return json.dumps(copy).encode()


CHANGES = [
    # (kind, path, value, what the message says after the path)
    ("trees", "version", [3, 2], "a list of 2; expected 3 values"),
    ("trees", "version[0]", -1, "-1; expected a whole number from 0 to 9999"),
    ("trees", "learner", [], "a list; expected an object"),
    ("trees", "learner.attributes", {"best_iteration": "4"}, None),
    ("trees", "learner.learner_model_param.num_feature", "0", "0; expected a whole number from 1 to"),
    ("trees", "learner.learner_model_param.num_feature", DELETE, None),
    ("trees", "learner.learner_model_param.num_class", "3", "3; expected 0 or 1, for one score a document"),
    ("trees", "learner.learner_model_param.num_target", "2", "2; expected 1, for one score a document"),
    ("trees", "learner.learner_model_param.num_target", "99999999999", "99999999999; expected 1"),
    ("trees", "learner.learner_model_param.boost_from_average", 2, "2; expected a whole number from 0 to 1"),
    ("trees", "learner.learner_model_param.base_score", "[1,2]", '"[1,2]"; expected a number'),
    ("trees", "learner.learner_model_param.base_score", "nan", '"nan"; expected a number'),
    ("trees", "learner.objective.name", "no", "expected a name such as 'rank:ndcg'"),
    ("trees", "learner.objective.lambdarank_param", 1, "1; expected an object"),
    ("trees", "learner.objective.lambdarank_param.lambdarank_unbiased", "\x1b", "expected a setting"),
    ("trees", "learner.objective.other", "x", '"x"; expected a list'),
    ("trees", "learner.gradient_booster.name", "gbtreee", '"gbtreee"; expected gbtree, dart or gblinear'),
    ("trees", "learner.gradient_booster.name", "gblinear", None),
    ("trees", "learner.gradient_booster.name", "dart", None),
    ("trees", "learner.gradient_booster.name", 5, "5; expected gbtree, dart or gblinear"),
    ("trees", "learner.gradient_booster.model.gbtree_model_param.num_trees", "5", "5; expected 4"),
    (
        "trees",
        "learner.gradient_booster.model.gbtree_model_param.num_parallel_tree",
        "-1",
        "-1; expected a wh",
    ),
    ("trees", "learner.gradient_booster.model.tree_info", [0], "a list of 1; expected 4 values"),
    ("trees", "learner.gradient_booster.model.tree_info[2]", 10**8, "100000000; expected 0"),
    ("trees", "learner.gradient_booster.model.tree_info[2]", -1, "-1; expected 0"),
    ("trees", "learner.gradient_booster.model.tree_info[2]", "0", '"0"; expected 0'),
    ("trees", "learner.gradient_booster.model.iteration_indptr", [0, 9], None),
    (
        "trees",
        "learner.gradient_booster.model.iteration_indptr",
        [0, 3, 2, 4],
        "expected ascending numbers from",
    ),
    (
        "trees",
        "learner.gradient_booster.model.iteration_indptr",
        [],
        "expected ascending numbers from 0 to 4",
    ),
    ("trees", TREES, {}, "an object; expected a list"),
    ("trees", f"{TREES}[1]", 7, "7; expected an object"),
    ("trees", f"{TREES}[1].id", 2, "2; expected 1"),
    ("trees", f"{TREES}[1].id", 2**40, "1099511627776; expected 1"),
    ("trees", f"{TREES}[1].tree_param.num_nodes", "9999999", None),
    ("trees", f"{TREES}[1].tree_param.num_deleted", "1", None),
    ("trees", f"{TREES}[1].tree_param.num_feature", "5", "5; expected 4"),
    (
        "trees",
        f"{TREES}[1].tree_param.size_leaf_vector",
        "100000",
        "100000; expected a whole number from 0 to 1",
    ),
    ("trees", f"{TREES}[1].left_children[0]", 0, "0; expected a node below, whose parent is this node"),
    ("trees", f"{TREES}[1].left_children[0]", 10**7, "10000000; expected a whole number from -1 to"),
    ("trees", f"{TREES}[1].left_children[0]", 2, None),
    ("trees", f"{TREES}[1].left_children[0]", -1, None),
    ("trees", f"{TREES}[1].left_children[0]", 1.0, "1.0; expected a whole number"),
    ("trees", f"{TREES}[1].right_children[0]", -2, "-2; expected a whole number from -1 to"),
    ("trees", f"{TREES}[1].parents[0]", 0, "0; expected 2147483647 for node 0"),
    ("trees", f"{TREES}[1].parents[1]", 2, None),
    ("trees", f"{TREES}[1].split_indices[0]", 4, "4; expected 0 to 3"),
    ("trees", f"{TREES}[1].split_indices[0]", 2**31 - 1, None),
    ("trees", f"{TREES}[1].split_conditions[0]", float("nan"), "nan; expected a finite number"),
    ("trees", f"{TREES}[1].split_conditions[0]", 10**400, None),
    ("trees", f"{TREES}[1].split_conditions", DELETE, None),
    ("trees", f"{TREES}[1].default_left[0]", 2, "2; expected a whole number from 0 to 1"),
    ("trees", f"{TREES}[1].base_weights", [], "a list of 0; expected"),
    ("trees", f"{TREES}[1].loss_changes[0]", "x", '"x"; expected a number'),
    ("trees", f"{TREES}[1].sum_hessian", [[]], "a list of 1; expected"),
    ("trees", f"{TREES}[1].split_type[0]", 1, None),
    ("trees", f"{TREES}[1].categories_sizes", [1], "a list of 1; expected 0 values"),
    ("categories", f"{TREES}[0].categories_nodes[0]", 1, "1; expected the nodes with split_type 1 in order"),
    ("categories", f"{TREES}[0].categories_segments[0]", 1, "1; expected the sum of the sizes before"),
    ("categories", f"{TREES}[0].categories_segments[0]", 10**8, "100000000; expected a whole number from 0"),
    ("categories", f"{TREES}[0].categories_sizes[0]", 0, None),
    ("categories", f"{TREES}[0].categories[0]", -1, "-1; expected a whole number from 0 to 16777215"),
    (
        "categories",
        f"{TREES}[0].categories[0]",
        2**30,
        "1073741824; expected a whole number from 0 to 16777215",
    ),
    ("categories", f"{TREES}[0].categories", [], None),
    ("dart", "learner.gradient_booster.weight_drop", [1.0], "a list of 1; expected 4 values"),
    ("dart", "learner.gradient_booster.weight_drop[0]", None, "null; expected a number"),
    ("dart", "learner.gradient_booster.name", "gbtree", None),
    ("linear", "learner.gradient_booster.model.weights", [0.5, 1.5], "a list of 2; expected 5 values"),
    ("linear", "learner.gradient_booster.model.weights[4]", float("inf"), "inf; expected a finite number"),
    ("linear", "learner.gradient_booster.model.boosted_rounds", -1, "-1; expected a whole number from 0"),
    ("linear", "learner.gradient_booster.name", "gbtree", None),
]


@pytest.fixture(scope="module")
def contents(letor):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a linear model has no use for the depth of trees
        return {kind: content_of(letor, kind) for kind in ("trees", "categories", "dart", "linear")}


@pytest.mark.parametrize(("kind", "path", "value", "told"), CHANGES)
def test_each_field_is_checked(contents, kind, path, value, told):
    """The message starts with the file, and names the field unless other fields show the damage first."""
    checked_model(json.dumps(contents[kind]).encode(), "m.json")
    with pytest.raises(DataError) as caught:
        checked_model(changed(contents[kind], path, value), "m.json")
    message = str(caught.value)
    assert message.startswith("m.json: ") and "expected" in message
    assert told is None or (f"{path} is " in message and told in message), message


def test_nodes_in_a_cycle_beside_the_tree_are_refused(contents):
    """Each node of the cycle is the child of one other, but none is below the root."""
    content = json.loads(json.dumps(contents["trees"]))
    tree = content["learner"]["gradient_booster"]["model"]["trees"][0]
    n = len(tree["parents"])
    for values in tree.values():
        if isinstance(values, list) and len(values) == n:
            values.extend(values[-1:] * 3)
    tree["left_children"][n:] = [n + 1, n, -1]
    tree["right_children"][n:] = [n + 2, -1, -1]
    tree["tree_param"]["num_nodes"] = str(n + 3)
    with pytest.raises(DataError, match="two children or none"):
        checked_model(json.dumps(content).encode(), "m.json")
    tree["right_children"][n + 1] = n + 2
    with pytest.raises(DataError, match=f"left_children is without node {n}; expected every node once"):
        checked_model(json.dumps(content).encode(), "m.json")


def test_only_checked_fields_reach_the_library(contents):
    content = json.loads(json.dumps(contents["trees"]))
    content["learner"]["feature_names"] = ["\x1b[2J"] * 4
    content["learner"]["attributes"] = {"scikit_learn": "{}", "best_iteration": "2"}
    content["surprise"] = content["learner"]["surprise"] = 1
    whole = checked_model(json.dumps(content).encode(), "m.json")
    assert b"1b" not in whole.content and b"surprise" not in whole.content and b"scikit" not in whole.content
    assert (whole.n_features, whole.n_rounds) == (4, 3)


@pytest.mark.parametrize("content", [b"[" * 100_000, b"{}", b"[]", b"1", b"", b"\xff", b"9" * 5000])
def test_what_is_no_model_is_refused_with_a_way_out(content):
    with pytest.raises(DataError, match=r"m.json: not an XGBoost model .* save it with booster.save_model"):
        checked_model(content, "m.json")


def test_the_number_of_values_is_bounded(monkeypatch):
    monkeypatch.setattr(xgboost_json, "MOST_VALUES", 10)
    with pytest.raises(DataError, match="more than 10 values"):
        checked_model(b'{"learner":[' + b"[]," * 10, "m.json")
