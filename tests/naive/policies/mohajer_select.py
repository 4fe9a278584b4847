"""Mohajer, Suh and Elmahdy 2017, Algorithm 1, line by line, with lists that are split and copied."""

from naive.policies.mohajer import Mohajer


class Select(Mohajer):
    def run(self, n_arms, params, rng):
        return [(yield from self.bracket(rng.permutation(n_arms).tolist()))]

    def provisional(self):
        return [max(self.slots, key=self.wins.__getitem__)]


TWIN = Select
