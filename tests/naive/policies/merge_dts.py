"""Li et al. 2020, Algorithm 1, line by line: all samples of a batch in every step."""

import numpy as np

from naive.policies import pick_from
from naive.policies.merging_batches import Batches


class MergeDts(Batches):
    def visit(self):
        """Return the batch to play in; random numbers for merging are drawn before the samples."""
        m = self.begin_step()
        self.purge(m)
        while len(self.batches[m]) == 1 and len(self.batches) > 1:
            m = self.join_to_next(m)
            if self.params.purge_until_stable:
                self.purge(m)
        return self.batches[m]

    def select(self):
        batch = self.visit()
        if len(batch) == 1:
            return batch[0], batch[0]
        w = self.w[np.ix_(batch, batch)]
        theta = self.rng.beta(w + 1, w.T + 1)
        if not self.params.independent_theta:
            theta = np.triu(theta, 1) + np.tril(1 - theta.T, -1)
        np.fill_diagonal(theta, 0)
        score = (theta > 0.5).sum(axis=1)
        c = pick_from(np.flatnonzero(score == score.max()), self.rng)
        phi = self.rng.beta(w[:, c] + 1, w[c] + 1)
        phi[c] = 2
        return batch[c], batch[phi.argmin()]


TWIN = MergeDts
