"""Maystre and Grossglauser 2017: quicksort, level by level, repeated without end."""

from naive.policies import pick
from naive.policies.procedure import Procedure


class Multisort(Procedure):
    def run(self, n_arms, params, rng):
        self.rankings, self.duels, ranking = [], [], list(range(n_arms))
        while True:
            parts = [list(ranking)]
            while any(len(part) > 1 for part in parts):
                for part in parts:
                    chosen = pick(len(part), rng)
                    part[0], part[chosen] = part[chosen], part[0]
                parts = yield from self.split(parts)
            ranking = [arm for part in parts for arm in part]
            self.rankings.append(ranking)

    def split(self, parts):
        """Split every part around its pivot, the first arm."""
        finer = []
        for pivot, *others in parts:
            above, below = [], []
            for arm in others:
                won = yield arm, pivot
                self.duels.append((arm, pivot) if won else (pivot, arm))
                (above if won else below).append(arm)
            finer += [part for part in (above, [pivot], below) if part]
        return finer

    def winners(self, n_arms):
        """Return the arms that precede the most others in a majority of the rankings."""
        score = []
        for i in range(n_arms):
            shares = [
                sum(ranking.index(i) < ranking.index(j) for ranking in self.rankings) / len(self.rankings)
                for j in range(n_arms)
                if j != i
            ]
            score.append(sum(1 if share > 0.5 else 0.5 if share == 0.5 else 0 for share in shares))
        return [i for i in range(n_arms) if score[i] == max(score)]


TWIN = Multisort
