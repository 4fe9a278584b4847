"""Checks of LightGBM's text format before the library reads it.

LightGBM parses trees in several threads and aborts the process if a tree is malformed. Trees must therefore
be at the positions that the header states, and every split must have an existing feature, a threshold and two
existing children.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from rankduel.base.errors import DataError
from rankduel.base.text import printable, shortened

_END = b"end of trees"
_CATEGORICAL = 1  # bit of a decision type
# Lines of a tree with one number per split, or per leaf, that do not affect its structure.
_OF_SPLITS = ("split_gain", "internal_value", "internal_weight", "internal_count")
_OF_LEAVES = ("leaf_value", "leaf_weight", "leaf_count")
_KEYS = (
    *("Tree", "num_leaves", "num_cat", "split_feature", "threshold", "decision_type", "left_child"),
    *("right_child", "cat_boundaries", "cat_threshold", *_OF_SPLITS, *_OF_LEAVES, "is_linear", "shrinkage"),
)
_ALL_NUMBERS = re.compile(r"(?:[+-]?(?:[0-9]+(?:\.[0-9]*)?(?:e[+-]?[0-9]{1,3})?|inf|nan)(?: |$))*")


class Checked(NamedTuple):
    """A checked model."""

    content: bytes  # reduced to its header and the lines of trees that affect scores
    n_features: int
    first_is_empty: bool  # the first feature was constant in the training data


def checked_trees(content: bytes, where: str) -> Checked:
    """Return a model reduced to its header and the checked lines of its trees.

    Raises
    ------
    DataError
        If a tree is incomplete or invalid.
    """
    at = content.find(b"\nTree=0\n") + 1
    if not content.startswith(b"tree\n") or not at:
        raise DataError(f"{where}: not a LightGBM model in text format, which begins with the line 'tree'")
    header = _fields(content[:at])
    _check_header(header, where)
    features = int(_whole(header, "max_feature_idx", 1, f"{where}: header")[0]) + 1
    trees = []
    for number, size in enumerate(_whole(header, "tree_sizes", None, f"{where}: header").tolist()):
        tree = content[at : at + size]
        if size < 1 or not tree.startswith(b"Tree=%d\n" % number):
            raise DataError(f"{where}: tree {number} is not where the header says; was the file cut?")
        fields = _fields(tree)
        _check_tree(fields, features, f"{where}: tree {number}")
        trees.append(_written({key: fields[key] for key in _KEYS if key in fields}))
        at += size
    if not content.startswith(_END, at):
        raise DataError(f"{where}: no line '{_END.decode()}' after {len(trees)} trees; was the file cut?")
    header["tree_sizes"] = " ".join(str(len(tree)) for tree in trees)
    whole = b"".join([_written(header), *trees, _END, b"\n"])
    return Checked(whole, features, header.get("feature_infos", "").startswith("none "))


def _check_header(header: dict[str, str], where: str) -> None:
    # LightGBM prints parts of the header in its messages, and a terminal would obey control characters.
    for key, value in header.items():
        if not (key + value).isprintable():
            raise DataError(f"{where}: header: {ascii(shortened(key))} has characters that cannot be printed")
    _whole(header, "label_index", 1, f"{where}: header")
    for key in ("num_class", "num_tree_per_iteration"):
        if _whole(header, key, 1, f"{where}: header")[0] != 1:
            raise DataError(
                f"{where}: a model of several classes, {key}={shortened(header[key])}; expected one score "
                "a document"
            )


def _written(fields: dict[str, str]) -> bytes:
    """Return `fields` as lines 'key=value', or 'key' without a value."""
    lines = [f"{key}={value}\n" if value else f"{key}\n" for key, value in fields.items() if key]
    return "".join([*lines, "\n"]).encode()


def _check_tree(fields: dict[str, str], features: int, where: str) -> None:
    leaves = _whole(fields, "num_leaves", 1, where)[0]
    if leaves < 1 or fields.get("is_linear", "0") != "0":
        linear = shortened(printable(fields.get("is_linear", "0")))
        raise DataError(f"{where}: {leaves} leaves, is_linear={linear}; expected plain leaves")
    splits = int(leaves) - 1
    counts = dict.fromkeys(_OF_SPLITS, splits) | dict.fromkeys(_OF_LEAVES, int(leaves)) | {"shrinkage": 1}
    for key, n in counts.items():
        if key in fields or key == "leaf_value":
            _numbers(fields, key, n, where)
    if not splits:
        return
    used = _whole(fields, "split_feature", splits, where)
    kinds = _whole(fields, "decision_type", splits, where)
    _check(((used >= 0) & (used < features)).all(), "split_feature", fields, where)
    for side in ("left_child", "right_child"):
        child = _whole(fields, side, splits, where)
        later = (child > np.arange(splits)) & (child < splits)  # children after parents: no cycles
        _check((later | ((child < 0) & (child >= -leaves))).all(), side, fields, where)
    _check_categories(fields, _numbers(fields, "threshold", splits, where), kinds, where)


def _check_categories(fields: dict[str, str], thresholds: np.ndarray, kinds: np.ndarray, where: str) -> None:
    """Check that thresholds of categorical splits are numbers of category sets with valid boundaries."""
    chosen = thresholds[kinds & _CATEGORICAL == _CATEGORICAL]
    sets = int(_whole(fields, "num_cat", 1, where)[0])
    _check(sets >= 0, "num_cat", fields, where)
    _check(((chosen >= 0) & (chosen < sets)).all(), "threshold", fields, where)
    if sets:
        bounds = _whole(fields, "cat_boundaries", sets + 1, where)
        words = len(_whole(fields, "cat_threshold", None, where))
        fits = bounds[0] == 0 and bounds[-1] == words and (np.diff(bounds) >= 0).all()
        _check(fits, "cat_boundaries", fields, where)


def _fields(lines: bytes) -> dict[str, str]:
    """Return the 'key=value' lines of a header or a tree."""
    text = lines.decode("utf-8", "replace")
    return {key: value for key, _, value in (line.partition("=") for line in text.split("\n"))}


def _whole(fields: dict[str, str], key: str, n: int | None, where: str) -> np.ndarray:
    values = _numbers(fields, key, n, where)
    _check(((values == np.floor(values)) & (abs(values) < 2**31)).all(), key, fields, where)
    return values.astype(np.int64)


def _numbers(fields: dict[str, str], key: str, n: int | None, where: str) -> np.ndarray:
    """Return the `n` numbers of the line `key`; any number of them if `n` is None."""
    text = fields.get(key, "")
    _check(_ALL_NUMBERS.fullmatch(text) is not None and not text.endswith(" "), key, fields, where)
    values = np.array(text.split(" ") if text else [], np.float64)
    _check(len(values) == (len(values) if n is None else n), key, fields, where)
    return values


def _check(fine: bool | np.bool_, key: str, fields: dict[str, str], where: str) -> None:
    if not fine:
        found = f"{key}={shortened(printable(fields[key]))}" if key in fields else f"no {key}"
        raise DataError(f"{where}: {found} does not fit the tree; the file is damaged or was changed")
