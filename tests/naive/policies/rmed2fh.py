"""RMED2FH, Komiyama et al. 2015, Algorithms 1 and 3, line by line: all divergences in every step."""

import math

from naive.policies.rmed2 import Rmed2, log_log


class Rmed2fh(Rmed2):
    def first_times(self):
        needed = self.params.alpha * log_log(self.params.horizon)
        return math.ceil(needed) if needed > 1 else 1

    def after_first(self):
        self.compute_divergences()
        self.fixed = [self.cheapest(i) for i in range(self.n_arms)]

    def needed(self):
        return 0

    def cheap_opponent(self, arm):
        return self.fixed[arm], log_log(self.params.horizon)


TWIN = Rmed2fh
