"""The largest Beta samples above 1/2, and the smallest of several Beta samples, by rejection sampling.

With w wins and l losses, a sample has the distribution Beta(w + 1, l + 1). Let f be its density, q the
probability that it exceeds 1/2, and g as in bandits/parts/thompson/pair_posterior.py.

Largest sample: f is log-concave, so above a point m at which f decreases it is at most
f(m) exp(-slope (x - m)), where -slope is the derivative of ln f at m. Proposals from this exponential
distribution, accepted with probability f(x) / bound, have the density f above m. If the largest sample so far
is m, a proposal is made with probability f(m) / (slope q) only. So mostly one random number is enough to
decide that a sample does not exceed m.

Smallest sample: the sample of arm j against the champion c has the distribution Beta(w_jc + 1, w_cj + 1). If
the smallest sample so far is m, another arm matters only if its sample is below m. Below m, f is at most
f(m) exp(slope (x - m)), where slope is the derivative of ln f at m. If slope > 0, a proposal below m is made
with probability f(m) / slope, and accepted with probability f(x) / bound; its distribution below m is exact,
and mostly one random number is enough. If slope <= 0, the sample is drawn without a bound.
"""

import math

from rankduel.bandits.parts.distributions import standard_exponential, standard_gamma
from rankduel.base.compiling import kernel

_LOG_4 = math.log(4.0)
_OFTEN = 0.3  # probability above which drawing until a sample exceeds 1/2 takes less time


@kernel
def sample_above_half(won, lost, probability, rng):
    """Draw from Beta(won + 1, lost + 1), conditional on exceeding 1/2; `probability` is that of the event."""
    if probability > _OFTEN:
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
def sample_beyond(won, lost, probability, log_g, limit, rng):
    """Draw as `sample_above_half`; a result that does not exceed `limit` > 1/2 may be any such number."""
    slope = lost / (1.0 - limit) - won / limit
    if slope <= 0.0:
        return sample_above_half(won, lost, probability, rng)
    log_f = log_g + _LOG_4 + won * math.log(2.0 * limit) + lost * math.log(2.0 - 2.0 * limit)
    rarity = math.log(slope * probability) - log_f  # minus the logarithm of the probability of a proposal
    if rarity <= 0.0:
        return sample_above_half(won, lost, probability, rng)
    # The excess of an exponential variable over `rarity` is exponential too: slope times (sample - limit).
    excess = standard_exponential(rng) - rarity
    sample = limit + excess / slope
    if excess <= 0.0 or sample >= 1.0:
        return limit
    log_ratio = won * math.log(sample / limit) + lost * math.log((1.0 - sample) / (1.0 - limit)) + excess
    return sample if standard_exponential(rng) >= -log_ratio else limit


@kernel
def weakest_sample(wins, log_g, batch, champion, start, rng):
    """Return the place in `batch` of the arm with the smallest sample against batch[champion].

    `log_g` is that of bandits/parts/thompson/pair_posterior.py. The arm at place `start` is sampled first,
    which does not affect the distribution. An arm whose sample is likely to be small saves most time.
    """
    rival = batch[champion]
    weakest = start
    smallest = _sample_beta(float(wins[batch[start], rival]), float(wins[rival, batch[start]]), rng)
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
    """Draw from Beta(won + 1, lost + 1); a result that is not below `limit` may be any such number.

    `log_f` is the logarithm of the density at `limit`.
    """
    slope = won / limit - lost / (1.0 - limit)
    if slope <= 0.0:
        return _sample_beta(won, lost, rng)
    rarity = math.log(slope) - log_f  # minus the logarithm of the probability of a proposal
    if rarity <= 0.0:
        return _sample_beta(won, lost, rng)
    # The excess of an exponential variable over `rarity` is exponential too: slope times (limit - sample).
    excess = standard_exponential(rng) - rarity
    sample = limit - excess / slope
    if excess <= 0.0 or sample <= 0.0:
        return limit
    log_ratio = won * math.log(sample / limit) + lost * math.log((1.0 - sample) / (1.0 - limit)) + excess
    return sample if standard_exponential(rng) >= -log_ratio else limit


@kernel
def _sample_beta(won, lost, rng):
    """Draw from Beta(won + 1, lost + 1), limited to values strictly between 0 and 1."""
    up = standard_gamma(won + 1.0, rng)
    down = standard_gamma(lost + 1.0, rng)
    return min(max(up / (up + down), 1e-300), 1.0 - 1e-16)
