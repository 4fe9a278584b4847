"""Falahatgar et al. 2018 (Soft-Seq-Elim), line by line."""

from naive.policies.procedure import Anchored


class SoftSeqEliminate(Anchored):
    def run(self, n_arms, params, rng):
        S = rng.permutation(n_arms).tolist()
        return [(yield from self.soft_seq_elim(S, S[0], 0, params.epsilon, params.delta))]


TWIN = SoftSeqEliminate
