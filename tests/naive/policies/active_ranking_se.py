"""Active Ranking with elimination, Heckel et al. 2019, line by line: all means and radii in every round."""

import math

from naive.policies.active_ranking import Borda, beta


class Elimination(Borda):
    def radius(self, t):
        if self.params.radius == "paper":
            return 2 * math.sqrt(beta(self.n_arms, self.params.delta, t) / (2 * t))
        return math.sqrt(max(math.log(3 * self.n_arms * math.log(1.12 * t) / self.params.delta), 0) / t)

    def run(self, n_arms, params, rng):
        accepted, active, rejected, t = [], list(range(n_arms)), [], 0
        while self.k not in (len(accepted), len(accepted) + len(active)):
            t += 1
            pairs = [(i, self.other(i)) for i in active]
            outcomes = []
            for i, j in pairs:
                outcomes.append((yield i, j))
            for (i, _), i_won in zip(pairs, outcomes):
                self.results[i].append(i_won)
            active.sort(key=self.mean, reverse=True)
            places, radius = self.k - len(accepted), self.radius(t)
            beyond, inside = self.mean(active[places]), self.mean(active[places - 1])
            good = [i for i in active if self.mean(i) - beyond > radius]
            bad = [i for i in active if inside - self.mean(i) > radius]
            accepted, rejected = accepted + good, bad + rejected
            active = [i for i in active if i not in good + bad]
            self.order = accepted + active + rejected
        return self.provisional()

    def provisional(self):
        return self.order[: self.k]


TWIN = Elimination
