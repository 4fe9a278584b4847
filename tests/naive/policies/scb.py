"""SCB, Zoghi et al. 2015, as a generator of duels: both bounds of every arm after every sweep."""

import math
from itertools import count

from naive.policies import pick_from


class RoundOver(Exception):
    """Raised when all steps of a round were played."""


class Scb:
    def __init__(self, n_arms, params, rng):
        self.arms, self.params, self.rng = range(n_arms), params, rng
        self.script, self.won = self.rounds(), None

    def select(self):
        return self.script.send(self.won)

    def update(self, first, second, first_won):
        self.won = bool(first_won)

    def rounds(self):
        for r in count(1):
            self.length = self.steps_left = self.params.first_round ** (2 ** (r - 1))
            try:
                winner = yield from self.search(math.log(self.length) / self.length)
                while True:
                    yield from self.duel(winner, winner)
            except RoundOver:
                pass

    def duel(self, i, j):
        won = yield i, j
        self.steps_left -= 1
        if self.steps_left == 0:
            raise RoundOver
        return won

    def search(self, delta):
        beats = {}  # (i, j) -> whether i beats j, for decided pairs
        left, n, s = set(self.arms), dict.fromkeys(self.arms, 0), dict.fromkeys(self.arms, 0)
        while True:
            for i in sorted(left):
                j = pick_from([j for j in self.arms if j != i], self.rng)
                if (i, j) not in beats:
                    beats[i, j] = yield from self.decide(i, j, delta)
                    beats[j, i] = not beats[i, j]
                s[i] += beats[i, j]
                n[i] += 1
            tau = sum(n.values())
            if self.params.limits == "delta":
                limit = math.log(4 * tau * len(self.arms) / delta) + 2 * math.log(math.log(max(tau, 3)))
            else:
                limit = math.log(4 * self.length * len(self.arms)) + self.log_log()
            limit *= self.params.scale
            lcb = {i: end_of_interval(s[i], n[i], limit, 0) for i in left}
            ucb = {i: end_of_interval(s[i], n[i], limit, 1) for i in left}
            left = {i for i in left if ucb[i] >= max(lcb.values())}
            if len(left) == 1:
                return left.pop()
            if all((i, j) in beats for i in left for j in self.arms if j != i):
                score = {i: sum(beats[i, j] for j in self.arms if j != i) for i in left}
                return pick_from([i for i in sorted(left) if score[i] == max(score.values())], self.rng)

    def log_log(self):
        steps = self.length - self.steps_left
        return 2 * max(1, math.log(max(1, math.log(steps))))

    def decide(self, i, j, delta):
        """Duel i and j until decided; return whether i beats j."""
        wins, scale = 0, self.params.scale
        for n in count(1):
            wins += yield from self.duel(i, j)
            if self.params.limits == "delta":
                limit = scale * math.log(4 * n**2 * len(self.arms) ** 2 / delta)
            else:
                limit = scale * (
                    math.log(4 * (self.length - self.steps_left) * len(self.arms)) + self.log_log()
                )
            if self.params.pair_test == "kl":
                decided = n * kl(wins / n, 0.5) > limit
            else:
                decided = abs(wins / n - 0.5) > math.sqrt(limit / (2 * n))
            if decided:
                return wins > n / 2


def end_of_interval(s, n, limit, end):
    """Return the q nearest to `end` (0 or 1) with n d(s / n, q) <= limit, by bisection."""
    inside, outside = s / n, float(end)
    for _ in range(50):
        q = (inside + outside) / 2
        if n * kl(s / n, q) <= limit:
            inside = q
        else:
            outside = q
    return inside


def kl(p, q):
    """Return the relative entropy d(p, q) of two Bernoulli distributions, possibly infinite."""
    pairs = [(a, b) for a, b in ((p, q), (1 - p, 1 - q)) if a > 0]
    return sum(a * math.log(a / b) for a, b in pairs) if all(b > 0 for _, b in pairs) else math.inf


TWIN = Scb
