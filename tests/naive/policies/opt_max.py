"""Falahatgar et al. 2018, Algorithms 2 and 10 to 12, line by line."""

from math import ceil, log, sqrt

from naive.policies.procedure import Anchored, compare_2, shuffled


class OptMax(Anchored):
    def run(self, n_arms, params, rng):
        S = rng.permutation(n_arms).tolist()
        self.anchor = S[0]
        return [(yield from self.opt_max(S, params.epsilon, params.delta, rng))]

    def opt_max(self, S, epsilon, delta, rng):
        """Run Opt-Max; S is in random order, so its first arms are a random subset."""
        n = len(S)
        if n < 16:
            return (yield from self.soft_seq_elim(S, S[0], 0, epsilon, delta))
        if delta <= n ** (-1 / 3):
            r = yield from self.near_opt_max(S[: ceil(n ** (3 / 4))], epsilon / 2, delta / 3)
            return (yield from self.soft_seq_elim(S, r, epsilon / 2, epsilon, delta / 3))
        a = yield from self.near_opt_max(S[: ceil(n / log(n) ** 2)], epsilon / 3, delta / 4)
        if delta <= 1 / log(n):
            share = delta / (4 * log(n) ** 2 * log(4 * n / delta))
            Q = yield from prune(S, a, epsilon / 3, 2 * epsilon / 3, share, n)
            return (yield from self.soft_seq_elim(Q, a, 2 * epsilon / 3, epsilon, delta / 4))
        M = ceil(2 * log(log(n)) / log(1 / delta))
        for i in range(1, M + 1):
            n_i = max(n / log(n) ** 2, n * delta ** (M - i))
            upper = epsilon / 3 + (2 * epsilon / 3) / 2 ** ((M - i) / 3)
            lower = epsilon / 3 + (2 * epsilon / 3) / 2 ** ((M - i + 1) / 3)
            delta_i = delta ** (M - i + 4)
            S = shuffled(S, rng)
            Q = yield from prune(S[: ceil(n_i)], a, lower, (lower + upper) / 2, delta_i**5 / 3, n)
            a = yield from self.soft_seq_elim(Q, a, lower, upper, delta_i / 3)
        return a

    def near_opt_max(self, S, epsilon, delta):
        n = len(S)
        Q = S[: ceil(sqrt(n * log(4 * n / delta)))]
        r = yield from self.soft_seq_elim(Q, Q[0], 0, epsilon / 2, delta / 4)
        return (yield from self.soft_seq_elim(S, r, epsilon / 2, epsilon, delta / 2))


class PruneThenSoft(Anchored):
    """Prune, with a delta so large that it removes arms, then Soft-Seq-Elim of the remaining arms."""

    def run(self, n_arms, params, rng):
        S = rng.permutation(n_arms).tolist()
        self.anchor = S[0]
        Q = yield from prune(S, S[0], 0.1, 0.3, 1.0, n_arms)
        return [(yield from self.soft_seq_elim(Q, S[0], 0.1, 0.3, 0.5))]


def prune(S, a, lower, upper, delta, n):
    n_first, t = len(S), 1
    S = [e for e in S if e != a]
    while len(S) > 4 / delta * log(2 * n_first / delta) and t < log(n) ** 2:
        kept = []
        for e in S:
            if (yield from compare_2(e, a, lower, upper, delta / 2 ** (t + 1))) == 2:
                kept.append(e)
        S, t = kept, t + 1
    return S


TWIN = OptMax
