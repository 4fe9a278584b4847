"""Komiyama et al. 2016, Algorithm 1 with the efficient lower bound, line by line."""

from naive.policies.cw_rmed import CwRmed


class EcwRmed(CwRmed):
    def plan(self, seen, i1):
        return sorted_plan(seen, i1)


def sorted_plan(seen, i1):
    """Return q of the pairs i > j by the efficient lower bound."""
    q = {(max(i1, j), min(i1, j)): 1 / seen.d(i1, j) for j in seen.inferiors[i1]}
    for i2 in seen.arms:
        others = [j for j in seen.superiors[i2] if j != i1]
        k = len(others) - (seen.losses[i2] - seen.losses[i1] + 1)
        if i2 == i1 or not others or k < 0:
            continue
        cost = {j: seen.r(i2, j) / seen.d(i2, j) for j in others}
        others.sort(key=cost.__getitem__)
        h = min(range(k + 1, len(others) + 1), key=lambda h: sum(cost[j] for j in others[:h]) / (h - k))
        for j in others[:h]:
            q[max(i2, j), min(i2, j)] = 1 / ((h - k) * seen.d(i2, j))
    return q


TWIN = EcwRmed
