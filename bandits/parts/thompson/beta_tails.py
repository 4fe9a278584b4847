"""The distribution function of Beta distributions, and samples from Beta distributions cut to an interval.

All functions use the edge of Beta(a, b) at x, which is x^a (1 - x)^b / B(a, b). The probability to be below x
is the edge times a series of positive terms. It changes by -edge / a if a grows by 1, and by edge / b if b
grows by 1.
"""

import math

import numpy as np

from rankduel.base.compiling import kernel

_NEGLIGIBLE = 1e-30  # an edge below this has a tail that is lost when added to 1 in float64
_TINY = 1e-300
_MANY = 1000.0  # counts from which the integral takes fewer operations than the series
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(32)


@kernel
def log_edge(a, b, x):
    """Return ln(x^a (1 - x)^b / B(a, b)), in terms of the distance to the mean to avoid cancellation."""
    n = a + b
    ahead = a * (1.0 - x) - b * x
    deviance = n * (x * _deviance(ahead / (n * x)) + (1.0 - x) * _deviance(-ahead / (n * (1.0 - x))))
    corrections = _stirling(a) + _stirling(b) - _stirling(n)
    return 0.5 * math.log(a / (2.0 * math.pi) * (b / n)) - deviance - corrections


@kernel
def probability_below(a, b, x, edge):
    """Return P(Beta(a, b) < x) with an absolute error of about 1e-13."""
    above_mean = x * (a + b) > a
    if edge < _NEGLIGIBLE:
        return 1.0 if above_mean else 0.0
    if min(a, b) > _MANY:
        return 1.0 - _tail(b, a, 1.0 - x, edge) if above_mean else _tail(a, b, x, edge)
    if _terms(a, b, x) <= _terms(b, a, 1.0 - x):
        return min(edge / a * _series(a, b, x), 1.0)
    return max(1.0 - edge / b * _series(b, a, 1.0 - x), 0.0)


@kernel
def draw_between(a, b, low, high, rng):
    """Draw from Beta(a, b), truncated to (low, high], by rejection sampling; a and b are at least 1.

    The logarithm of the density is concave, so it lies below each of its tangents. Within one standard
    deviation of the mode proposals are uniform, and on either side they are exponential with a tangent as the
    logarithm of their density.
    """
    n = (a - 1.0) + (b - 1.0)  # in this order, rounding cannot move the mode outside [0, 1]
    mode = (a - 1.0) / n if n > 0.0 else 0.5
    near = math.sqrt(mode * (1.0 - mode) / n) if n > 0.0 else 1.0
    top = min(max(mode, low), high)
    left = min(max(mode - near, low), high)
    right = min(max(mode + near, low), high)
    area_left = _tail_area(a, b, top, left, low)
    area_right = _tail_area(a, b, top, right, high)
    while True:
        where = rng.random() * (area_left + area_right + right - left)
        if where < area_left:
            slope = _slope(a, b, left)
            draw = _draw_exponential(slope, low, left, rng)
            bound = _log_density(a, b, top, left) + slope * (draw - left)
        elif where < area_left + area_right:
            slope = _slope(a, b, right)
            draw = _draw_exponential(slope, right, high, rng)
            bound = _log_density(a, b, top, right) + slope * (draw - right)
        else:
            draw, bound = left + (right - left) * rng.random(), 0.0
        if bound + math.log(1.0 - rng.random()) <= _log_density(a, b, top, draw):
            return draw


@kernel
def _tail_area(a, b, top, touch, end):
    """Return the area under exp(tangent at `touch`) from `touch` to `end`; the density is 1 at `top`."""
    if touch == end:
        return 0.0
    slope = abs(_slope(a, b, touch))
    return -math.exp(_log_density(a, b, top, touch)) * math.expm1(-slope * abs(end - touch)) / slope


@kernel
def _slope(a, b, x):
    """Return the derivative of the logarithm of the density at `x`."""
    return (a - 1.0) / max(x, _TINY) - (b - 1.0) / max(1.0 - x, _TINY)


@kernel
def _log_density(a, b, top, x):
    """Return the logarithm of the density at `x`, minus that at `top`."""
    up, down = 0.0, 0.0
    if a > 1.0:
        up = (a - 1.0) * math.log1p((x - top) / top)
    if b > 1.0:
        down = (b - 1.0) * math.log1p((top - x) / (1.0 - top))
    return up + down


@kernel
def _draw_exponential(slope, low, high, rng):
    """Draw from (low, high) with a density proportional to exp(slope x)."""
    width = high - low
    rate = abs(slope)
    number = rng.random()
    distance = number * width
    if rate * width > 1e-9:
        distance = -math.log1p(number * math.expm1(-rate * width)) / rate
    return low + distance if slope < 0.0 else high - distance


@kernel
def _deviance(u):
    return (1.0 + u) * math.log1p(u) - u


@kernel
def _stirling(x):
    """Return ln Gamma(x) minus Stirling's approximation."""
    if x < 16.0:
        return math.lgamma(x) - (x - 0.5) * math.log(x) + x - 0.5 * math.log(2.0 * math.pi)
    square = x * x
    return (1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1260.0 - 1.0 / (1680.0 * square)) / square) / square) / x


@kernel
def _series(a, b, x):
    """Return a P(Beta(a, b) < x) / edge."""
    term, total, k = 1.0, 1.0, 0.0
    while term > 1e-16 * total:
        term *= (a + b + k) * x / (a + 1.0 + k)
        total += term
        k += 1.0
    return total


@kernel
def _tail(a, b, x, edge):
    """Return P(Beta(a, b) < x) for large counts and x up to the mean, by Gauss-Legendre quadrature.

    The integral is over nine standard deviations below x.
    """
    n = a + b
    step = min(9.0 * math.sqrt(a / n * (b / n) / n), x) / 2.0
    total = 0.0
    for k in range(len(_NODES)):
        back = step * (_NODES[k] + 1.0)
        log = a * math.log1p(-back / x) + b * math.log1p(back / (1.0 - x))
        total += _WEIGHTS[k] * math.exp(log) / ((x - back) * (1.0 - x + back))
    return edge * step * total


@kernel
def _terms(a, b, x):
    """Return the approximate number of terms of the series, which may grow before they decrease."""
    growing = max(((a + b) * x - a) / (1.0 - x), 0.0)
    return growing + 9.0 * math.sqrt((a + growing) / (1.0 - x))
