"""Families of matrices by their definitions: sums over all rankings, and loops over pairs."""

import math
from itertools import permutations


def pairwise(n_arms, chance):
    """Return the matrix of chance(i, j) for all pairs of arms; 1/2 on the diagonal."""
    return [[chance(i, j) if i != j else 0.5 for j in range(n_arms)] for i in range(n_arms)]


def marginals(n_arms, weight):
    """Return P(i above j) if the probability of a ranking, best first, is in proportion to `weight`."""
    rankings = list(permutations(range(n_arms)))
    total = sum(weight(ranking) for ranking in rankings)

    def above(i, j):
        return sum(weight(one) for one in rankings if one.index(i) < one.index(j)) / total

    return pairwise(n_arms, above)


def plackett_luce(strengths):
    """Return the marginals if rankings are drawn from the top, each arm among those left by its strength."""

    def weight(ranking):
        chance, left = 1.0, list(ranking)
        while left:
            chance *= strengths[left[0]] / sum(strengths[arm] for arm in left)
            del left[0]
        return chance

    return marginals(len(strengths), weight)


def btl(strengths):
    return pairwise(len(strengths), lambda i, j: strengths[i] / (strengths[i] + strengths[j]))


def logistic(utilities):
    return pairwise(len(utilities), lambda i, j: 1 / (1 + math.exp(utilities[j] - utilities[i])))


def linear(utilities):
    return pairwise(len(utilities), lambda i, j: 0.5 + (utilities[i] - utilities[j]) / 2)


def mallows(centre, phi):
    """Weight a ranking by phi to the number of pairs that it orders otherwise than the ranking `centre`."""

    def weight(ranking):
        pairs = [(i, j) for i in centre for j in centre if centre.index(i) < centre.index(j)]
        return phi ** sum(ranking.index(i) > ranking.index(j) for i, j in pairs)

    return marginals(len(centre), weight)


def mixture(orders, weights, phi):
    matrices = [mallows(order, phi) for order in orders]
    return pairwise(
        len(orders[0]),
        lambda i, j: sum(w * one[i][j] for w, one in zip(weights, matrices)) / sum(weights),
    )


def gaps(gap, rest):
    """`gap` are those of arms 1, 2, ...; `rest` is a number or 'additive'."""

    def lead(i, j):
        if i == 0:
            return gap[j - 1]
        return gap[j - 1] - gap[i - 1] if rest == "additive" else rest

    return pairwise(len(gap) + 1, lambda i, j: 0.5 + lead(i, j) if i < j else 0.5 - lead(j, i))
