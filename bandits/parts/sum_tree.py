"""Weights of arms for proportional draws: a binary tree in which every node is the sum of its two children.

A change or a draw takes as many steps as the tree has levels. Nodes are sums of nonnegative numbers and never
differences of earlier sums, so they remain as precise as the weights after any number of changes. Node 1 is
the root, nodes 2n and 2n + 1 are the children of n, and the leaves fill the second half of the array.
"""

import numpy as np

from rankduel.base.compiling import kernel


def new_tree(n_arms: int) -> np.ndarray:
    """Return a tree for `n_arms` arms, all of weight 1."""
    leaves = 1 << max(n_arms - 1, 1).bit_length()
    tree = np.zeros(2 * leaves)
    tree[leaves : leaves + n_arms] = 1.0
    add_up(tree)
    return tree


@kernel
def add_up(tree):
    """Compute all sums from the weights."""
    for node in range(len(tree) // 2 - 1, 0, -1):
        tree[node] = tree[2 * node] + tree[2 * node + 1]


@kernel
def set_weight(tree, arm, weight):
    """Set the weight of `arm`, and update the sums above it."""
    node = len(tree) // 2 + arm
    tree[node] = weight
    while node > 1:
        node >>= 1
        tree[node] = tree[2 * node] + tree[2 * node + 1]


@kernel
def draw(tree, number):
    """Return the arm at `number` in [0, 1) of the cumulative weights; its weight is above 0."""
    leaves, node = len(tree) // 2, 1
    rest = number * tree[1]
    while node < leaves:
        node *= 2
        # After rounding, `rest` may exceed the total weight on the right; a weight of 0 must not be drawn.
        if rest >= tree[node] and tree[node + 1] > 0.0:
            rest -= tree[node]
            node += 1
    return node - leaves
