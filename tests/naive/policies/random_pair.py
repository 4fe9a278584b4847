"""Random pairs: two arms drawn in every step."""

from naive.policies import pick, pick_from


class RandomPair:
    def __init__(self, n_arms, params, rng):
        self.n_arms, self.distinct, self.rng = n_arms, params.distinct, rng

    def select(self):
        first = pick(self.n_arms, self.rng)
        seconds = [arm for arm in range(self.n_arms) if arm != first or not self.distinct]
        return first, pick_from(seconds, self.rng)

    def update(self, first, second, first_won):
        pass


TWIN = RandomPair
