"""Busa-Fekete et al. 2013, sums of expectations, line by line: all bounds and sets after every round."""

from naive.policies.pbr import InRounds


class PbrBorda(InRounds):
    """PBR-SE, sum of expectations."""

    def __init__(self, n_arms, params, rng):
        super().__init__(n_arms, params, rng)
        self.selected, self.discarded = set(), set()

    def close_pairs(self):
        group = sorted({arm for pair in self.active for arm in pair})
        low, high = {}, {}
        for i in group:
            low[i] = sum(self.rate(i, j) - self.radius(i, j) for j in group if j != i) / (self.n_arms - 1)
            high[i] = sum(self.rate(i, j) + self.radius(i, j) for j in group if j != i) / (self.n_arms - 1)
        wanted = self.params.kappa - len(self.selected)
        more = 1 if self.params.rules == "literal" else 0
        selected = {i for i in group if sum(high[j] < low[i] for j in group) >= len(group) - wanted + more}
        discarded = {i for i in group if sum(high[i] < low[j] for j in group) >= wanted + more}
        self.selected |= selected
        self.discarded |= discarded - selected
        settled = self.selected | self.discarded
        self.active = [(i, j) for i, j in self.active if i not in settled and j not in settled]

    def scores(self):
        mean = [
            sum(self.rate(i, j) for j in range(self.n_arms) if j != i) / (self.n_arms - 1)
            for i in range(self.n_arms)
        ]
        return [(i in self.selected) - (i in self.discarded) + mean[i] / 2 for i in range(self.n_arms)]


TWIN = PbrBorda
