"""Tests between two rankers, by their definitions."""

import itertools


def sign_flip_p(differences):
    """Return the share of sign vectors for which the sum is at least as far from 0 as observed."""
    observed = abs(sum(differences))
    sums = [
        abs(sum(sign * value for sign, value in zip(signs, differences)))
        for signs in itertools.product((1, -1), repeat=len(differences))
    ]
    return sum(total >= observed - 1e-9 for total in sums) / len(sums)


def holm(p_values):
    """Return the smallest level at which Holm's procedure rejects each hypothesis."""
    adjusted = []
    for p in p_values:
        # A hypothesis is rejected at a level if its own test and those of all smaller p-values pass.
        steps = [
            sum(other >= smaller for other in p_values) * smaller for smaller in p_values if smaller <= p
        ]
        adjusted.append(min(1.0, max(steps)))
    return adjusted
