"""Agarwal, Ghuge and Nagarajan 2022 (NeurIPS), Algorithm 1, line by line: sets as in the paper."""

import math

from naive.policies import pick_from
from naive.policies.pcomp import Batched, kl


class C2b(Batched):
    def course(self):
        self.r = 1
        while len(self.active) > 1:
            d = self.d = self.defeated()
            most = max(map(len, d.values()))
            candidate = pick_from([i for i in sorted(self.active) if len(d[i]) == most], self.rng)
            pairs = set()
            for i in self.active - {candidate}:
                opponents = {candidate} if i in d[candidate] else self.active - {i}
                pairs |= {tuple(sorted((i, j))) for j in opponents}
            yield from self.batch(sorted(pairs), self.size(self.r))
            if self.params.elim == "kl":
                self.remove_by_kl()
            else:
                self.remove_by_hoeffding()
            self.r += 1
        yield from self.alone()

    def rate(self, i, j):
        n = self.w[i, j] + self.w[j, i]
        return (self.w[i, j] / n, n) if n else (0.5, 0)

    def defeated(self):
        """Return D(i) of every active i."""
        return {i: {j for j in self.active if i != j and self.defeats(i, j)} for i in self.active}

    def defeats(self, i, j):
        rate, n = self.rate(i, j)
        q = self.size(self.r - 1) if self.r > 1 else 1
        return n > 0 and rate > 0.5 + self.params.c_scale * math.sqrt(
            2 * math.log(2 * self.n_arms**2 * q) / n
        )

    def candidates(self):
        """Return the active arms that defeat most others, before this batch."""
        return {i for i in self.active if len(self.d[i]) == max(len(self.d[j]) for j in self.active)}

    def remove_by_hoeffding(self):
        losers, log = set(), math.log(self.n_arms**2 * self.n_batches * self.horizon)
        for j in self.active:
            for i in self.active - {j}:
                rate, n = self.rate(i, j)
                if n and rate > 0.5 + math.sqrt(log / (2 * n)):
                    losers.add(j)
        self.remove(losers)

    def remove_by_kl(self):
        divergence = []
        for i in range(self.n_arms):
            rates = [self.rate(i, j) for j in range(self.n_arms)]
            divergence.append(sum(n * kl(rate) for rate, n in rates if rate < 0.5))
        threshold = math.log(self.horizon) + 0.3 * self.n_arms**1.01
        stay = {i for i in self.active if divergence[i] - min(divergence) <= threshold}
        self.active = stay or {min(sorted(self.active), key=lambda i: divergence[i])}


TWIN = C2b
