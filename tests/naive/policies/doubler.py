"""Ailon et al. 2014, Algorithm 1: epochs of 2, 4, 8, ... steps, a list of arms, and a new UCB in each."""

from naive.policies import pick, pick_from
from naive.policies.inner_bandits import Ucb


class Doubler:
    def __init__(self, n_arms, params, rng):
        self.make, self.rng = (lambda: Ucb(n_arms, params.alpha, rng)), rng
        self.own_clock = params.sbm_clock == "own"
        self.opponents, self.played, self.bandit = [pick(n_arms, rng)], [], self.make()
        self.epoch, self.t = 1, 0

    def select(self):
        self.t += 1
        x = pick_from(sorted(self.opponents), self.rng)
        y = self.bandit.advance(len(self.played) + 1 if self.own_clock else self.t)
        self.coin = pick(2, self.rng) if x == y else None
        return x, y

    def update(self, first, second, first_won):
        self.bandit.feedback(second, int(not first_won) if self.coin is None else self.coin)
        self.played.append(second)
        if len(self.played) == 2**self.epoch:
            self.opponents, self.played, self.bandit = self.played, [], self.make()
            self.epoch += 1


TWIN = Doubler
