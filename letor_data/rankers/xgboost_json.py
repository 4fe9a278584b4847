"""Checks of XGBoost's JSON format before the library reads it, which does not check the indices of splits."""

from __future__ import annotations

import json
from typing import Any

from rankduel.base.errors import DataError

_PER_NODE = (
    "left_children",
    "right_children",
    "parents",
    "split_indices",
    "split_conditions",
    "base_weights",
)


def check_trees(content: bytes, where: str) -> None:
    """Raise an error if `content` is not JSON, or if a split has a feature or child that does not exist."""
    try:
        learner = json.loads(content)["learner"]
        booster = learner["gradient_booster"]
        model = booster.get("gbtree", booster).get("model", {})  # nested so for dart; none for gblinear
        n_features = int(learner["learner_model_param"]["num_feature"])
        fine = all(_is_tree(tree, n_features) for tree in model.get("trees", []))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise DataError(
            f"{where}: not an XGBoost model in JSON; save it with booster.save_model('model.json')"
        ) from None
    if not fine:
        raise DataError(f"{where}: a tree with splits that do not fit; the file is damaged or was changed")


def _is_tree(tree: dict[str, Any], n_features: int) -> bool:
    """Return whether `tree` has no cycles: every node but the root is the child of at most one other."""
    param = tree["tree_param"]
    n = int(param["num_nodes"])
    children = [*tree["left_children"], *tree["right_children"]]
    inner = [child for child in children if child != -1]
    return (
        n >= 1
        and int(param.get("size_leaf_vector", 1)) <= 1
        and all(len(tree[key]) == n for key in _PER_NODE)
        and all(isinstance(child, int) and 0 < child < n for child in inner)
        and len(set(inner)) == len(inner)
        and all(tree["parents"][child] == node % n for node, child in enumerate(children) if child != -1)
        and all((left == -1) == (right == -1) for left, right in zip(children[:n], children[n:]))
        and all(0 <= feature < n_features for feature in tree["split_indices"])
    )
