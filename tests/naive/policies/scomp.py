"""Agarwal, Ghuge and Nagarajan 2022 (ICML), Algorithm 2, line by line."""

from itertools import combinations

from naive.policies import pick_from
from naive.policies.pcomp import Pcomp


class Scomp(Pcomp):
    def seeds(self):
        """Draw each arm with probability K^-power; again if no arm was drawn."""
        while True:
            chance = self.n_arms**-self.params.seed_power
            s = {arm for arm in range(self.n_arms) if self.rng.random() < chance}
            if s:
                return s

    def leads(self, w, j, i, radii):
        """Return whether j is ahead of i by `radii` radii; by relative entropy, any lead is enough."""
        if self.params.elim == "kl":
            return w[j, i] > w[i, j]
        return self.beats(w, j, i, radii)

    def course(self):
        s, r = self.seeds(), 1
        while len(self.active) > 1:
            s = s or {pick_from(sorted(self.active), self.rng)}
            pairs = [pair for pair in combinations(sorted(self.active), 2) if s & set(pair)]
            w = yield from self.batch(pairs, self.size(r))
            others = self.active - s
            if any(all(self.beats(w, j, i, 3) for i in s) for j in others):
                self.active = {j for j in others if all(self.leads(w, j, i, 1) for i in s)}
                yield from self.pcomp(tau=r)
            self.remove({j for j in self.active if any(self.beats(w, i, j, 3) for i in s if i != j)})
            s = s & self.active
            r += 1
        yield from self.alone()


TWIN = Scomp
