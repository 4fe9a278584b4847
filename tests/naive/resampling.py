"""Plain-Python twin of experiments.winners.resampling: one matrix per resample, one ranker at a time."""


def winners(by_query, n_rankers, times):
    """(Condorcet, Copeland, Borda winners) of one resample, in which query q is `times[q]` times.

    `by_query[pair][q]` is the preference of query q alone; pairs as (0, 1), (0, 2), ...
    """
    matrix = [[0.5] * n_rankers for _ in range(n_rankers)]
    pair = 0
    for i in range(n_rankers):
        for j in range(i + 1, n_rankers):
            values = [value for value, n in zip(by_query[pair], times) for _ in range(n)]
            p = sum(values) / len(values)
            matrix[i][j], matrix[j][i] = p, 1 - p
            pair += 1
    beats = [sum(p > 0.5 + 1e-6 for p in row) for row in matrix]
    borda = [sum(row) for row in matrix]
    return (
        {i for i in range(n_rankers) if beats[i] == n_rankers - 1},
        {i for i in range(n_rankers) if beats[i] == max(beats)},
        {i for i in range(n_rankers) if borda[i] > max(borda) - 1e-6 * n_rankers},
    )
