"""Plain-Python twins of preference matrices and their intervals, over all tie breaks and pages."""

import itertools
import math

import naive


def pair_odds(first, second, grades, k, method, setting, user):
    """Return (loss, tie, win) probabilities, the mean over queries and over all ways to break ties.

    `first` and `second` hold, per query, groups of tied documents, best first; `grades` holds their grades.
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
    return lambda page: naive.click_patterns([labels[doc] for doc in page], p_click, p_stop)


def spread(values, centre):
    """Return sums of squared deviations of one query's values: from their mean, and from predicted means."""
    mean = sum(values) / len(values)
    predicted = [(centre + sum(values[:i])) / (i + 1) for i in range(len(values))]
    return sum((v - mean) ** 2 for v in values), sum((v - g) ** 2 for v, g in zip(values, predicted))


def normal_mixture(values, alpha, rho=25):
    """Yield the normal-mixture interval after each value."""
    for n in range(1, len(values) + 1):
        size = n / 4 + rho
        half_width = math.sqrt(size * math.log(size / (rho * alpha**2))) / n
        yield sum(values[:n]) / n - half_width, sum(values[:n]) / n + half_width


def bernstein(values, alpha):
    """Yield the empirical Bernstein interval of Waudby-Smith and Ramdas after each value."""
    bets, bet_values, penalty = 0.0, 0.0, 0.0
    for i, value in enumerate(values):
        before = values[:i]
        centres = [(0.5 + sum(values[:j])) / (j + 1) for j in range(i + 1)]
        variance = (0.25 + sum((v - c) ** 2 for v, c in zip(before, centres))) / (i + 1)
        bet = min(math.sqrt(2 * math.log(2 / alpha) / (variance * (i + 1) * math.log(i + 2))), 0.5)
        bets += bet
        bet_values += bet * value
        penalty += (value - centres[i]) ** 2 * (-math.log(1 - bet) - bet)
        half_width = (math.log(2 / alpha) + penalty) / bets
        yield bet_values / bets - half_width, bet_values / bets + half_width
