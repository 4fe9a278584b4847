"""Falahatgar et al. 2017, Algorithms 1 and 2, line by line."""

import math
from collections import Counter

from naive.policies.procedure import Procedure, shuffled


class Knockout(Procedure):
    def run(self, n_arms, params, rng):
        S, i = list(range(n_arms)), 1
        while len(S) > 1:
            S, winners, won = shuffled(S, rng), [], Counter()
            epsilon = (2 ** (1 / 3) - 1) * params.epsilon / (params.gamma**2 * 2 ** (i / 3))
            while len(S) > 1:
                self.still_in = winners + S
                first, second, *S = S
                winners.append((yield from self.compare(first, second, epsilon, params.delta / 2**i, won)))
            S = winners + S
            i += 1
        return S

    def compare(self, i, j, epsilon, delta, won):
        m, p, c, r = math.log(2 / delta) / (2 * epsilon**2), 0.5, 0.5, 0
        while abs(p - 0.5) <= c - epsilon and r <= m:
            won[i if (yield i, j) else j] += 1
            self.won = won  # wins of the current round
            r += 1
            p, c = won[i] / r, math.sqrt(math.log(4 * r**2 / delta) / (2 * r))
        return i if p > 0.5 else j

    def provisional(self):
        """Return the arms that are not eliminated and have most wins in this round."""
        most = max(self.won[arm] for arm in self.still_in)
        return [arm for arm in self.still_in if self.won[arm] == most]


TWIN = Knockout
