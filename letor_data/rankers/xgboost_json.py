"""Checks of XGBoost's JSON format before the library reads it.

XGBoost follows the indices in a model without checking them: to features, nodes, trees, classes, categories
and weights. Every field that affects scores is therefore checked here, and the library receives a model that
is written anew from these fields. Statistics of the training, which it also expects, are zeros there.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

import numpy as np

from rankduel.base.errors import DataError
from rankduel.letor_data.rankers.json_fields import Fields

MOST_VALUES = 50_000_000
_MOST = 2**31 - 1  # as a parent, marks the root; as the feature of a split, a node that was pruned
_MOST_CATEGORY = 2**24 - 1  # categories are exact in single precision
_LINKS = ("left_children", "right_children", "parents")
_STATISTICS = ("base_weights", "loss_changes", "sum_hessian")
_BASE_SCORE = re.compile(r"\[?[+-]?[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]{1,2})?\]?")
_OBJECTIVE = re.compile(r"[a-z0-9]+:[a-z0-9_]+")
_SETTING = re.compile(r"[\w.,+\-\[\]() ]{0,200}", re.ASCII)
_ONE_SCORE = "one score a document"


class Checked(NamedTuple):
    """A checked model."""

    content: bytes  # JSON with the fields that the library needs
    n_features: int
    n_rounds: int  # of boosting, up to the best iteration; 0 is all


def checked_model(content: bytes, where: str) -> Checked:
    """Return a model with one score per document, written anew.

    Raises
    ------
    DataError
        If `content` is not JSON, or a field does not fit the others. The message names the field.
    """
    top = _parsed(content, where)
    learner = top.inside("learner")
    param = learner.inside("learner_model_param")
    n_features = param.whole("num_feature", 1, _MOST)
    size = _learner_param(param, n_features)
    booster, n_rounds = _booster(learner.inside("gradient_booster"), n_features)
    written = {
        "learner": {
            "attributes": {},
            "feature_names": [],
            "feature_types": [],
            "gradient_booster": booster,
            "learner_model_param": size,
            "objective": _objective(learner.inside("objective")),
        },
        "version": top.wholes("version", 3, 0, 9999).tolist(),
    }
    best = 0
    if "attributes" in learner and "best_iteration" in learner.inside("attributes"):
        best = learner.inside("attributes").whole("best_iteration", 0, n_rounds - 1) + 1
    return Checked(json.dumps(written, separators=(",", ":")).encode(), n_features, best)


def _parsed(content: bytes, where: str) -> Fields:
    if sum(map(content.count, (b",", b"[", b"{"))) > MOST_VALUES:
        raise DataError(f"{where}: more than {MOST_VALUES:,} values; expected a smaller model")
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or "learner" not in found:
        raise DataError(
            f"{where}: not an XGBoost model in JSON; save it with booster.save_model('model.json')"
        )
    return Fields(found, "", where)


def _learner_param(param: Fields, n_features: int) -> dict[str, str]:
    written = {
        "num_feature": str(n_features),
        "num_class": str(param.whole("num_class", 0, 1, f"0 or 1, for {_ONE_SCORE}")),
    }
    if "num_target" in param:
        written["num_target"] = str(param.whole("num_target", 1, 1, f"1, for {_ONE_SCORE}"))
    if "boost_from_average" in param:
        written["boost_from_average"] = str(param.whole("boost_from_average", 0, 1))
    written["base_score"] = param.text("base_score", _BASE_SCORE, "a number")
    return written


def _objective(objective: Fields) -> dict[str, Any]:
    """Return the objective, which defines how the base score is converted to a margin."""
    written: dict[str, Any] = {"name": objective.text("name", _OBJECTIVE, "a name such as 'rank:ndcg'")}
    for key in objective.names():
        if key.endswith("_param"):
            group = objective.inside(key)
            written[key] = {name: group.text(name, _SETTING, "a setting") for name in group.names()}
        elif key != "name":  # estimates of position bias
            written[key] = objective.numbers(key, None).tolist()
    return written


def _booster(booster: Fields, n_features: int) -> tuple[dict[str, Any], int]:
    """Return the booster and its number of rounds."""
    name = booster.text("name", re.compile("gbtree|dart|gblinear"), "gbtree, dart or gblinear")
    if name == "gblinear":
        return {"name": name, "model": _linear(booster.inside("model"), n_features)}, _MOST
    if name == "gbtree":
        model, n_rounds = _trees(booster.inside("model"), n_features)
        return {"name": name, "model": model}, n_rounds
    model, n_rounds = _trees(booster.inside("gbtree").inside("model"), n_features)
    dropped = booster.numbers("weight_drop", len(model["trees"])).tolist()
    return {"name": name, "gbtree": {"name": "gbtree", "model": model}, "weight_drop": dropped}, n_rounds


def _linear(model: Fields, n_features: int) -> dict[str, Any]:
    written: dict[str, Any] = {"weights": model.numbers("weights", n_features + 1).tolist()}  # and a bias
    if "boosted_rounds" in model:
        written["boosted_rounds"] = model.whole("boosted_rounds", 0, _MOST)
    return written


def _trees(model: Fields, n_features: int) -> tuple[dict[str, Any], int]:
    """Return the trees of all rounds, and the number of rounds."""
    trees = model.items("trees")
    n = len(trees)
    param = model.inside("gbtree_model_param")
    size = {"num_trees": str(param.whole("num_trees", n, n))}
    n_rounds = n
    if "num_parallel_tree" in param:
        parallel = param.whole("num_parallel_tree", 0, max(n, 1))
        size["num_parallel_tree"] = str(parallel)
        n_rounds = n // max(parallel, 1)
    written: dict[str, Any] = {
        "gbtree_model_param": size,
        "tree_info": model.wholes("tree_info", n, 0, 0).tolist(),  # class of each tree
        "trees": [_tree(tree, number, n_features) for number, tree in enumerate(trees)],
    }
    if "iteration_indptr" in model:  # first tree of each round
        starts = model.wholes("iteration_indptr", None, 0, n)
        if len(starts) == 0 or starts[0] != 0 or starts[-1] != n or (np.diff(starts) < 0).any():
            raise model.wrong("iteration_indptr", "another list", f"ascending numbers from 0 to {n}")
        written["iteration_indptr"] = starts.tolist()
        n_rounds = len(starts) - 1
    return written, n_rounds


def _tree(tree: Fields, number: int, n_features: int) -> dict[str, Any]:
    param = tree.inside("tree_param")
    n = param.whole("num_nodes", 1, _MOST)
    size = {
        "num_nodes": str(n),
        "num_deleted": str(param.whole("num_deleted", 0, n - 1)),
        "num_feature": str(param.whole("num_feature", n_features, n_features)),
    }
    if "size_leaf_vector" in param:
        size["size_leaf_vector"] = str(param.whole("size_leaf_vector", 0, 1))
    for key in _STATISTICS:
        tree.numbers(key, n, finite=False)
    live = _check_structure(tree, n, int(size["num_deleted"]))
    features = tree.wholes("split_indices", n, 0, _MOST)
    tree.check("split_indices", features, ~live | (features < n_features), f"0 to {n_features - 1}")
    values = tree.numbers("split_conditions", n, finite=False)
    tree.check("split_conditions", values, ~live | np.isfinite(values), "a finite number")
    categories = _categories(tree, n)
    return {
        "id": tree.whole("id", number, number),
        "tree_param": size,
        "split_indices": features.tolist(),
        "split_conditions": np.where(live, values, 0.0).tolist(),
        "default_left": tree.wholes("default_left", n, 0, 1).tolist(),
        **{key: tree.wholes(key, n, -1, _MOST).tolist() for key in _LINKS},
        **{key: [0.0] * n for key in _STATISTICS},
        **categories,
    }


def _check_structure(tree: Fields, n: int, n_deleted: int) -> np.ndarray:
    """Check that nodes are a tree from node 0, without cycles; return which nodes were not pruned."""
    children = [tree.wholes(side, n, -1, n - 1) for side in _LINKS[:2]]
    parents = tree.wholes("parents", n, 0, _MOST)
    live = tree.wholes("split_indices", n, 0, _MOST) != _MOST
    if np.count_nonzero(~live) != n_deleted:
        found = f"of {np.count_nonzero(~live)} pruned nodes"
        raise tree.wrong("split_indices", found, f"{n_deleted}, as num_deleted says")
    tree.check("parents", parents, (np.arange(n) > 0) | (parents == _MOST), f"{_MOST} for node 0")
    tree.check(_LINKS[1], children[1], (children[0] == -1) == (children[1] == -1), "two children or none")
    seen = np.zeros(n, np.bool_)
    level = np.zeros(1, np.int64)
    while len(level):
        seen[level] = True
        inner = level[children[0][level] != -1]
        for side, of_side in zip(_LINKS, children):
            below = of_side[inner]
            fits = np.ones(n, np.bool_)
            fits[inner] = live[below] & ~seen[below] & (parents[below] == inner)
            tree.check(side, of_side, fits, "a node below, whose parent is this node")
            seen[below] = True
        level = np.concatenate([of_side[inner] for of_side in children])
    if not (seen == live).all():
        raise tree.wrong(_LINKS[0], f"without node {np.flatnonzero(seen != live)[0]}", "every node once")
    return live


def _categories(tree: Fields, n: int) -> dict[str, Any]:
    """Return the categories of splits: sets, one after the other, each with its node."""
    if "split_type" not in tree:  # before XGBoost 1.3
        return {}
    kinds = tree.wholes("split_type", n, 0, 1)
    chosen = np.flatnonzero(kinds)
    nodes = tree.wholes("categories_nodes", len(chosen), 0, n - 1)
    tree.check("categories_nodes", nodes, nodes == chosen, "the nodes with split_type 1 in order")
    categories = tree.wholes("categories", None, 0, _MOST_CATEGORY)
    sizes = tree.wholes("categories_sizes", len(chosen), 0, len(categories))
    segments = tree.wholes("categories_segments", len(chosen), 0, len(categories))
    starts = np.cumsum(sizes) - sizes
    tree.check("categories_segments", segments, segments == starts, "the sum of the sizes before")
    if sizes.sum() != len(categories):
        raise tree.wrong("categories_sizes", f"{sizes.sum()} in total", f"{len(categories)}, as categories")
    return {
        "split_type": kinds.tolist(),
        "categories": categories.tolist(),
        "categories_nodes": nodes.tolist(),
        "categories_segments": segments.tolist(),
        "categories_sizes": sizes.tolist(),
    }
