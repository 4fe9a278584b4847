"""Komiyama et al. 2016, Algorithm 1, line by line: all conditions are listed and tested in every step.

Values that are equal up to rounding count as equal, as in the code under test, because evidence may equal ln
t exactly. Costs that are sorted often tie, so they have the same expression in both.
"""

import functools
import math
from itertools import combinations

import numpy as np
from scipy.optimize import linprog

EPSILON = 1e-12


def d(won, lost):
    """Return the relative entropy of won / N and 1/2."""
    if min(won, lost) == 0:
        return (won + lost) * math.log(2) / (won + lost)
    n = won + lost
    x = abs(lost - won) / n
    return 0.5 * n * (x * (math.log1p(x) - math.log1p(-x)) + math.log1p(-x * x)) / n


class Preferences:
    """Estimates from the wins: superiors, inferiors, losses, candidates and divergences."""

    def __init__(self, wins):
        self.w, self.arms = wins, range(len(wins))
        self.superiors = [[j for j in self.arms if wins[i][j] < wins[j][i]] for i in self.arms]
        self.inferiors = [[j for j in self.arms if wins[i][j] > wins[j][i]] for i in self.arms]
        self.losses = [len(superiors) for superiors in self.superiors]
        self.l1, self.l2 = sorted(self.losses)[:2]
        self.candidates = [i for i in self.arms if self.losses[i] == self.l1]
        self.pairs = [(i, j) for i in self.arms for j in range(i)]

    def n(self, i, j):
        return self.w[i][j] + self.w[j][i]

    def d(self, i, j):
        return d(self.w[i][j], self.w[j][i]) if self.n(i, j) else 0.0

    def r(self, i, j):
        return (self.losses[i] + self.losses[j] - 2 * self.l1) / (2 * (len(self.arms) - 1))

    def conditions(self, i1):
        """Return the sets of pairs whose evidence must add up to ln t to confirm i1."""
        found = set()
        for i2 in self.arms:
            if i2 == i1:
                continue
            for bar in range(max(0, self.l1 - 1), self.l2 + 1):
                for lost in combinations(self.inferiors[i1], bar + 1 - self.l1):
                    size = max(0, self.losses[i2] - bar - (i2 in lost))
                    for won in combinations([j for j in self.superiors[i2] if j != i1], size):
                        turned = [(i1, j) for j in lost] + [(i2, j) for j in won]
                        found.add(frozenset((max(pair), min(pair)) for pair in turned))
        return found

    def has_enough(self, i1, log_time):
        """Return whether {N / ln t} is in R_i1."""
        x = {pair: self.n(*pair) * self.d(*pair) for pair in self.pairs}
        if any(evidence > log_time + EPSILON for evidence in x.values()):
            return False
        return all(sum(x[pair] for pair in turned) >= log_time - EPSILON for turned in self.conditions(i1))

    def cost(self, q):
        return sum(self.r(*pair) * q[pair] for pair in q)


class CwRmed:
    def __init__(self, n_arms, params, rng):
        self.params, self.n_arms, self.t = params, n_arms, 1
        self.w = [[0] * n_arms for _ in range(n_arms)]
        self.steps = self.algorithm()

    def select(self):
        return next(self.steps)

    def update(self, first, second, first_won):
        if first != second:
            winner, loser = (first, second) if first_won else (second, first)
            self.w[winner][loser] += 1

    def algorithm(self):
        """Yield the pairs; the outcome of a pair is recorded before the generator continues."""
        pairs = [(i, j) for i in range(self.n_arms) for j in range(i)]
        current, remaining = pairs, set(pairs)
        following: set[tuple[int, int]] = set()
        while True:
            quiet = False
            while not quiet:
                quiet = True
                for i, j in pairs:
                    if self.must_explore(i, j):
                        yield i, j
                        self.t += 1
                        quiet = self.params.sweep == "once"
            for pair in current:
                yield pair
                necessary = self.necessary()
                remaining = remaining - {pair}
                following = following | (necessary - remaining)
                self.t += 1
            current, remaining, following = sorted(following), following, set()

    def must_explore(self, i, j):
        log_time = math.log(self.t) if self.t > 1 else 1e-9
        n = self.w[i][j] + self.w[j][i]
        mu = self.w[i][j] / n if n else 0.5
        log_log = max(1.0, math.log(log_time)) if self.t > 2 else 1.0
        return n < self.params.alpha * math.sqrt(log_time) or abs(mu - 0.5) < self.params.beta / log_log

    def necessary(self):
        log_time = math.log(self.t)
        seen = Preferences(self.w)
        for i1 in seen.candidates:
            if seen.has_enough(i1, log_time):
                return {(i1, i1)}
        best, least, q = None, math.inf, {}
        for i1 in seen.candidates:
            planned = self.plan(seen, i1)
            cost = seen.cost(planned)
            if cost < least * (1 - EPSILON):
                best, least, q = i1, cost, planned
        behind = {
            pair
            for pair in q
            if q[pair] > EPSILON
            and seen.n(*pair) * seen.d(*pair) < log_time * q[pair] * seen.d(*pair) - EPSILON
        }
        return behind | {(best, best)}

    def plan(self, seen, i1):
        return dict(optimal_plan(tuple(map(tuple, seen.w)), i1))


@functools.cache
def optimal_plan(wins, i1):
    """Return ((pair, q), ...) of the linear program; costs are perturbed so that the solution is unique."""
    seen = Preferences(wins)
    usable = [(number, pair) for number, pair in enumerate(seen.pairs) if seen.d(*pair) > 0]
    conditions = seen.conditions(i1)
    if not conditions:
        return ()
    hair = {pair: 1e-6 * (1 + number * 0.6180339887498949 % 1) for number, pair in usable}
    # In the unknowns x = q d every coefficient of a condition is 0 or 1.
    costs = [(seen.r(*pair) + hair[pair]) / seen.d(*pair) for _, pair in usable]
    rows = np.array([[-float(pair in turned) for _, pair in usable] for turned in conditions])
    solved = linprog(
        costs,
        rows,
        -np.ones(len(rows)),
        bounds=(0, 1),
        method="highs-ds",
        options={"dual_feasibility_tolerance": 1e-10, "primal_feasibility_tolerance": 1e-10},
    )
    assert solved.status == 0 and solved.x is not None
    return tuple((pair, x / seen.d(*pair)) for (_, pair), x in zip(usable, solved.x))


TWIN = CwRmed
