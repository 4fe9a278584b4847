"""Probabilistic interleaving, by enumeration of all pages and assignments."""

from fractions import Fraction

from naive.optimized import sign
from naive.team_draft import team_credit


def probabilistic_pages(left, right, k, tau=3, rate=Fraction(1, 2)):
    """Return (probability, page, assignment) of the drafted places; the second ranking draws with `rate`.

    Both draw from as many ranks as the shorter ranking has.
    """
    drawn, shorter = [(Fraction(1), (), ())], min(len(left), len(right))
    for _ in range(min(k, shorter)):
        longer = []
        for chance, page, assignments in drawn:
            for side, ranking in enumerate((left[:shorter], right[:shorter])):
                weights = {d: Fraction(r) ** -tau for r, d in enumerate(ranking, 1) if d not in page}
                for doc, weight in weights.items():
                    share = weight / sum(weights.values()) * (rate if side else 1 - rate)
                    longer.append((chance * share, (*page, doc), (*assignments, side)))
        drawn = longer
    return drawn


def assignments_by_page(drawn):
    """Return {page: (probability, {assignment: probability given the page})}."""
    pages = {}
    for chance, page, assignments in drawn:
        pages.setdefault(page, {})[assignments] = chance
    totals = {page: sum(assignments.values()) for page, assignments in pages.items()}
    return {
        page: (totals[page], {c: p / totals[page] for c, p in assignments.items()})
        for page, assignments in pages.items()
    }


def exploitative_lead(left, right, k, page, clicks, rate):
    """Return the importance-weighted marginal outcome of a page; the second ranking draws with `rate`."""
    fair, assignments = assignments_by_page(probabilistic_pages(left, right, k))[page]
    shown, _ = assignments_by_page(probabilistic_pages(left, right, k, rate=rate))[page]
    loss, _, win = marginal_odds(assignments, clicks)
    return (win - loss) * fair / shown


def posterior(assignments, rank):
    """Return the probability that the first ranking contributed the document at a rank."""
    return sum(chance for sides, chance in assignments.items() if sides[rank] == 0)


def marginal_odds(assignments, clicks):
    """Return (loss, tie, win) over the assignments, given page and clicks."""
    odds = [0, 0, 0]
    for sides, chance in assignments.items():
        odds[1 + sign(team_credit(sides, clicks))] += chance
    return odds
