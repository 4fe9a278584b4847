"""Test sampled tournaments against the enumeration of all of them."""

import itertools
from collections import Counter

import numpy as np
import pytest
from numba import njit
from scipy import stats

from rankduel.bandits.parts.thompson.bernoulli_rows import seed_bits, tournament_room, update_levels
from rankduel.bandits.parts.thompson.champion_odds import update_undefeated
from rankduel.bandits.parts.thompson.double_sampling import sample_tournament, uniform_posterior
from rankduel.bandits.policies.condorcet.merge_dts import draw_scores

pytestmark = pytest.mark.kernel

RUNS = 50_000  # finds a set of scores whose probability is off by .015 nearly always


def probabilities(n_arms, seed, spread=1.0):
    """Return a matrix of probabilities, those of a pair adding up to 1."""
    q = np.clip(0.5 + np.random.default_rng(seed).normal(0, spread, (n_arms, n_arms)), 0.03, 0.97)
    upper = np.triu(q, 1)
    return upper + np.tril(1 - upper.T, -1) + 0.5 * np.eye(n_arms)


def enumerated(q, candidates, none_undefeated):
    """Return {scores of the candidates: probability}, perhaps given that none of them is undefeated."""
    n_arms, found = len(q), {}
    pairs = list(itertools.combinations(range(n_arms), 2))
    for outcome in itertools.product((True, False), repeat=len(pairs)):
        score, probability = np.zeros(n_arms, int), 1.0
        for (i, j), i_won in zip(pairs, outcome):
            score[i if i_won else j] += 1
            probability *= q[i, j] if i_won else q[j, i]
        if not (none_undefeated and (score[candidates] == n_arms - 1).any()):
            key = tuple(score[candidates])
            found[key] = found.get(key, 0.0) + probability
    total = sum(found.values())
    return {key: probability / total for key, probability in found.items()}


def assert_distribution(scores, expected_of):
    """Assert that no row of scores is impossible, and that their counts pass a chi-square test."""
    found = Counter(map(tuple, scores.tolist()))
    assert found.keys() <= expected_of.keys()
    if len(expected_of) == 1:
        return
    expected = np.array([RUNS * probability for probability in expected_of.values()])
    observed = np.array([found.get(key, 0) for key in expected_of])
    common = expected >= 5
    observed = np.append(observed[common], observed[~common].sum())
    expected = np.append(expected[common], expected[~common].sum())
    keep = expected > 0
    assert stats.chisquare(observed[keep], expected[keep]).pvalue > 1e-6


def undefeated_probabilities(q):
    return np.where(np.eye(len(q)) == 1, 1.0, q).prod(axis=1)


@njit
def pair_by_pair(q, arms, n_candidates, undefeated, scores, rng):
    for run in range(len(scores)):
        draw_scores(q, arms, len(arms), n_candidates, undefeated.copy(), scores[run], rng)


@njit
def row_by_row(posterior, room, arms, n_candidates, likeliest, scores, most_wins, rng):
    for run in range(len(scores)):
        seed_bits(room.bits, rng)
        most_wins[run] = sample_tournament(posterior, room, arms, n_candidates, likeliest, rng)
        scores[run] = room.score


@pytest.mark.parametrize(
    ("n_arms", "candidates", "none_undefeated"),
    [(3, [0, 1, 2], True), (4, [0, 1, 2, 3], True), (4, [1, 3], True), (4, [2], True), (4, [0, 2, 3], False)],
)
def test_scores_pair_by_pair(n_arms, candidates, none_undefeated):
    q, rng = probabilities(n_arms, n_arms + len(candidates)), np.random.default_rng(1)
    arms = np.array(candidates + [arm for arm in range(n_arms) if arm not in candidates])
    undefeated = undefeated_probabilities(q)[arms] * none_undefeated
    undefeated[len(candidates) :] = 0.0
    scores = np.zeros((RUNS, n_arms), np.int64)
    pair_by_pair(q, arms, len(candidates), undefeated, scores, rng)
    assert_distribution(scores[:, : len(candidates)], enumerated(q, candidates, none_undefeated))


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
    q, rng = probabilities(n_arms, n_arms, spread), np.random.default_rng(1)
    others = [arm for arm in range(n_arms) if arm not in candidates]
    arms, n_candidates = np.array(candidates + others), len(candidates)
    likeliest = max(candidates, key=lambda arm: undefeated_probabilities(q)[arm])
    posterior, room = posterior_with(q), tournament_room(n_arms, keep_rows=False)
    scores, most_wins = np.zeros((RUNS, n_arms), np.int64), np.zeros(RUNS, np.int64)
    row_by_row(posterior, room, arms, n_candidates, likeliest, scores, most_wins, rng)
    np.testing.assert_array_equal(most_wins, scores[:, candidates].max(axis=1))
    expected = {}  # of the most wins and the candidates that have them: other scores may be left out
    for score, probability in enumerated(q, candidates, True).items():
        key = tuple(only_largest(np.array([score]))[0])
        expected[key] = expected.get(key, 0.0) + probability
    assert_distribution(only_largest(scores[:, candidates]), expected)


def only_largest(scores):
    """Return the scores with all but the largest of a row replaced by -1."""
    return np.where(scores == scores.max(axis=1, keepdims=True), scores, -1)


def posterior_with(q):
    """Return a posterior with these probabilities, which no duels would give exactly."""
    posterior = uniform_posterior(len(q))
    posterior.above_half.probability[...] = q
    posterior.above_half.neg_log[...] = np.where(np.eye(len(q)) == 1, 0.0, -np.log(q))
    posterior.strength[:] = q.sum(axis=1) - 0.5
    for one in range(len(q)):
        update_undefeated(posterior.undefeated, posterior.above_half.neg_log, one)
        for other in range(one):
            update_levels(posterior.level, q, one, other)
    return posterior
