"""One query of synthetic data, document by document."""

import math
from statistics import NormalDist, fmean, pstdev

import numpy as np
from scipy.stats import binom


def synthetic_query(seed, query):
    """Return (grades, {(block, stream) or single: values}) of one query of the shape `small`."""
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(query,)))
    n = min(max(round(105 * math.exp(0.55 * rng.standard_normal())), 1), 1251)
    effect, irrelevant = 0.45 * rng.standard_normal(), rng.random() < 0.02
    z = [effect + math.sqrt(1 - 0.45**2) * eps for eps in rng.standard_normal(n)]
    eta, empty = rng.standard_normal((5, n)), rng.random((5, n))
    idf, fresh = rng.standard_normal(5), rng.standard_normal((115 + 11, n))
    cuts = [NormalDist().inv_cdf(share) for share in (0.52, 0.84, 0.97, 0.99)]
    grades = [0 if irrelevant else sum(cut < value for cut in cuts) for value in z]
    mean, sd = fmean(z), pstdev(z)
    streams = {"body": 0.42, "anchor": 0.30, "title": 0.36, "url": 0.24, "whole": 0.46}
    p_empty = {"anchor": 0.55, "title": 0.03}
    five = {"sum": 0, "min": -0.08, "max": 0, "mean": 0}
    blocks = {"covered": -0.14, "ratio": -0.14, "length": -0.30, "idf": 0}
    for name, variance in (("tf", -0.12), ("normalised tf", -0.13), ("tf-idf", -0.14)):
        blocks |= {f"{name} {how}": adjust for how, adjust in five.items()} | {f"{name} variance": variance}
    blocks |= {"boolean": -0.18, "vector space": 0, "bm25": 0.04}
    blocks |= {"lmir.abs": 0.02, "lmir.dir": 0.01, "lmir.jm": 0}
    columns, row = {}, 0
    for block, adjust in blocks.items():
        for s, (stream, load) in enumerate(streams.items()):
            if block == "idf":
                columns[block, stream] = [round(math.exp(0.5 * idf[s]), 6)] * n
                continue
            if block == "ratio":
                columns[block, stream] = [covered / 4 for covered in columns["covered", stream]]
                continue
            rho = max(0.02, load + adjust + (0.12 if (block, stream) == ("bm25", "whole") else 0))
            values = []
            for d in range(n):
                factor = 0.8 * eta[0, d] + 0.6 * eta[4, d] if stream == "whole" else eta[s, d]
                noise = math.sqrt(0.88) * factor + math.sqrt(0.12) * fresh[row, d]
                base = rho * (z[d] - mean) / sd + math.sqrt(1 - rho**2) * noise
                values.append(_synthetic_value(block, base, empty[s, d] < p_empty.get(stream, 0)))
            columns[block, stream] = values
            row += 1
    loads = (0.02, 0.03, 0.12, 0.04, 0.16, 0.13, 0.14, 0.13, 0.34, 0.22, 0.24)
    for k, rho in enumerate(loads):
        noise = math.sqrt(1 - rho**2) * fresh[row + k]
        columns[126 + k] = [rho * (z[d] - mean) / sd + noise[d] for d in range(n)]
    return grades, columns


def _synthetic_value(block, base, is_empty):
    if block.startswith("lmir"):
        return -30.0 if is_empty else round(-math.exp(2.2 - 0.3 * base), 6)
    if is_empty:
        return 0.0
    if block == "covered":
        return min(max(math.floor(1.6 + base), 0), 4)
    if block == "length":
        return math.floor(math.exp(5 + base))
    if block.startswith("tf "):
        return math.floor(math.exp(0.8 + 1.1 * base))
    if block == "boolean":
        return int(base > -0.4)
    return round(math.exp(0.5 * base), 6)


def calibrated_query(seed, query, tables):
    """Return (grades, list of columns) of one query of the shape mslr-web10k, document by document.

    `tables` is rankduel.letor_data.synthetic.calibrated, because the fitted numbers have no other source.
    """
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(query,)))
    n = min(max(round(103.2 * math.exp(0.55 * rng.standard_normal())), 1), 1251)
    effect, irrelevant = 0.85 * rng.standard_normal(), rng.random() < 0.02
    z = [effect + math.sqrt(1 - 0.85**2) * eps for eps in rng.standard_normal(n)]
    eta, empty = rng.standard_normal((5, n)), rng.random((5, n))
    idf, fresh = rng.standard_normal(5), rng.standard_normal((5 * 20 + 11, n))
    drawn = rng.random()
    n_terms = 1 + sum(drawn >= share for share in (0.27, 0.63, 0.85, 0.95))
    family_noise = rng.standard_normal((3 * 5 + 5, n))
    cuts = [NormalDist().inv_cdf(share) for share in (0.52, 0.84, 0.97, 0.99)]
    grades = [0 if irrelevant else sum(cut < value for cut in cuts) for value in z]
    mean, sd = fmean(z), pstdev(z)
    relevance = [(value - mean) / sd for value in z]
    blocks = ["tf", "normalised tf", "language model"]
    singles = ["url", "links", "authority", "quality", "clicks"]
    columns, bases, row = [], {}, 0

    def echoed(rows, s, d):
        echo = tables.STREAMS[s].echo
        return echo * rows[0, d] + math.sqrt(1 - echo**2) * rows[s, d]

    def shifted(rho, phase):
        return (rho + 0.18, rho, rho - 0.18)[(query + phase) % 3]

    for b, block in enumerate(tables.BLOCKS):
        for s, stream in enumerate(tables.STREAMS):
            if block.name == "idf":
                columns.append([round(math.exp(0.5 * idf[s]), 6)] * n)
                continue
            if not block.like:
                base, own = [], min(block.own * stream.own, 0.9)
                best = (block.name, stream.name) == ("bm25", "whole")
                rho = block.loads[s] if best else shifted(block.loads[s], b + s)
                for d in range(n):
                    noise = fresh[row, d]
                    if block.family:
                        of_family = family_noise[5 * blocks.index(block.family) :][:5]
                        noise = math.sqrt(0.95) * echoed(of_family, s, d) + math.sqrt(0.05) * noise
                    noise = math.sqrt(1 - own) * echoed(eta, s, d) + math.sqrt(own) * noise
                    base.append(rho * relevance[d] + math.sqrt(1 - rho**2) * noise)
                bases[block.name, s] = base
                row += 1
            base = bases[block.like or block.name, s]
            is_empty = [empty[s, d] < stream.p_empty for d in range(n)]
            columns.append(_values_of_terms(block.name, base, is_empty, n_terms, stream.coverage))
    for k, single in enumerate(tables.SINGLES):
        of_family = family_noise[15 + singles.index(single.family)]
        base = []
        for d in range(n):
            noise = math.sqrt(0.95) * of_family[d] + math.sqrt(0.05) * fresh[row + k, d]
            noise = single.echo * eta[0, d] + math.sqrt(1 - single.echo**2) * noise
            rho = shifted(max(0.02, single.load), 2 * k)
            base.append(rho * relevance[d] + math.sqrt(1 - rho**2) * noise)
        columns.append(base)
    return grades, columns


def _values_of_terms(block, base, is_empty, n_terms, coverage):
    """Return the values of one block and stream; a binomial number of terms occurs, by the base."""
    values = []
    for value, absent in zip(base, is_empty):
        share = NormalDist().cdf(value)
        covered = 0
        while covered < n_terms and share > binom.cdf(covered, n_terms, coverage):
            covered += 1
        count, score = math.floor(math.exp(0.8 + 1.1 * value)), math.exp(0.5 * value)
        of = count if block.startswith("tf ") else score
        if absent:
            values.append(-30.0 if block.startswith("lmir") else 0.0)
        elif block == "covered":
            values.append(covered)
        elif block == "ratio":
            values.append(covered / n_terms)
        elif block == "boolean":
            values.append(int(covered == n_terms))
        elif block == "length":
            values.append(math.floor(math.exp(5 + value)))
        elif block.endswith(" min"):
            values.append(of if covered == n_terms else 0)
        elif block.endswith(" mean"):
            values.append(of / n_terms)
        elif block.endswith(" variance"):
            values.append(of if n_terms > 1 else 0)
        elif block == "vector space":
            values.append(score if n_terms > 1 else int(covered == 1))
        elif block.startswith("lmir"):
            values.append(-math.exp(2.2 - 0.3 * value))
        else:
            values.append(of)
    return values
