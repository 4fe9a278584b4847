"""Falahatgar et al. 2017 (Seq-Eliminate), line by line."""

from naive.policies.procedure import Anchored, compare_2


class SeqEliminate(Anchored):
    def run(self, n_arms, params, rng):
        self.anchor, *S = rng.permutation(n_arms).tolist()
        for c in S:
            if (yield from compare_2(c, self.anchor, 0, params.epsilon, params.delta / n_arms)) == 2:
                self.anchor = c
        return [self.anchor]


TWIN = SeqEliminate
