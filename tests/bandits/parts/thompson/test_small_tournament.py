"""Simulated tournaments, against the enumeration of all of them."""

import itertools
from collections import Counter

import numpy as np
import pytest
from numba import njit
from scipy import stats

from bandits.parts.thompson.bernoulli_rows import new_step, note_chance
from bandits.parts.thompson.champion_odds import note_champion
from bandits.parts.thompson.double_sampling import draw_tournament, no_beliefs
from bandits.parts.thompson.small_tournament import draw_scores

pytestmark = pytest.mark.kernel

RUNS = 50_000  # finds a set of scores whose chance is off by .015 nearly always


def chances(n_arms, seed, spread=1.0):
    """A table of chances, those of a pair adding up to 1."""
    q = np.clip(0.5 + np.random.default_rng(seed).normal(0, spread, (n_arms, n_arms)), 0.03, 0.97)
    upper = np.triu(q, 1)
    return upper + np.tril(1 - upper.T, -1) + 0.5 * np.eye(n_arms)


def enumerated(q, candidates, without_champion):
    """{scores of the candidates: probability}, perhaps given that none of them beats everybody."""
    n_arms, law = len(q), {}
    pairs = list(itertools.combinations(range(n_arms), 2))
    for outcome in itertools.product((True, False), repeat=len(pairs)):
        score, probability = np.zeros(n_arms, int), 1.0
        for (i, j), i_won in zip(pairs, outcome):
            score[i if i_won else j] += 1
            probability *= q[i, j] if i_won else q[j, i]
        if not (without_champion and (score[candidates] == n_arms - 1).any()):
            key = tuple(score[candidates])
            law[key] = law.get(key, 0.0) + probability
    total = sum(law.values())
    return {key: probability / total for key, probability in law.items()}


def assert_law(scores, law):
    """Rows of scores against their probabilities: nothing impossible, and a chi-square test."""
    found = Counter(map(tuple, scores.tolist()))
    assert found.keys() <= law.keys()
    if len(law) == 1:
        return
    expected = np.array([RUNS * probability for probability in law.values()])
    observed = np.array([found.get(key, 0) for key in law])
    common = expected >= 5
    observed = np.append(observed[common], observed[~common].sum())
    expected = np.append(expected[common], expected[~common].sum())
    keep = expected > 0
    assert stats.chisquare(observed[keep], expected[keep]).pvalue > 1e-6


def champion_chances(q):
    return np.where(np.eye(len(q)) == 1, 1.0, q).prod(axis=1)


@njit
def pair_by_pair(q, arms, n_candidates, alive, scores, rng):
    for run in range(len(scores)):
        draw_scores(q, arms, len(arms), n_candidates, alive.copy(), scores[run], rng)


@njit
def row_by_row(beliefs, arms, n_candidates, top, scores, largest, rng):
    for run in range(len(scores)):
        new_step(beliefs.coins, rng)
        largest[run] = draw_tournament(beliefs, arms, n_candidates, top, rng)
        scores[run] = beliefs.rows.score


@pytest.mark.parametrize(
    ("n_arms", "candidates", "without_champion"),
    [(3, [0, 1, 2], True), (4, [0, 1, 2, 3], True), (4, [1, 3], True), (4, [2], True), (4, [0, 2, 3], False)],
)
def test_scores_pair_by_pair(n_arms, candidates, without_champion):
    q, rng = chances(n_arms, n_arms + len(candidates)), np.random.default_rng(1)
    arms = np.array(candidates + [arm for arm in range(n_arms) if arm not in candidates])
    alive = champion_chances(q)[arms] * without_champion
    alive[len(candidates) :] = 0.0
    scores = np.zeros((RUNS, n_arms), np.int64)
    pair_by_pair(q, arms, len(candidates), alive, scores, rng)
    assert_law(scores[:, : len(candidates)], enumerated(q, candidates, without_champion))


@pytest.mark.parametrize(
    ("n_arms", "candidates", "spread"),
    [
        (3, [0, 1, 2], 0.1),
        (4, [0, 1, 2, 3], 0.1),
        (4, [0, 1, 2, 3], 1.0),
        (5, [0, 2, 3], 0.3),
        (6, range(6), 0.4),
    ],
)
def test_scores_row_by_row(n_arms, candidates, spread):
    candidates = list(candidates)
    q, rng, beliefs = chances(n_arms, n_arms, spread), np.random.default_rng(1), no_beliefs(n_arms, False)
    believe(beliefs, q)
    others = [arm for arm in range(n_arms) if arm not in candidates]
    top = max(candidates, key=lambda arm: champion_chances(q)[arm])
    scores, largest = np.zeros((RUNS, n_arms), np.int64), np.zeros(RUNS, np.int64)
    row_by_row(beliefs, np.array(candidates + others), len(candidates), top, scores, largest, rng)
    np.testing.assert_array_equal(largest, scores[:, candidates].max(axis=1))
    law = {}  # of the largest score and who has it: others are not always tossed for
    for score, probability in enumerated(q, candidates, True).items():
        key = tuple(only_largest(np.array([score]))[0])
        law[key] = law.get(key, 0.0) + probability
    assert_law(only_largest(scores[:, candidates]), law)


def only_largest(scores):
    """All but the largest scores of a row replaced by -1."""
    return np.where(scores == scores.max(axis=1, keepdims=True), scores, -1)


def believe(beliefs, q):
    """Put these chances in place of what duels would have taught."""
    beliefs.odds.chance[...] = q
    beliefs.strength[:] = q.sum(axis=1) - 0.5
    beliefs.odds.minus_log[...] = np.where(np.eye(len(q)) == 1, 0.0, -np.log(q))
    for one in range(len(q)):
        note_champion(beliefs.champions, beliefs.odds.minus_log, one)
        for other in range(one):
            note_chance(beliefs.coins.level, q, one, other)
