"""Agarwal, Ghuge and Nagarajan 2022 (ICML), Algorithm 1, line by line, and parts of other batched twins."""

import math
from collections import Counter
from itertools import combinations

import numpy as np
from support.policies import fast, generators, with_horizon


def kl(p):
    """Return the relative entropy d(p, 1/2) in nats; 0 ln 0 is 0."""
    return sum(x * math.log(2 * x) for x in (p, 1 - p) if x > 0)


class Batched:
    """Play the pairs of the generator `course`, to which the outcomes are sent."""

    def __init__(self, n_arms, params, rng):
        self.n_arms, self.params, self.rng, self.horizon = n_arms, params, rng, params.horizon
        planned = params.batches or math.floor(math.log2(params.horizon))
        self.n_batches = max(planned + params.extra, 1)
        self.active = set(range(n_arms))
        self.w: Counter[tuple[int, int]] = Counter()  # w[i, j]: duels that i won against j, in all batches
        self.running = self.course()
        self.pair = next(self.running)

    def course(self):
        raise NotImplementedError

    def select(self):
        return self.pair

    def update(self, first, second, first_won):
        self.pair = self.running.send(first_won)

    def size(self, r):
        """Return T^(r / B), rounded down."""
        return math.floor(self.horizon ** (min(r, self.n_batches) / self.n_batches) + 1e-6)

    def batch(self, pairs, times):
        """Compare each pair `times` times, in sweeps; return w[i, j], the duels that i won against j."""
        w: Counter[tuple[int, int]] = Counter()
        for _ in range(times):
            for first, second in pairs:
                first_won = yield first, second
                won = (first, second) if first_won else (second, first)
                w[won] += 1
                self.w[won] += 1
        return w

    def alone(self):
        (arm,) = self.active
        while True:
            yield arm, arm

    def remove(self, losers):
        if losers != self.active:
            self.active = self.active - losers

    def recommend(self):
        """Return the remaining arm that leads most arms; of equals, by sum of win rates, then the lowest."""
        return max(sorted(self.candidates()), key=self.record)

    def candidates(self):
        return self.active

    def record(self, arm):
        pairs = [(self.w[arm, other], self.w[other, arm]) for other in range(self.n_arms)]
        return sum(won > lost for won, lost in pairs), sum(won / (won + lost) for won, lost in pairs if won)


class Pcomp(Batched):
    def course(self):
        yield from self.pcomp(tau=1)

    def log_odds(self):
        t, k = self.horizon, self.n_arms
        if self.params.elim == "hoeffding":
            return math.log(6 * t * k**2 * self.n_batches)
        return {"delta": math.log(t * k**2), "horizon": math.log(t), "arms": 2 * math.log(k)}[
            self.params.threshold
        ]

    def beats(self, w, i, j, radii):
        """Return whether P_ij > 1/2 + radii gamma, by the outcomes `w` of one batch."""
        c = w[i, j] + w[j, i]
        p = w[i, j] / c
        if self.params.elim == "kl":
            return p > 0.5 and c * kl(p) > self.log_odds()
        return p > 0.5 + radii * math.sqrt(self.log_odds() / (2 * c))

    def pcomp(self, tau):
        r = 1
        while len(self.active) > 1:
            w = yield from self.batch(list(combinations(sorted(self.active), 2)), self.size(r + tau - 1))
            self.remove(
                {j for j in self.active if any(self.beats(w, i, j, 1) for i in self.active if i != j)}
            )
            r += 1
        yield from self.alone()


def assert_same_duel_by_duel(twin, configured, prefs, n_steps, runs, seed=0):
    """Assert equal choices, survivors and recommendations after every step, without skipping."""
    for run in range(runs):
        trace = fast(configured, prefs, range(1, n_steps + 1), seed, run, fast_forward=False)
        rng, users = generators(seed, run)
        slow = twin(len(prefs), with_horizon(configured, n_steps), rng)
        chosen, answers = np.zeros((2, n_steps, len(prefs)), np.int64), []
        for row in range(n_steps):
            first, second = slow.select()
            real = first != second
            chosen[int(real), row, [first, second]] = 1
            slow.update(first, second, not real or users.random() < prefs[first, second])
            answers.append((len(slow.active), len(slow.active) == 1, slow.recommend()))
        where = f"run {run} of {configured} with {len(prefs)} arms"
        np.testing.assert_array_equal([trace.selves, trace.duels], chosen.cumsum(axis=1), where)
        ours = np.column_stack([trace.survivors, trace.finished, trace.recommended])
        np.testing.assert_array_equal(ours, answers, where)


TWIN = Pcomp
