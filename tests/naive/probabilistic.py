"""Probabilistic interleave: every page, every sequence of coins."""

from fractions import Fraction

from naive.optimized import sign
from naive.team_draft import team_credit


def probabilistic_pages(left, right, k, tau=3, rate=Fraction(1, 2)):
    """Every page with every sequence of coins, drafted places only; the second ranking draws at this rate."""
    stories = [(Fraction(1), (), ())]
    for _ in range(min(k, len(left), len(right))):
        grown = []
        for chance, page, coins in stories:
            for coin, ranking in enumerate((left, right)):
                weights = {d: Fraction(r) ** -tau for r, d in enumerate(ranking, 1) if d not in page}
                for doc, weight in weights.items():
                    share = weight / sum(weights.values()) * (rate if coin else 1 - rate)
                    grown.append((chance * share, (*page, doc), (*coins, coin)))
        stories = grown
    return stories


def coins_by_page(stories):
    """page -> (its chance, the chance of each sequence of coins given the page)."""
    pages = {}
    for chance, page, coins in stories:
        pages.setdefault(page, {})[coins] = chance
    totals = {page: sum(coins.values()) for page, coins in pages.items()}
    return {
        page: (totals[page], {c: p / totals[page] for c, p in coins.items()}) for page, coins in pages.items()
    }


def exploitative_lead(left, right, k, page, clicks, rate):
    """The importance-weighted marginal outcome of a page, on which the second ranking draws at this rate."""
    fair, coins = coins_by_page(probabilistic_pages(left, right, k))[page]
    shown, _ = coins_by_page(probabilistic_pages(left, right, k, rate=rate))[page]
    loss, _, win = marginal_odds(coins, clicks)
    return (win - loss) * fair / shown


def posterior(coins, rank):
    """The chance that the first ranking filled this rank."""
    return sum(chance for thrown, chance in coins.items() if thrown[rank] == 0)


def marginal_odds(coins, clicks):
    """(loss, tie, win) by the coins, given page and clicks."""
    odds = [0, 0, 0]
    for thrown, chance in coins.items():
        odds[1 + sign(team_credit(thrown, clicks))] += chance
    return odds
