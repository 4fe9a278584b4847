"""Distributions of numpy.random.Generator that take long to compile: compiled once for all policies."""

from __future__ import annotations

from rankduel.base.compiling import apart


@apart
def binomial(n, p, rng):
    return rng.binomial(n, p)


@apart
def standard_exponential(rng):
    return rng.standard_exponential()


@apart
def standard_gamma(shape, rng):
    return rng.standard_gamma(shape)
