"""Ailon et al. 2014, Algorithm 2: one UCB per first arm; the second arm is the first of the next duel."""

from naive.policies import pick
from naive.policies.inner_bandits import Ucb


class MultiSbm:
    def __init__(self, n_arms, params, rng):
        self.bandits = [Ucb(n_arms, params.alpha, rng) for _ in range(n_arms)]
        self.own_clock, self.rng = params.sbm_clock == "own", rng
        self.y, self.t = pick(n_arms, rng), 0

    def select(self):
        self.t += 1
        bandit = self.bandits[self.y]
        x, y = self.y, bandit.advance(bandit.n.sum() + 1 if self.own_clock else self.t)
        self.coin = pick(2, self.rng) if x == y else None
        return x, y

    def update(self, first, second, first_won):
        self.bandits[first].feedback(second, int(not first_won) if self.coin is None else self.coin)
        self.y = second


TWIN = MultiSbm
