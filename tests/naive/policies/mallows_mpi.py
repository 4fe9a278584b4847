"""Busa-Fekete et al. 2014, Algorithm 1, line by line."""

import math

from naive.policies.procedure import Anchored


class MallowsMpi(Anchored):
    def run(self, n_arms, params, rng):
        self.anchor, *others = rng.permutation(n_arms).tolist()
        for j in others:
            n, w, c = 0, 0, math.inf
            while n == 0 or w / n - c <= 0.5 <= w / n + c:
                w += yield j, self.anchor
                n += 1
                c = math.sqrt(math.log(4 * n_arms * n**2 / params.delta) / (2 * n))
            if w / n > 0.5:
                self.anchor = j
        return [self.anchor]


TWIN = MallowsMpi
