"""The random walk that goes to whom the current arm loses to; arms it visits often are good.

From arm i the walk moves to j with a chance proportional to the rate at which j beats i, and to i itself in
proportion to 1/2; with a chance of 0.02 it moves to any arm instead (Busa-Fekete et al., ICML 2013).

With Z the inverse of I - S + 11'/K, the shares of time spent are v = 1'Z / K, and the group inverse of I - S,
which tells how strongly they react to changes of S, is Z minus 1(v'Z).
"""

from rankduel.base.compiling import kernel

_DAMPING = 0.98


@kernel
def walk(rates, beaten, shares, table):
    """Fill `shares`. Returns the largest entry, in size, of the group inverse.

    rates[i, j]: the rate at which i beats j; beaten[i]: the sum of column i, with 1/2 for i itself.
    """
    n_arms = len(shares)
    for arm in range(n_arms):
        for other in range(n_arms):
            move = _DAMPING * rates[other, arm] / beaten[arm] + (1.0 - _DAMPING) / n_arms
            table[arm, other] = 1.0 / n_arms - move
            table[arm, n_arms + other] = 0.0
        table[arm, arm] += 1.0
        table[arm, n_arms + arm] = 1.0
    _eliminate(table)
    inverse = table[:, n_arms:]
    for arm in range(n_arms):
        shares[arm] = 0.0
        for other in range(n_arms):
            shares[arm] += inverse[other, arm] / n_arms
    largest = 0.0
    for column in range(n_arms):
        mean = 0.0
        for arm in range(n_arms):
            mean += shares[arm] * inverse[arm, column]
        for arm in range(n_arms):
            largest = max(largest, abs(inverse[arm, column] - mean))
    return largest


@kernel
def _eliminate(table):
    """Gauss and Jordan: (A, I) becomes (I, A^-1), each column by its largest entry left."""
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
