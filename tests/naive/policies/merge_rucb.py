"""Zoghi et al. 2015, Algorithm 1, line by line."""

import math

import numpy as np

from naive.policies import pick_from
from naive.policies.merging_batches import Batches


class MergeRucb(Batches):
    def formula(self):
        return math.ceil(super().formula())

    def select(self):
        rule, m = self.params.single_batch, self.begin_step()
        self.purge(m)
        while rule == "skip" and len(self.batches[m]) == 1 and self.n_left() > len(self.batches):
            self.t += 1
            m = self.t % len(self.batches)
            self.purge(m)
        if rule == "merge" and len(self.batches[m]) == 1 and len(self.batches) > 1:
            m = self.join_to_next(m)
        batch = self.batches[m]
        champion = pick_from(range(len(batch)), self.rng)
        if len(batch) == 1:
            return batch[0], batch[0]
        column = self.bounds(batch, self.params.unvisited_u)[:, champion]
        column[champion] = -1
        return batch[champion], batch[pick_from(np.flatnonzero(column == column.max()), self.rng)]


TWIN = MergeRucb
