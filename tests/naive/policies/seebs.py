"""Ren et al. 2020, SEEBS, line by line."""

import math

from naive.policies.tournament_k import DOWN, TournamentK, distribute_item


class Seebs(TournamentK):
    def __init__(self, n_arms, params, rng):
        self.winner = None
        super().__init__(n_arms, params, rng)

    def run(self, n_arms, params, rng):
        R, t = list(range(n_arms)), 1
        while len(R) > 1:
            alpha, delta, self.left = 2**-t, 6 * params.delta / (math.pi * t) ** 2, set(R)
            (v,) = yield from self.tournament(R, 1, alpha / 3, 2 * delta / 3, rng)
            self.winner, worse = v, []
            for i in R:
                if i != v:
                    group = yield from distribute_item(i, v, alpha / 3, delta / 3, down=alpha / 3)
                    if group == DOWN:
                        worse.append(i)
            R, t = [i for i in R if i not in worse], t + 1
        return R

    def provisional(self):
        """Return the last winner; before the first, the arm that has won most duels."""
        return super().provisional() if self.winner is None else [self.winner]


TWIN = Seebs
