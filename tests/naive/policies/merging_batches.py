"""Batches as lists of lists, and every upper bound at every visit (Zoghi et al. 2015, Li et al. 2020)."""

import math
from decimal import Decimal

import numpy as np

from naive.policies import pick


class Batches:
    def __init__(self, n_arms, params, rng):
        self.params, self.rng, self.n_arms = params, rng, n_arms
        self.w = np.zeros((n_arms, n_arms))
        self.t, self.stage, self.c = 0, 1, params.c or self.formula()
        size, arms = params.batch, list(range(n_arms))
        n = max(1, n_arms // size) if params.partition == "floor" else -(-n_arms // size)
        self.batches = [arms[m * size : (m + 1) * size] for m in range(n - 1)] + [arms[(n - 1) * size :]]

    def formula(self):
        """Return C(epsilon), as a decimal number if no float is large enough."""
        alpha, epsilon = self.params.alpha, self.params.epsilon or 1 / self.params.horizon
        base, power = (4 * alpha - 1) * self.n_arms**2 / ((2 * alpha - 1) * epsilon), 1 / (2 * alpha - 1)
        try:
            return base**power
        except OverflowError:
            return Decimal(base) ** Decimal(power)

    def log_time(self):
        t = self.t + self.c
        return float(t.ln()) if isinstance(t, Decimal) else math.log(t)

    def n_left(self):
        return sum(map(len, self.batches))

    def bounds(self, batch, unvisited=2.0):
        """Return u[k, l], the upper bound on the probability that batch[k] beats batch[l], in step t."""
        w = self.w[np.ix_(batch, batch)] + self.params.w0
        n = w + w.T
        with np.errstate(divide="ignore", invalid="ignore"):
            u = np.where(n > 0, w / n + np.sqrt(self.params.alpha * self.log_time() / n), unvisited)
        np.fill_diagonal(u, 0.5)
        return u

    def begin_step(self):
        """Merge batches after the last step, advance the time, and return the number of the next batch."""
        limit = self.n_arms / 2**self.stage
        if self.params.stage_plus_one:
            limit = math.floor(limit) + 1
        if self.n_left() <= limit and len(self.batches) > 1:
            self.regroup()
            self.stage += 1
            self.t = 0 if self.params.reset_t else self.t
        self.t += 1
        return self.t % len(self.batches)

    def purge(self, m):
        batch = self.batches[m]
        losers, _ = np.nonzero(self.bounds(batch) < 0.5)
        if self.params.one_at_a_time and len(losers):
            chosen = None
            for n, loser in enumerate(losers, 1):
                if pick(n, self.rng) == 0:
                    chosen = loser
            batch.pop(chosen)
            self.purge(m)
        else:
            self.batches[m] = [arm for k, arm in enumerate(batch) if k not in losers]

    def join_to_next(self, m):
        heir = (m + 1) % len(self.batches)
        self.batches[heir] = self.batches[heir] + self.batches[m]
        del self.batches[m]
        return m % len(self.batches)

    def regroup(self):
        self.pair_up()
        half, smallest = self.params.batch / 2, min(map(len, self.batches))
        if len(self.batches) > 1 and (smallest < half or (self.params.stage_plus_one and smallest == half)):
            self.pair_up()

    def pair_up(self):
        old, new = self.batches, []
        for k in range(len(old) - 1, 0, -1):
            other = pick(k + 1, self.rng)
            old[k], old[other] = old[other], old[k]
        old.sort(key=len)
        i, j = 0, len(old) - 1
        while i < j:
            if len(old[i]) + len(old[j]) > 1.5 * self.params.batch:
                new.append(old[j])
            else:
                new.append(old[i] + old[j])
                i += 1
            j -= 1
        self.batches = new + ([old[i]] if i == j else [])

    def update(self, first, second, first_won):
        if first != second:
            self.w[(first, second) if first_won else (second, first)] += 1
