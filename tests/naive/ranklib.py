"""Scores of RankLib ensembles; a tree is an output, or (feature from 1, threshold, left, right)."""

import math

import numpy as np


def ensemble_score(trees, row):
    """Return the weighted sum of tree outputs for one document; trees are pairs of weight and tree."""
    return sum(weight * tree_output(tree, row) for weight, tree in trees)


def tree_output(tree, row):
    if not isinstance(tree, tuple):
        return tree
    feature, threshold, left, right = tree
    value = 0.0 if math.isnan(row[feature - 1]) else row[feature - 1]
    return tree_output(left if np.float32(value) <= np.float32(threshold) else right, row)


def ensemble_text(trees):
    """Return the file that RankLib would write."""
    lines = ["## LambdaMART", f"## No. of trees = {len(trees)}", "", "<ensemble>"]
    for number, (weight, tree) in enumerate(trees, 1):
        lines += [f'\t<tree id="{number}" weight="{weight}">', *_split_lines(tree, "", 2), "\t</tree>"]
    return "\n".join([*lines, "</ensemble>", ""])


def _split_lines(tree, position, depth):
    indent = "\t" * depth
    attribute = f' pos="{position}"' if position else ""
    if not isinstance(tree, tuple):
        inside = [f"{indent}\t<output> {tree} </output>"]
    else:
        feature, threshold, left, right = tree
        inside = [
            f"{indent}\t<feature> {feature} </feature>",
            f"{indent}\t<threshold> {threshold} </threshold>",
            *_split_lines(left, "left", depth + 1),
            *_split_lines(right, "right", depth + 1),
        ]
    return [f"{indent}<split{attribute}>", *inside, f"{indent}</split>"]
