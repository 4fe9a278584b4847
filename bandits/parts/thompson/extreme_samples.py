"""Beta samples of which only those above one half matter, and the largest of these.

Won w and lost l, a sample is Beta(w + 1, l + 1); q is the chance that it exceeds one half, g as in
bandits/parts/thompson/pair_posterior.py. Its density f is log-concave: above a point m where it falls, it is
at most f(m) exp(-slope (x - m)) with -slope that of ln f at m. Samples from this exponential, accepted with
chance f(x) / bound, follow f above m. And once another sample m is to be exceeded, a proposal is made with
chance f(m) / (slope q) only: mostly it costs one random number to know that m stands.

The smallest of independent samples: arm j's sample against the champion c is Beta(w_jc + 1, w_cj + 1). Once
the smallest so far is m, another arm matters only if its sample falls below m. Its density f is log-concave,
hence below m at most f(m) exp(slope (x - m)), slope being that of ln f at m. If that is rising, a proposal
below m is made with chance f(m) / slope, from this exponential, and accepted with chance f(x) / bound: the
result is below m with exactly the right chance and law, and mostly costs one random number. Else the sample
is drawn in full.
"""

import math

from bandits.parts.distributions import standard_exponential, standard_gamma
from rankduel.base.compiling import kernel

_LOG_4 = math.log(4.0)
_OFTEN = 0.3  # with a chance above this, drawing until a sample exceeds one half is quicker


@kernel
def sample_above_half(won, lost, chance, rng):
    """A Beta(won + 1, lost + 1) sample, given that it exceeds one half; `chance` is how often it does."""
    if chance > _OFTEN:
        while True:
            up = standard_gamma(won + 1.0, rng)
            down = standard_gamma(lost + 1.0, rng)
            if up > down:
                return up / (up + down)
    slope = 2.0 * (lost - won)
    while True:
        excess = standard_exponential(rng)
        sample = 0.5 + excess / slope
        if sample < 1.0:
            log_ratio = won * math.log(2.0 * sample) + lost * math.log(2.0 - 2.0 * sample) + excess
            if standard_exponential(rng) >= -log_ratio:
                return sample


@kernel
def sample_beyond(won, lost, chance, log_g, limit, rng):
    """The same if it exceeds `limit`, itself above one half; else any number that does not."""
    slope = lost / (1.0 - limit) - won / limit
    if slope <= 0.0:
        return sample_above_half(won, lost, chance, rng)
    log_f = log_g + _LOG_4 + won * math.log(2.0 * limit) + lost * math.log(2.0 - 2.0 * limit)
    rarity = math.log(slope * chance) - log_f  # minus the logarithm of the chance of a proposal
    if rarity <= 0.0:
        return sample_above_half(won, lost, chance, rng)
    # An exponential that exceeds `rarity` does so by an exponential: how far beyond the limit, times slope.
    excess = standard_exponential(rng) - rarity
    sample = limit + excess / slope
    if excess <= 0.0 or sample >= 1.0:
        return limit
    log_ratio = won * math.log(sample / limit) + lost * math.log((1.0 - sample) / (1.0 - limit)) + excess
    return sample if standard_exponential(rng) >= -log_ratio else limit


@kernel
def weakest_sample(wins, log_g, batch, champion, start, rng):
    """The place in `batch` of the arm with the smallest sample against the one at place `champion`.

    `log_g` as in bandits/parts/thompson/pair_posterior.py. The law is the same whatever the place `start` of
    the arm drawn first; one that is likely small saves most.
    """
    rival = batch[champion]
    weakest, smallest = start, _beta(float(wins[batch[start], rival]), float(wins[rival, batch[start]]), rng)
    log_up = math.log(2.0 * smallest)
    log_down = math.log(2.0 - 2.0 * smallest)
    for place in range(len(batch)):
        if place != champion and place != start:
            arm = batch[place]
            won = float(wins[arm, rival])
            lost = float(wins[rival, arm])
            log_f = log_g[min(arm, rival), max(arm, rival)] + _LOG_4 + won * log_up + lost * log_down
            sample = _sample_below(won, lost, smallest, log_f, rng)
            if sample < smallest:
                weakest, smallest = place, sample
                log_up = math.log(2.0 * smallest)
                log_down = math.log(2.0 - 2.0 * smallest)
    return weakest


@kernel
def _sample_below(won, lost, limit, log_f, rng):
    """A Beta(won + 1, lost + 1) sample if it is below `limit`, else any number that is not.

    `log_f` is the logarithm of its density at `limit`.
    """
    slope = won / limit - lost / (1.0 - limit)
    if slope <= 0.0:
        return _beta(won, lost, rng)
    rarity = math.log(slope) - log_f  # minus the logarithm of the chance of a proposal
    if rarity <= 0.0:
        return _beta(won, lost, rng)
    # An exponential above `rarity` is so by an exponential: how far the proposal is below, times the slope.
    excess = standard_exponential(rng) - rarity
    sample = limit - excess / slope
    if excess <= 0.0 or sample <= 0.0:
        return limit
    log_ratio = won * math.log(sample / limit) + lost * math.log((1.0 - sample) / (1.0 - limit)) + excess
    return sample if standard_exponential(rng) >= -log_ratio else limit


@kernel
def _beta(won, lost, rng):
    """A Beta(won + 1, lost + 1) sample, strictly between 0 and 1."""
    up = standard_gamma(won + 1.0, rng)
    down = standard_gamma(lost + 1.0, rng)
    return min(max(up / (up + down), 1e-300), 1.0 - 1e-16)
