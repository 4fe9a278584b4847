"""Slow, obvious multileaving, by enumeration of pages, assignments and clicks.

`setting` is the method's prefix ("neutral"), choice of rankers ("rounds") or considered pairs ("strict");
`one` is the number 1 in the arithmetic to use: Fraction(1) for exact results, 1.0 where these take too long.
"""

import itertools
import math
from fractions import Fraction

import numpy as np
from scipy.optimize import linprog

from naive.list_ends import rank_in

# --- pages


def next_documents(rankings, page, teams, method, setting="", tau=3, one=Fraction(1)):
    """Return [(probability, document, ranker that picks it)] for the next place of the page."""
    m, place = len(rankings), len(page) + 1
    if method == "pairwise":
        waiting = sorted({doc for ranking in rankings for doc in ranking[:place]} - set(page))
        return [(one / len(waiting), doc, None) for doc in waiting]
    if setting == "neutral" and place <= common_prefix(rankings):
        return [(one, rankings[0][place - 1], None)]
    fewest = min(teams.count(x) for x in range(m))
    can_pick = [x for x in range(m) if teams.count(x) == fewest]
    if method in ("team_draft", "sosm"):
        return [(one / len(can_pick), best_unseen(rankings[x], page), x) for x in can_pick]
    if setting != "rounds":
        can_pick = range(m)
    choices = []
    tops = cut_to_shortest(rankings)
    for x in can_pick:
        weights = soft_ranking(tops[x], page, tau, one)
        total = sum(weights.values())
        choices += [(weight / total / len(can_pick), doc, x) for doc, weight in weights.items()]
    return choices


def common_prefix(rankings):
    """Return the number of ranks from the top at which all rankings have the same document."""
    ranks = itertools.takewhile(lambda docs: len(set(docs)) == 1, zip(*rankings))
    return sum(1 for _ in ranks)


def n_drafted(rankings, k, method, setting=""):
    """Return the number of places that all rankings compete for."""
    length, m = min(k, len(set(itertools.chain(*rankings)))), len(rankings)
    if method not in ("team_draft", "sosm"):
        return min(length, *map(len, rankings))
    prefix = min(length, common_prefix(rankings)) if setting == "neutral" else 0
    rest, rounds = [ranking[prefix:] for ranking in rankings], 0
    while prefix + (rounds + 1) * m <= length and all_can_pick(rest, rounds, m - 1):
        rounds += 1
    cut = length - prefix - rounds * m
    return length if cut < m and all_can_pick(rest, rounds, cut - 1) else prefix + rounds * m


def all_can_pick(rankings, rounds, before):
    """Return whether every ranking certainly has a document left after `rounds` rounds and `before` picks."""
    for x, ranking in enumerate(rankings):
        common = [{*other} & {*ranking} for y, other in enumerate(rankings) if y != x]
        n_sharing = sum(1 for docs in common if docs)
        taken = min(len(set().union(*common)), n_sharing * rounds + min(n_sharing, before))
        if rounds + taken >= len(ranking):
            return False
    return True


def best_unseen(ranking, page):
    return next(doc for doc in ranking if doc not in page)


def cut_to_shortest(rankings):
    """Return as many ranks of every ranking as the shortest has."""
    return [ranking[: min(map(len, rankings))] for ranking in rankings]


def soft_ranking(ranking, page, tau, one):
    """Return rank^-tau by document, for documents that are not on the page."""
    return {doc: one / rank**tau for rank, doc in enumerate(ranking, 1) if doc not in page}


def pages(rankings, k, method, setting="", tau=3, one=Fraction(1)):
    """Return the probability of every (page, teams); drafted places only."""
    probabilities = {((), ()): one}
    for _ in range(n_drafted(rankings, k, method, setting)):
        grown = {}
        for (page, teams), chance in probabilities.items():
            for share, doc, team in next_documents(rankings, page, teams, method, setting, tau, one):
                key = (*page, doc), (*teams, team)
                grown[key] = grown.get(key, 0) + chance * share
        probabilities = grown
    return probabilities


# --- preferences


def by_sign(scores):
    return [[(x > y) - (x < y) for y in scores] for x in scores]


def by_difference(scores):
    return [[x - y for y in scores] for x in scores]


def team_scores(m, teams, clicks):
    return [sum(click for team, click in zip(teams, clicks) if team == x) for x in range(m)]


def contributions(rankings, page, tau=3, one=Fraction(1)):
    """Return for each document of the page the probabilities that each ranking contributed it."""
    shares = []
    for at, doc in enumerate(page):
        soft = [soft_ranking(ranking, page[:at], tau, one) for ranking in cut_to_shortest(rankings)]
        chances = [weights.get(doc, 0) / sum(weights.values()) for weights in soft]
        shares.append([chance / sum(chances) for chance in chances])
    return shares


def expected_signs(shares, clicks):
    """Return E[sign(C_x - C_y)], over all assignments of the clicked documents."""
    m, clicked = len(shares[0]), [at for at, click in enumerate(clicks) if click]
    mean = [[0] * m for _ in range(m)]
    for contributors in itertools.product(range(m), repeat=len(clicked)):
        chance = math.prod(shares[at][x] for at, x in zip(clicked, contributors))
        for x, row in enumerate(by_sign([contributors.count(x) for x in range(m)])):
            mean[x] = [total + chance * sign for total, sign in zip(mean[x], row)]
    return mean


def expected_clicks(shares, clicks):
    return [sum(share[x] for share, click in zip(shares, clicks) if click) for x in range(len(shares[0]))]


def sosm_scores(rankings, page, clicks, tau=3, one=Fraction(1)):
    scores = []
    for ranking in rankings:
        shown = [doc for doc in ranking if doc in page]
        earned = [one / rank**tau for rank in range(1, len(page) + 1)]
        last = earned[len(shown) :]  # for shown documents that the ranking does not list
        worths = [earned[shown.index(doc)] if doc in shown else sum(last) / len(last) for doc in page]
        scores.append(sum(worth for worth, click in zip(worths, clicks) if click))
    return scores


def pairwise_scores(rankings, page, clicks, setting="", one=Fraction(1)):
    """Return (scores, number of pairs of documents that count)."""
    best = {doc: 1 + min(rank_in(ranking, doc) for ranking in rankings) for doc in page}
    last = max((place for place, click in enumerate(clicks, 1) if click), default=0)
    scores, n_counted = [0 * one] * len(rankings), 0
    for i, j in itertools.permutations(range(1, len(page) + 1), 2):
        considered = (j < i or j == i + 1) if setting == "strict" else j <= last + 1
        liked, other = page[i - 1], page[j - 1]
        if not clicks[i - 1] or clicks[j - 1] or not considered:
            continue
        if min(i, j) < max(best[liked], best[other]):
            continue
        n_counted += 1
        weight = one
        for t in range(min(best[liked], best[other]), max(best[liked], best[other])):
            waiting = {doc for ranking in rankings for doc in ranking[:t]} - set(page[: t - 1])
            weight *= 1 - one / len(waiting)
        for x, ranking in enumerate(rankings):
            above, below = rank_in(ranking, liked), rank_in(ranking, other)
            scores[x] += ((above < below) - (above > below)) / weight
    return scores, n_counted


def preferences(rankings, page, teams, clicks, method, setting="", one=Fraction(1)):
    """Return the antisymmetric matrix of preferences of one page."""
    if method == "team_draft":
        return by_sign(team_scores(len(rankings), teams, clicks))
    if method == "sosm":
        return by_sign([round(score, 12) for score in sosm_scores(rankings, page, clicks, 3, one)])
    if method == "pairwise":
        return by_difference(pairwise_scores(rankings, page, clicks, setting, one)[0])
    return expected_signs(contributions(rankings, page, 3, one), clicks)


# --- optimized


def allowed_pages(rankings, k):
    """Return all pages that grow by the best unseen document of any ranking."""
    found = {()}
    for _ in range(k):
        found = {(*page, best_unseen(ranking, page)) for page in found for ranking in rankings}
    return sorted(found)


def worth(rankings, k, doc, credit):
    """Return the credit of a document for each ranking, cut to its top k."""
    ranks = [ranking[:k].index(doc) + 1 if doc in ranking[:k] else k + 1 for ranking in rankings]
    return [Fraction(1, rank) if credit == "inverse" else Fraction(-rank) for rank in ranks]


def unfairness(rankings, k, listed, chances, credit):
    """Return the sum over prefixes and rankers of |expected credit - mean over rankers|."""
    total = 0
    for t in range(1, k + 1):
        means = [0] * len(rankings)
        for page, chance in zip(listed, chances):
            for doc in page[:t]:
                means = [mean + chance * w for mean, w in zip(means, worth(rankings, k, doc, credit))]
        total += sum(abs(mean - sum(means) / len(means)) for mean in means)
    return total


def spread(rankings, k, page, credit):
    """Return m times the variance of the rankers' gains on a page, discounted by place."""
    gains = [0] * len(rankings)
    for place, doc in enumerate(page, 1):
        gains = [gain + w / place for gain, w in zip(gains, worth(rankings, k, doc, credit))]
    return sum((gain - sum(gains) / len(gains)) ** 2 for gain in gains)


def fairest_chances(rankings, k, listed, credit):
    """Optimise one goal after the other: unfairness, spread, probability of page 0, of page 1, ..."""
    n, m = len(listed), len(rankings)
    worths = np.array([[worth(rankings, k, doc, credit) for doc in page] for page in listed], float)
    down_to = worths.cumsum(axis=1)
    residuals = (down_to - down_to.mean(axis=2, keepdims=True)).reshape(n, k * m)
    # Variables: the probabilities, then for every residual an upper bound on its absolute value.
    size = np.eye(k * m)
    rows = np.vstack([np.hstack([residuals.T, -size]), np.hstack([-residuals.T, -size])])
    limits, none = np.zeros(len(rows)), np.zeros(k * m)
    spreads = [float(spread(rankings, k, page, credit)) for page in listed]
    goals = [np.append(np.zeros(n), none + 1), np.append(spreads, none)]
    goals += [np.append(-chance, none) for chance in np.eye(n)]
    certain = np.append(np.ones(n), none)[None]
    for goal in goals:
        found = linprog(goal, A_ub=rows, b_ub=limits, A_eq=certain, b_eq=[1.0])
        rows, limits = np.vstack([rows, goal]), np.append(limits, found.fun + 1e-10)
    return found.x[:n]


# --- impressions
#
# `groups` is a ranking with ties: a list of groups of tied documents, best first.


def tie_breaks(groups):
    """Return all rankings that break the ties of these groups."""
    orders = itertools.product(*(itertools.permutations(group) for group in groups))
    return [tuple(itertools.chain(*order)) for order in orders]


def expected_impression(queries, k, method, setting, patterns):
    """Return means of the preferences, of their squares, of clicks and of NDCG.

    `queries` are (grades, the groups of every ranker);
    `patterns(grades of the page)` returns the probability of every set of clicks.
    """
    m = len(queries[0][1])
    means = [[[0.0] * m for _ in range(m)] for _ in range(2)]
    n_clicks = ndcg = 0.0
    for grades, rankers in queries:
        worlds = list(itertools.product(*map(tie_breaks, rankers)))
        ideal = dcg(sorted(grades, reverse=True)[:k])
        for rankings in worlds:
            for (page, teams), chance in judged_pages(rankings, k, method, setting).items():
                shown = [grades[doc] for doc in page]
                chance /= len(worlds) * len(queries)
                ndcg += chance * dcg(shown) / ideal if ideal else 0
                for clicks, p in patterns(shown).items():
                    n_clicks += chance * p * sum(clicks)
                    found = preferences(rankings, page, teams, clicks, method, setting, 1.0)
                    for x, y in itertools.product(range(m), repeat=2):
                        means[0][x][y] += chance * p * found[x][y]
                        means[1][x][y] += chance * p * found[x][y] ** 2
    return *means, n_clicks, ndcg


def judged_pages(rankings, k, method, setting):
    """Return the probability of every (page, teams); without teams for methods that do not credit them."""
    chances = {}
    for (page, teams), chance in pages(rankings, k, method, setting, 3, 1.0).items():
        key = page, teams if method == "team_draft" else None
        chances[key] = chances.get(key, 0) + chance
    return chances


def dcg(grades):
    return sum((2**grade - 1) / math.log2(place + 1) for place, grade in enumerate(grades, 1))


def live_impression(rng, rankers, grades, k, method, p_click, p_stop):
    """Play one impression: break ties, make the page, draw clicks, and return the preferences."""
    rankings = [[group[i] for group in groups for i in rng.permutation(len(group))] for groups in rankers]
    page, teams = (), ()
    while len(page) < min(k, len(grades)):
        choices = next_documents(rankings, page, teams, method, one=1.0)
        drawn = rng.choice(len(choices), p=[chance for chance, _, _ in choices])
        page, teams = (*page, choices[drawn][1]), (*teams, choices[drawn][2])
    clicks = [False] * len(page)
    for at, doc in enumerate(page):
        clicks[at] = rng.random() < p_click[grades[doc]]
        if clicks[at] and rng.random() < p_stop[grades[doc]]:
            break
    return preferences(rankings, page, teams, clicks, method, one=1.0)
