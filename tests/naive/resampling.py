"""Plain-Python twin of experiments/winners/resampling.py: one matrix per resample, in exact fractions."""

from fractions import Fraction
from itertools import combinations


def winners(by_query, n_rankers, times):
    """Return {notion: winners} of one resample, which contains query q `times[q]` times.

    `by_query[pair][q]` is the preference of query q alone; pairs are in the order (0, 1), (0, 2), ...
    """
    matrix = [[Fraction(1, 2)] * n_rankers for _ in range(n_rankers)]
    pair = 0
    for i in range(n_rankers):
        for j in range(i + 1, n_rankers):
            values = [Fraction(value) for value, n in zip(by_query[pair], times) for _ in range(n)]
            p = sum(values) / len(values)
            matrix[i][j], matrix[j][i] = p, 1 - p
            pair += 1
    beats = [sum(p > Fraction(1, 2) for p in row) for row in matrix]
    return {
        "condorcet": {i for i in range(n_rankers) if beats[i] == n_rankers - 1},
        "copeland": largest(beats),
        "borda": largest([sum(row) for row in matrix]),
        "random_walk": largest(random_walk(matrix)),
        "von_neumann": unbeaten_support(matrix),
    }


def largest(scores):
    return {i for i, score in enumerate(scores) if score == max(scores)}


def random_walk(matrix):
    """Return the stationary distribution of the walk that moves from i to j in proportion to matrix[j][i]."""
    size = len(matrix)
    moves = [
        [matrix[j][i] / sum(matrix[k][i] for k in range(size)) for j in range(size)] for i in range(size)
    ]
    balance = [[moves[i][j] - (i == j) for i in range(size)] for j in range(size - 1)]
    return solve([*balance, [1] * size], [0] * (size - 1) + [1])


def unbeaten_support(matrix):
    """Return the rankers with weight in a vertex of {w >= 0, sum of w = 1, w beats or ties every ranker}."""
    size = len(matrix)
    weights = [[int(i == j) for i in range(size)] for j in range(size)]
    payoffs = [[2 * matrix[i][j] - 1 for i in range(size)] for j in range(size)]
    support = set()
    for tight in combinations(weights + payoffs, size - 1):
        corner = solve([*tight, [1] * size], [0] * (size - 1) + [1])
        if corner and all(dot(side, corner) >= 0 for side in weights + payoffs):
            support |= {i for i in range(size) if corner[i]}
    return support


def dot(left, right):
    return sum(a * b for a, b in zip(left, right))


def solve(rows, values):
    """Solve linear equations by Gauss-Jordan elimination; return None unless the solution is unique."""
    size = len(rows)
    table = [[Fraction(x) for x in row] + [Fraction(value)] for row, value in zip(rows, values)]
    for column in range(size):
        pivot = next((row for row in range(column, size) if table[row][column]), None)
        if pivot is None:
            return None
        table[column], table[pivot] = table[pivot], table[column]
        table[column] = [x / table[column][column] for x in table[column]]
        for row in range(size):
            if row != column and table[row][column]:
                factor = table[row][column]
                table[row] = [x - factor * y for x, y in zip(table[row], table[column])]
    return [row[-1] for row in table]
