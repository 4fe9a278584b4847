"""Plain-Python twins of preference matrices and their intervals: every tie break, every page, every value."""

import itertools
import math

import naive


def pair_odds(first, second, grades, k, method, setting, user):
    """(loss, tie, win) chances, the mean over queries and over all ways to break ties.

    `first` and `second` hold, per query, groups of tied documents, best first; `grades` those of documents.
    """
    total = [0.0, 0.0, 0.0]
    for left_groups, right_groups, labels in zip(first, second, grades):
        breaks = list(itertools.product(_orders(left_groups), _orders(right_groups)))
        patterns = _patterns(user, labels)
        for left, right in breaks:
            odds = naive.interleaving_odds(left, right, k, method, setting, patterns)
            for i in range(3):
                total[i] += float(odds[i]) / len(breaks) / len(grades)
    return total


def _orders(groups):
    choices = itertools.product(*(itertools.permutations(group) for group in groups))
    return [tuple(doc for group in choice for doc in group) for choice in choices]


def _patterns(user, labels):
    p_click, p_stop = user.p_click.tolist(), user.p_stop.tolist()
    return lambda page: naive.click_stories([labels[doc] for doc in page], p_click, p_stop)


def spread(values, centre):
    """(about their own mean, about what was known before each) sums of squares of one query's values."""
    mean = sum(values) / len(values)
    guesses = [(centre + sum(values[:i])) / (i + 1) for i in range(len(values))]
    return sum((v - mean) ** 2 for v in values), sum((v - g) ** 2 for v, g in zip(values, guesses))


def normal_mixture(values, alpha, rho=25):
    """The interval after each value."""
    for n in range(1, len(values) + 1):
        size = n / 4 + rho
        reach = math.sqrt(size * math.log(size / (rho * alpha**2))) / n
        yield sum(values[:n]) / n - reach, sum(values[:n]) / n + reach


def bernstein(values, alpha):
    """The interval after each value, by the formulas of Waudby-Smith and Ramdas."""
    stakes, staked, price = 0.0, 0.0, 0.0
    for i, value in enumerate(values):
        before = values[:i]
        centres = [(0.5 + sum(values[:j])) / (j + 1) for j in range(i + 1)]
        variance = (0.25 + sum((v - c) ** 2 for v, c in zip(before, centres))) / (i + 1)
        stake = min(math.sqrt(2 * math.log(2 / alpha) / (variance * (i + 1) * math.log(i + 2))), 0.5)
        stakes += stake
        staked += stake * value
        price += (value - centres[i]) ** 2 * (-math.log(1 - stake) - stake)
        reach = (math.log(2 / alpha) + price) / stakes
        yield staked / stakes - reach, staked / stakes + reach
