"""Parts of SELECT and TOP, Mohajer, Suh and Elmahdy 2017, with lists that are split and copied."""

from naive.policies.procedure import Procedure


class Mohajer(Procedure):
    """Matches of a layer: one comparison of each match in turn, then the next of each."""

    def __init__(self, n_arms, params, rng):
        self.wins, self.m = [0] * n_arms, params.m
        super().__init__(n_arms, params, rng)

    def matches(self, pairs):
        """Return, for each pair, whether the first arm wins at least half of the m comparisons."""
        won = [0] * len(pairs)
        for _ in range(self.m):
            for number, (i, j) in enumerate(pairs):
                i_won = yield i, j
                won[number] += i_won
                self.wins[i if i_won else j] += 1
        return [2 * wins >= self.m for wins in won]

    def bracket(self, slots):
        """Run SELECT with these slots; return the winner."""
        self.slots = slots
        while len(self.slots) > 1:
            pairs = list(zip(self.slots[::2], self.slots[1::2]))
            bye = self.slots[len(self.slots) - len(self.slots) % 2 :]
            first_wins = yield from self.matches(pairs)
            self.slots = [i if wins else j for (i, j), wins in zip(pairs, first_wins)] + bye
        return self.slots[0]
