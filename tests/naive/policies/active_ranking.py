"""Active Ranking, Heckel et al. 2019, line by line: means, radii and order computed in every step."""

import math

from naive.policies import pick_from
from naive.policies.procedure import Procedure


def beta(n_arms, delta, n):
    scale = math.log(n_arms / delta)
    return max(scale + 0.75 * math.log(scale) + 1.5 * math.log(1 + math.log(n / 2)), 0)


class Borda(Procedure):
    """Store the results of each arm against random opponents in a list."""

    def __init__(self, n_arms, params, rng):
        self.n_arms, self.params, self.rng, self.k = n_arms, params, rng, min(params.k, n_arms)
        self.results = [[] for _ in range(n_arms)]
        self.order = list(range(n_arms))
        super().__init__(n_arms, params, rng)

    def other(self, i):
        return pick_from([j for j in range(self.n_arms) if j != i], self.rng)

    def sample(self, i):
        self.results[i].append((yield i, self.other(i)))

    def mean(self, i):
        return sum(self.results[i]) / len(self.results[i]) if self.results[i] else 0.0


class Lucb(Borda):
    def radius(self, i):
        n = len(self.results[i])
        square = 3 if self.params.radius == "coded" else beta(self.n_arms, self.params.delta, n)
        return math.sqrt(square / (2 * n))

    def run(self, n_arms, params, rng):
        if self.k == n_arms:
            return self.order
        for i in range(n_arms):
            yield from self.sample(i)
        while True:
            self.order.sort(key=self.mean, reverse=True)  # a stable sort, also with reverse=True
            a = min(self.order[: self.k], key=lambda i: self.mean(i) - self.radius(i))
            b = max(self.order[self.k :], key=lambda i: self.mean(i) + self.radius(i))
            if self.mean(a) - self.radius(a) > self.mean(b) + self.radius(b):
                return self.order[: self.k]
            yield from self.sample(a)
            yield from self.sample(b)

    def provisional(self):
        return sorted(self.order, key=self.mean, reverse=True)[: self.k]


TWIN = Lucb
