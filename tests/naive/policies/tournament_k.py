"""Ren et al. 2020, Tournament-k-Selection, line by line."""

import math

from naive.policies import pick
from naive.policies.procedure import Procedure, shuffled

UP, MID, DOWN = "up", "mid", "down"


class TournamentK(Procedure):
    def __init__(self, n_arms, params, rng):
        self.k, self.left, self.won = getattr(params, "k", 1), set(range(n_arms)), [0] * n_arms
        super().__init__(n_arms, params, rng)

    def update(self, first, second, first_won):
        if not self.finished():
            self.won[first if first_won else second] += 1
        super().update(first, second, first_won)

    def provisional(self):
        """Return the remaining arms that have won most duels."""
        return sorted(self.left, key=lambda arm: (-self.won[arm], arm))[: self.k]

    def run(self, n_arms, params, rng):
        yield from self.tournament(range(n_arms), params.k, params.epsilon, params.delta, rng)
        return self.provisional()

    def tournament(self, R, k, epsilon, delta, rng):
        t = 1
        while len(R) > k:
            epsilon_t, delta_t = epsilon / 4 * (4 / 5) ** t, 6 * delta / (math.pi * t) ** 2
            R, kept = shuffled(R, rng), []
            for start in range(0, len(R), 2 * k):
                block = R[start : start + 2 * k]
                kept += yield from self.quick_select(block, k, epsilon_t, delta_t / k, rng)
            R, t = kept, t + 1
        return R

    def quick_select(self, S, k, epsilon, delta, rng):
        n = len(S)
        if n <= k:
            return S
        v = S[pick(n, rng)]
        group = {v: MID}
        for i in S:
            if i != v:
                group[i] = yield from distribute_item(i, v, epsilon / 2, delta / (n * (n - 1)))
        up, mid, down = ([i for i in S if group[i] == where] for where in (UP, MID, DOWN))
        if len(up) > k:
            self.left -= {*mid, *down}
            return (yield from self.quick_select(up, k, epsilon, (n - 1) * delta / n, rng))
        if len(up) + len(mid) >= k:
            # S is in random order, so the arms of `mid` that are kept are random.
            kept = [i for i in S if i in up or i in mid[: k - len(up)]]
            self.left -= {*S} - {*kept}
            return kept
        k -= len(up) + len(mid)
        rest = yield from self.quick_select(down, k, epsilon, (n - 1) * delta / n, rng)
        return [i for i in S if i in up or i in mid] + rest


def distribute_item(i, v, epsilon, delta, up=0.0, down=0.0):
    t_max, w = math.ceil(2 / epsilon**2 * math.log(4 / delta)), 0
    for t in range(1, t_max + 1):
        w += yield i, v
        b = math.sqrt(math.log(math.pi**2 * t**2 / (3 * delta)) / (2 * t))
        if w / t - b > 0.5 + up:
            return UP
        if w / t + b < 0.5 - down:
            return DOWN
    if w / t_max > 0.5 + epsilon / 2 + up:
        return UP
    return DOWN if w / t_max < 0.5 - epsilon / 2 - down else MID


TWIN = TournamentK
