"""Beta samples of which only those above one half matter, and the largest of these.

Won w and lost l, a sample is Beta(w + 1, l + 1); q is the chance that it exceeds one half, g as in
bandits/beat_odds.py. Its density f is log-concave: above a point m where it falls, it is at most
f(m) exp(-slope (x - m)) with -slope that of ln f at m. Samples from this exponential, accepted with chance
f(x) / bound, follow f above m. And once another sample m is to be exceeded, a proposal is made with chance
f(m) / (slope q) only: mostly it costs one random number to know that m stands.
"""

import math

from bandits.policy import kernel

_LOG_4 = math.log(4.0)
_OFTEN = 0.3  # with a chance above this, drawing until a sample exceeds one half is quicker


@kernel
def sample_above_half(won, lost, chance, rng):
    """A Beta(won + 1, lost + 1) sample, given that it exceeds one half; `chance` is how often it does."""
    if chance > _OFTEN:
        while True:
            up, down = rng.standard_gamma(won + 1.0), rng.standard_gamma(lost + 1.0)
            if up > down:
                return up / (up + down)
    slope = 2.0 * (lost - won)
    while True:
        excess = rng.standard_exponential()
        sample = 0.5 + excess / slope
        if sample < 1.0:
            log_ratio = won * math.log(2.0 * sample) + lost * math.log(2.0 - 2.0 * sample) + excess
            if rng.standard_exponential() >= -log_ratio:
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
    excess = rng.standard_exponential() - rarity
    sample = limit + excess / slope
    if excess <= 0.0 or sample >= 1.0:
        return limit
    log_ratio = won * math.log(sample / limit) + lost * math.log((1.0 - sample) / (1.0 - limit)) + excess
    return sample if rng.standard_exponential() >= -log_ratio else limit
