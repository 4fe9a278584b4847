"""Ailon et al. 2014, Sparring: two bandits; the bandit of the winner has reward 1, the other 0."""

from naive.policies import pick
from naive.policies.inner_bandits import Exp3, Thompson, Ucb


class Sparring:
    def __init__(self, n_arms, params, rng):
        self.rng, self.t = rng, 0
        horizon = params.horizon if params.schedule == "fixed" else 0
        make = {
            "ucb": lambda: Ucb(n_arms, params.alpha, rng),
            "thompson": lambda: Thompson(n_arms, rng),
            "exp3": lambda: Exp3(n_arms, horizon, rng),
        }[params.inner]
        self.left, self.right = make(), make()

    def select(self):
        self.t += 1
        x, y = self.left.advance(self.t), self.right.advance(self.t)
        self.coin = pick(2, self.rng) if x == y else None
        return x, y

    def update(self, first, second, first_won):
        o = int(first_won) if self.coin is None else self.coin
        self.left.feedback(first, o)
        self.right.feedback(second, 1 - o)


TWIN = Sparring
