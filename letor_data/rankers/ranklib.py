"""Ensembles of regression trees in RankLib's format for MART and LambdaMART.

The file consists of comments that start with '##' and of tags: an ensemble of trees, each with a weight. A
split has either a feature (its number in the training data), a threshold and two splits, or an output.
Values and thresholds are compared in single precision, and a missing value counts as 0, as in RankLib. The
tags look like XML, but only these six tags are accepted: entities and declarations raise an error.
"""

from __future__ import annotations

import math
import re
from contextlib import nullcontext
from typing import NamedTuple

import numpy as np

from rankduel.base.compiling import entry
from rankduel.base.errors import DataError
from rankduel.base.text import with_line_feeds
from rankduel.letor_data.errors import LetorFormatError
from rankduel.letor_data.rankers.libraries import Model

MOST_NODES = 50_000_000
_RANKERS = ("MART", "LambdaMART")
_VERSION = 1  # increase it when the same file would give other scores
_MOST_FEATURES = 1_000_000
_COMMENTS = re.compile(r"(?:\s*##[^\n]*\n)*")
_SPACE = re.compile(r"\s*")
_TOKEN = re.compile(
    r"<(feature|threshold|output)>([^<>&]*)</\1>"
    r'|<(/?(?:ensemble|tree|split))((?:\s+\w+="[^"<>&]*")*)\s*>'
)
_WEIGHT = re.compile(r'\sweight="([^"]*)"')
_POSITION = re.compile(r'\spos="(left|right)"')
_VALUES = ("feature", "threshold", "output")
_COMPLETE = ({"output"}, {"feature", "threshold", "left", "right"})
_LEAF = -1
_LARGEST = float(np.finfo(np.float32).max)


class Trees(NamedTuple):
    """Nodes of all trees, tree by tree; children follow their parent."""

    roots: np.ndarray  # (n_trees,) int64
    weights: np.ndarray  # (n_trees,) float64
    features: np.ndarray  # (n_nodes,) int64, column of the matrix; -1 for a leaf
    thresholds: np.ndarray  # (n_nodes,) float32
    outputs: np.ndarray  # (n_nodes,) float64
    children: np.ndarray  # (n_nodes, 2) int64, left and right


def read_ranklib(content: bytes, where: str) -> Model:
    """Return a MART or LambdaMART ensemble in the format of RankLib's '-save'."""
    try:
        text = b"".join(with_line_feeds([content])).decode()
    except UnicodeDecodeError as problem:
        raise DataError(f"{where}: not UTF-8 text, at byte {problem.start + 1}") from None
    heading = re.match(r"\s*##[ \t]*([^\n]*?)[ \t]*\n", text)
    if heading is None or heading[1] not in _RANKERS:
        found = f"'{heading[1][:40]}'" if heading else "no such line"
        raise DataError(
            f"{where}: RankLib names the ranker in the first line, '## LambdaMART'; found {found}, expected "
            f"{' or '.join(_RANKERS)}"
        )
    trees = _Reader(text, where).read()

    def predict(rows: np.ndarray) -> np.ndarray:
        values = np.nan_to_num(rows.astype(np.float32), copy=False, nan=0.0)
        scores = np.zeros(len(rows))
        add_trees(values, *trees, scores)
        return scores

    n_features = int(trees.features.max(initial=_LEAF)) + 1
    return Model(n_features, lambda: nullcontext(predict), f"ranklib {_VERSION}", by_number=True)


@entry
def add_trees(values, roots, weights, features, thresholds, outputs, children, scores):
    """Add the weighted outputs of all trees for ``values[row]`` to ``scores[row]``."""
    for row in range(len(values)):
        for tree in range(len(roots)):
            node = roots[tree]
            while features[node] >= 0:
                right = values[row, features[node]] > thresholds[node]
                node = children[node, 1 if right else 0]
            scores[row] += weights[tree] * outputs[node]


class _Node(NamedTuple):
    """A split that is being read."""

    number: int
    seen: set[str]  # subset of feature, threshold, output, left, right


class _Reader:
    """Parser of the tags, without recursion, so that the depth of a tree is not limited."""

    def __init__(self, text: str, where: str) -> None:
        self._text, self._where = text, where
        self._start = self._stop = _COMMENTS.match(text).end()  # type: ignore[union-attr]
        self._tag = self._attributes = self._content = ""
        self._trees: list[tuple[int, float]] = []  # root, weight
        self._nodes: list[list[float]] = []  # feature, threshold, output
        self._children: list[list[int]] = []

    def read(self) -> Trees:
        self._take("ensemble")
        while self._next() == "tree":
            self._read_tree()
        if self._tag != "/ensemble" or not self._trees:
            raise self._error("expected <tree>, or </ensemble> after the last one")
        self._take("")
        roots, weights = np.array(self._trees).T
        features, thresholds, outputs = np.array(self._nodes).T.copy()
        return Trees(
            roots.astype(np.int64),
            weights.copy(),
            features.astype(np.int64),
            thresholds.astype(np.float32),
            outputs,
            np.array(self._children, np.int64),
        )

    def _read_tree(self) -> None:
        weight = _WEIGHT.search(self._attributes)
        if weight is None:
            raise self._error('expected a weight, as in <tree id="1" weight="0.1">')
        self._trees.append((len(self._nodes), self._number(weight[1])))
        self._take("split")
        nodes = [self._new_node()]
        while nodes:
            self._read_inside(nodes)
        self._take("/tree")

    def _read_inside(self, nodes: list[_Node]) -> None:
        """Read the next tag inside the innermost open split."""
        tag, node = self._next(), nodes[-1]
        if tag == "/split":
            if node.seen not in _COMPLETE:
                raise self._error(
                    "expected a split to have a feature, a threshold and two splits, or an output"
                )
            nodes.pop()
        elif tag == "split":
            position = _POSITION.search(self._attributes)
            if position is None:
                raise self._error('expected <split pos="left"> or <split pos="right">')
            self._see(node, position[1])
            nodes.append(self._new_node())
            self._children[node.number][position[1] == "right"] = nodes[-1].number
        elif tag in _VALUES:
            self._see(node, tag)
            self._nodes[node.number][_VALUES.index(tag)] = self._value(tag)
        else:
            raise self._error(f"expected {', '.join(_VALUES)}, split or the end of this split")

    def _value(self, tag: str) -> float:
        value = self._number(self._content)
        if tag != "feature":
            return value
        if value != int(value) or not 1 <= value <= _MOST_FEATURES:
            raise self._error(f"expected the number of a feature, from 1, not '{self._content.strip()[:40]}'")
        return value - 1

    def _number(self, text: str) -> float:
        try:
            value = float(text) if "_" not in text else math.nan  # Python alone reads 1_000
        except ValueError:
            value = math.nan
        if not abs(value) <= _LARGEST:
            raise self._error(f"expected a number of single precision, not '{text.strip()[:40]}'")
        return value

    def _see(self, node: _Node, what: str) -> None:
        if what in node.seen:
            raise self._error(f"expected '{what}' only once in a split")
        node.seen.add(what)

    def _new_node(self) -> _Node:
        if len(self._nodes) >= MOST_NODES:
            raise self._error(f"more than {MOST_NODES:,} splits")
        self._nodes.append([_LEAF, 0.0, 0.0])
        self._children.append([0, 0])
        return _Node(len(self._nodes) - 1, set())

    def _take(self, tag: str) -> None:
        if self._next() != tag:
            raise self._error(f"expected {f'<{tag}>' if tag else 'the end'}")

    def _next(self) -> str:
        """Read a tag, or a value with its tags; return its name, "" at the end."""
        self._start = _SPACE.match(self._text, self._stop).end()  # type: ignore[union-attr]
        if self._start == len(self._text):
            self._tag = ""
            return self._tag
        found = _TOKEN.match(self._text, self._start)
        if found is None:
            raise self._error(
                "expected one of RankLib's tags: ensemble, tree, split, feature, threshold, output"
            )
        self._stop = found.end()
        self._tag, self._content, self._attributes = found[1] or found[3], found[2] or "", found[4] or ""
        return self._tag

    def _error(self, problem: str) -> LetorFormatError:
        start = self._text.rfind("\n", 0, self._start) + 1
        line = self._text.count("\n", 0, self._start) + 1
        shown = self._text[start : start + 200].partition("\n")[0]
        return LetorFormatError(self._where, line, self._start - start + 1, problem, text=shown)
