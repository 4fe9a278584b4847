"""Agarwal, Ghuge and Nagarajan 2022 (ICML), Algorithm 3, line by line."""

from itertools import combinations

from naive.policies import pick_from
from naive.policies.scomp import Scomp


class Scomp2(Scomp):
    def course(self):
        s, r = self.seeds(), 1
        while len(self.active) > 1:
            w = yield from self.batch(list(combinations(sorted(s), 2)), self.size(r))
            best = self.candidate(s, w)
            pairs = [tuple(sorted((best, j))) for j in sorted(self.active) if j != best]
            w = yield from self.batch(pairs, self.size(r))
            others = self.active - {best}
            if any(self.beats(w, j, best, 5) for j in others):
                self.active = {j for j in others if self.leads(w, j, best, 3)}
                yield from self.pcomp(tau=r)
            self.remove({j for j in others if self.beats(w, best, j, 5)})
            s = s & self.active
            r += 1
        yield from self.alone()

    def candidate(self, s, w):
        """Draw a seed that no other seed clearly beats; if there is none, one of smallest worst loss."""
        unbeaten = [i for i in sorted(s) if not any(self.beats(w, j, i, 1) for j in s if j != i)]
        if unbeaten:
            return pick_from(unbeaten, self.rng)
        worst = {i: max(w[j, i] for j in s) for i in sorted(s)}
        return pick_from([i for i in worst if worst[i] == min(worst.values())], self.rng)


TWIN = Scomp2
