"""Komiyama et al. 2015, Algorithms 1 to 3, line by line: all divergences in every step.

Sums are over the arms in order, and a divergence has the same expression as in the code under test, because
many divergences tie exactly, and the last bits decide between arms.
"""

import functools
import math

from naive.policies import pick, pick_from


@functools.cache
def n_times_d(won, lost):
    """Return N d(won / N, 1/2) for won <= lost."""
    n = won + lost
    if won == 0:
        return n * math.log(2)
    x = (lost - won) / n
    return 0.5 * n * (x * (math.log1p(x) - math.log1p(-x)) + math.log1p(-x * x))


class Rmed1:
    def __init__(self, n_arms, params, rng):
        self.params, self.rng, self.n_arms = params, rng, n_arms
        self.order = [int(arm) for arm in rng.permutation(n_arms)]
        self.f = params.f_scale * n_arms**params.f_power
        self.w = [[0] * n_arms for _ in range(n_arms)]
        self.t = 1
        self.steps = self.algorithm()

    def select(self):
        return next(self.steps)

    def update(self, first, second, first_won):
        self.t += 1
        if first != second:
            winner, loser = (first, second) if first_won else (second, first)
            self.w[winner][loser] += 1

    def algorithm(self):
        """Run Algorithm 1: yield the pairs."""
        arms = range(self.n_arms)
        pairs = [(i, j) for i in arms for j in arms if i < j]
        for _ in range(self.first_times()):
            yield from pairs
        self.after_first()
        current, remaining, following = self.order, set(arms), set()
        while True:
            for i, j in pairs:
                while self.n(i, j) < self.needed():
                    yield i, j
            if getattr(self.params, "random_order", False):
                self.shuffle(current)
            for arm in current:
                t = self.t
                self.compute_divergences()
                plausible = self.plausible(t)
                yield arm, self.opponent(arm)
                if self.params.j_after:
                    self.compute_divergences()
                    plausible = self.plausible(t)
                remaining = remaining - {arm}
                following = following | (plausible - remaining)
            current, remaining, following = sorted(following), following, set()

    def first_times(self):
        return 1

    def after_first(self):
        pass

    def needed(self):
        return 0

    def n(self, i, j):
        return self.w[i][j] + self.w[j][i]

    def mu(self, i, j):
        return self.w[i][j] / self.n(i, j) if self.n(i, j) else 0.5

    def divergence(self, i):
        total = 0.0
        for won, row in zip(self.w[i], self.w):
            lost = row[i]
            if won <= lost and won + lost > 0:
                total += n_times_d(won, lost)
        return total

    def compute_divergences(self):
        """Compute all divergences, and the arm with the smallest."""
        self.divergences = [self.divergence(i) for i in range(self.n_arms)]
        self.best = self.divergences.index(min(self.divergences))

    def plausible(self, t):
        least, bar = self.divergences[self.best], math.log(t) + self.f
        return {j for j, divergence in enumerate(self.divergences) if divergence - least <= bar}

    def opponents(self, arm):
        return [j for j in range(self.n_arms) if j != arm and self.mu(arm, j) <= 0.5]

    def opponent(self, arm):
        """Return the second arm by Algorithm 2."""
        opponents = self.opponents(arm)
        always_hardest = getattr(self.params, "competitor", "likeliest") == "hardest"
        if not opponents or (self.best in opponents and not always_hardest):
            return self.best
        lowest = min(self.mu(arm, j) for j in opponents)
        hardest = [j for j in opponents if self.mu(arm, j) == lowest]
        return pick_from(hardest, self.rng) if getattr(self.params, "random_order", False) else hardest[0]

    def shuffle(self, arms):
        for last in range(len(arms) - 1, 0, -1):
            place = pick(last + 1, self.rng)
            arms[last], arms[place] = arms[place], arms[last]


TWIN = Rmed1
