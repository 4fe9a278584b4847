"""Exact odds of a duel, by enumeration of pages and clicks."""

import itertools
from fractions import Fraction

from naive.balanced import balanced_credit, balanced_pages
from naive.document_constraints import constraints_credit
from naive.list_ends import filled
from naive.probabilistic import assignments_by_page, marginal_odds, probabilistic_pages
from naive.team_draft import team_credit, team_draft_pages


def interleaving_odds(left, right, k, method, setting, patterns, tau=3, judges=None):
    """Return (loss, tie, win) of the first ranker, over all pages, sets of clicks and assignments.

    `setting` is the method's credit, prefix or type; `patterns(page)` gives the chances of clicks; `judges`
    are the rankings that credit looks at, if not those that made the page. Clicks below the drafted places
    count for neither.
    """
    judge_left, judge_right = judges or (left, right)
    odds = [0, 0, 0]
    for chance, page, verdict in _judged_pages(left, right, k, method, setting, tau, judge_left, judge_right):
        for clicks, p in patterns((*page, *filled(left, right, page, k))).items():
            for i, share in enumerate(verdict(clicks[: len(page)])):
                odds[i] += chance * p * share
    return odds


def bias_by_clicks(left, right, k, method, setting):
    """Return P(win) - P(loss) of the first ranker by set of clicked places, whatever stands there."""
    bias = {}
    for chance, page, verdict in _judged_pages(left, right, k, method, setting, 3, left, right):
        for clicks in itertools.product((False, True), repeat=len(page)):
            loss, _, win = verdict(clicks)
            bias[clicks] = bias.get(clicks, 0) + chance * (win - loss)
    return bias


def _judged_pages(left, right, k, method, setting, tau, judge_left, judge_right):
    """Yield (probability, page, function from clicks to (loss, tie, win)) for every page."""
    if method == "team_draft":
        for chance, page, teams in team_draft_pages(left, right, k, setting == "neutral"):
            yield chance, page, lambda clicks, teams=teams: _for_sure(team_credit(teams, clicks))
    elif method in ("balanced", "document_constraints"):
        for chance, page, _ in balanced_pages(left, right, k):
            if method == "balanced":

                def credit(clicks, page=page):
                    return balanced_credit(judge_left, judge_right, page, clicks, setting == "lerot")
            else:

                def credit(clicks, page=page):
                    return constraints_credit(judge_left, judge_right, page, clicks, int(setting))

            yield chance, page, lambda clicks, credit=credit: _for_sure(credit(clicks))
    elif method == "exploitative":  # `setting` is the rate; weights of importance do not change the sign
        fair = assignments_by_page(probabilistic_pages(left, right, k, tau))
        drawn = assignments_by_page(probabilistic_pages(left, right, k, tau, rate=Fraction(setting)))
        for page, (chance, _) in drawn.items():
            coins = fair[page][1]
            yield chance, page, lambda clicks, coins=coins: _probabilistic_verdict(coins, clicks, "")
    else:
        judged = assignments_by_page(probabilistic_pages(judge_left, judge_right, k, tau))
        for page, (chance, coins) in assignments_by_page(probabilistic_pages(left, right, k, tau)).items():
            coins = coins if setting == "assignment" else judged[page][1]
            yield chance, page, lambda clicks, coins=coins: _probabilistic_verdict(coins, clicks, setting)


def _probabilistic_verdict(coins, clicks, credit):
    loss, tie, win = marginal_odds(coins, clicks)
    if credit == "assignment" or not any(clicks):
        return loss, tie, win
    if credit == "marginal_bernoulli":
        return (1 - win + loss) * Fraction(1, 2), 0, (1 + win - loss) * Fraction(1, 2)
    return _for_sure(win - loss if abs(win - loss) > 1e-12 else 0)


def _for_sure(lead):
    return lead < 0, lead == 0, lead > 0
