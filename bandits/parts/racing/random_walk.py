"""The random walk of PBR-RW, which moves from an arm to the arms that beat it.

Busa-Fekete, Szorenyi, Weng, Cheng and Hullermeier, "Top-k Selection based on Adaptive Sampling of Noisy
Preferences", ICML 2013. From arm i the walk moves to j with a probability proportional to the rate at which j
beats i, where i itself counts 1/2; with probability 0.02 it moves to a uniformly drawn arm instead. S is the
matrix of these probabilities.

With Z the inverse of I - S + 11'/K, the stationary distribution is v = 1'Z / K, and the group inverse of
I - S, which bounds how much v changes with S, is Z - 1(v'Z).
"""

from rankduel.base.compiling import kernel

_DAMPING = 0.98


@kernel
def solve_walk(rates, beaten, shares, table):
    """Write the stationary distribution to `shares`; return the largest absolute entry of the group inverse.

    rates[i, j] is the rate at which i beats j, and 1/2 for i = j; beaten[i] is the sum of column i. `table`,
    (arms, 2 arms), is workspace.
    """
    n_arms = len(shares)
    _fill_table(rates, beaten, table)
    _eliminate(table)
    inverse = table[:, n_arms:]
    for arm in range(n_arms):
        shares[arm] = 0.0
        for other in range(n_arms):
            shares[arm] += inverse[other, arm] / n_arms
    return _largest_of_group_inverse(inverse, shares)


@kernel
def _fill_table(rates, beaten, table):
    """Write I - S + 11'/K to the left half of the table, and I to the right half."""
    n_arms = len(beaten)
    for arm in range(n_arms):
        for other in range(n_arms):
            move = _DAMPING * rates[other, arm] / beaten[arm] + (1.0 - _DAMPING) / n_arms
            table[arm, other] = 1.0 / n_arms - move
            table[arm, n_arms + other] = 0.0
        table[arm, arm] += 1.0
        table[arm, n_arms + arm] = 1.0


@kernel
def _largest_of_group_inverse(inverse, shares):
    n_arms, largest = len(shares), 0.0
    for column in range(n_arms):
        mean = 0.0
        for arm in range(n_arms):
            mean += shares[arm] * inverse[arm, column]
        for arm in range(n_arms):
            largest = max(largest, abs(inverse[arm, column] - mean))
    return largest


@kernel
def _eliminate(table):
    """Turn (A, I) into (I, A^-1) by Gauss-Jordan elimination with partial pivoting."""
    n_rows, n_columns = table.shape
    for step in range(n_rows):
        pivot = step
        for row in range(step + 1, n_rows):
            if abs(table[row, step]) > abs(table[pivot, step]):
                pivot = row
        for column in range(n_columns):
            table[step, column], table[pivot, column] = table[pivot, column], table[step, column]
        scale = table[step, step]
        for column in range(n_columns):
            table[step, column] /= scale
        for row in range(n_rows):
            factor = table[row, step]
            if row != step:
                for column in range(n_columns):
                    table[row, column] -= factor * table[step, column]
