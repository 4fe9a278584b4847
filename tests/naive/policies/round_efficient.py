"""Lin and Lu 2018, line by line: totals are summed over all results in every round."""

import math

from naive.policies.procedure import Procedure, shuffled


class RoundEfficient(Procedure):
    def run(self, n_arms, params, rng):
        self.left, self.results, t = list(range(n_arms)), [], 0
        while len(self.left) > 1:
            t += 1
            n, order = len(self.left), shuffled(self.left, rng)
            weight = 2 * (n - 1) / n if n % 2 == 0 else 2
            for i, j in zip(order[::2], order[1::2]):
                winner = i if (yield i, j) else j
                self.results.append((winner, weight))
            radius = math.sqrt(18 / t * math.log(2 * n_arms * t**2 / params.delta))
            most = max(map(self.total, self.left))
            self.left = [i for i in self.left if self.total(i) >= most - t * radius]
        return self.left

    def total(self, i):
        return sum(weight for winner, weight in self.results if winner == i)

    def provisional(self):
        return [i for i in self.left if self.total(i) == max(map(self.total, self.left))]


TWIN = RoundEfficient
