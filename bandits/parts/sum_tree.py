"""Weights kept for drawing an arm in proportion: a binary tree in which every node is the sum of its two.

One change or one draw costs as many steps as the tree has levels. Sums are always of positive numbers and
never differences of earlier sums, so they stay as precise as the weights, however many changes there were.
Node 1 is the root, nodes 2n and 2n + 1 are below n, and the leaves fill the second half.
"""

import numpy as np

from rankduel.base.compiling import kernel


def new_tree(n_arms: int) -> np.ndarray:
    """A tree for so many arms, all weights 1."""
    leaves = 1 << max(n_arms - 1, 1).bit_length()
    tree = np.zeros(2 * leaves)
    tree[leaves : leaves + n_arms] = 1.0
    add_up(tree)
    return tree


@kernel
def add_up(tree):
    """Make the sums right after the leaves were written."""
    for node in range(len(tree) // 2 - 1, 0, -1):
        tree[node] = tree[2 * node] + tree[2 * node + 1]


@kernel
def set_weight(tree, arm, weight):
    node = len(tree) // 2 + arm
    tree[node] = weight
    while node > 1:
        node >>= 1
        tree[node] = tree[2 * node] + tree[2 * node + 1]


@kernel
def draw(tree, number):
    """The arm at `number`, uniform in [0, 1), of the weights laid end to end; one with a weight above 0."""
    leaves, node = len(tree) // 2, 1
    left = number * tree[1]
    while node < leaves:
        node *= 2
        # Rounding may leave more than there is on the right: never go where there is nothing.
        if left >= tree[node] and tree[node + 1] > 0.0:
            left -= tree[node]
            node += 1
    return node - leaves
