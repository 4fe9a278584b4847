"""Yan 2022, Figure 3.2, line by line: pairs are a set, and scores are counted from all judgments.

The best k are those of prefj.py in the public code of Clarke et al. 2021: sort by score, take the first k and
all that are tied with the last of them, and leave out those with score 0.
"""

from itertools import combinations

from naive.policies import pick, pick_from
from naive.policies.procedure import Procedure


def draw_pairs(pool, n, rng):
    """Draw pairs until every item has `n` opponents, or all other items; return them in random order."""
    n = min(n, len(pool) - 1)
    order, edges = [], set()
    while True:
        degree = {i: sum(i in edge for edge in edges) for i in pool}
        v = pick_from([i for i in pool if degree[i] == min(degree.values())], rng)
        if degree[v] >= n:
            return order
        free = [i for i in pool if i != v and frozenset((i, v)) not in edges]
        w = pick_from([i for i in free if degree[i] == min(degree[j] for j in free)], rng)
        edges.add(frozenset((v, w)))
        insert_anywhere(order, (v, w), rng)


def insert_anywhere(order, pair, rng):
    """Insert a pair at a random place, and move the pair there to the end: an unbiased shuffle."""
    place = pick(len(order) + 1, rng)
    order.append(pair)
    order[place], order[-1] = order[-1], order[place]


class PrefBest(Procedure):
    def run(self, n_arms, params, rng):
        self.k, n, m, extra = params
        self.pool, self.judged, self.final = list(range(n_arms)), [], False
        for _ in range(50):
            if len(self.pool) <= m:
                break
            yield from self.judge(draw_pairs(self.pool, n, rng))
            self.pool = [i for i in self.pool if self.rate(i) >= 0.5]
        if len(self.pool) > 1:
            order = []
            for i, j in sorted(combinations(self.pool, 2), key=lambda pair: pair[::-1]):
                insert_anywhere(order, (i, j), rng)
            yield from self.judge(order * (1 + extra), final=True)
        return self.provisional()

    def judge(self, pairs, final=False):
        for number, (i, j) in enumerate(pairs):
            i_won = yield i, j
            if number == 0:
                self.judged, self.final = [], final
            self.judged.append((i, j) if i_won else (j, i))

    def wins(self, i):
        return sum(winner == i for winner, _ in self.judged)

    def rate(self, i):
        judged = sum(i in pair for pair in self.judged)
        return self.wins(i) / judged if judged else 0.5

    def provisional(self):
        score = self.wins if self.final else self.rate
        ranked = sorted(self.pool, key=score, reverse=True)
        best = ranked[: self.k] + [i for i in ranked[self.k :] if score(i) == score(ranked[self.k - 1])]
        return [i for i in best if score(i) > 0] or best  # before the first judgment all have score 0

    def scores(self):
        """Return the wins of the finalists; 1 for an item that is left alone."""
        if self.final:
            return {i: self.wins(i) for i in self.pool}
        return {i: 1 for i in self.pool if len(self.pool) == 1}


TWIN = PrefBest
