"""RMED2, Komiyama et al. 2015, Algorithms 1 and 3, line by line: all divergences in every step."""

import math

from naive.policies.rmed1 import Rmed1, n_times_d


def log_log(t):
    return math.log(math.log(t)) if t >= 2 else -math.inf


class Rmed2(Rmed1):
    def needed(self):
        return self.params.alpha * log_log(self.t)

    def cheapest(self, i):
        def cost(j):
            regret = max(self.mu(self.best, i) + self.mu(self.best, j) - 1.0, self.params.floor)
            return regret / (n_times_d(self.w[i][j], self.w[j][i]) / self.n(i, j))

        losing = [j for j in range(self.n_arms) if j != i and self.mu(i, j) < 0.5]
        return min(losing, key=cost, default=None)

    def cheap_opponent(self, arm):
        return self.cheapest(arm), log_log(self.t)

    def opponent(self, arm):
        """Return the second arm by Algorithm 3."""
        cheap, log_log_time = self.cheap_opponent(arm)
        if cheap in self.opponents(arm):
            n_best = math.inf if arm == self.best else self.n(arm, self.best)
            if log_log_time <= 0 or n_best >= self.n(arm, cheap) / log_log_time:
                return cheap
        return super().opponent(arm)


TWIN = Rmed2
