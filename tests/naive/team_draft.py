"""Team-draft interleaving: all pages with their probabilities."""

from fractions import Fraction


def team_draft_pages(left, right, k, neutral=False):
    """Return (probability, page, teams); drafted places only."""
    length, prefix = min(k, len({*left, *right})), []
    while neutral and len(prefix) < min(k, len(left), len(right)) and left[len(prefix)] == right[len(prefix)]:
        prefix.append(left[len(prefix)])
    stories = [(Fraction(1), tuple(prefix), (None,) * len(prefix))]
    while len(stories[0][1]) < drafted_places(left, right, tuple(prefix), length):
        grown = []
        for chance, page, teams in stories:
            lead = teams.count(0) - teams.count(1)
            for side in (0, 1) if lead == 0 else (1,) if lead > 0 else (0,):
                pick = next(doc for doc in (left, right)[side] if doc not in page)
                grown.append((chance / (2 if lead == 0 else 1), (*page, pick), (*teams, side)))
        stories = grown
    return stories


def drafted_places(left, right, page, length):
    """Return how many places are drafted in every order of picks, if a round starts below this page."""
    places = length - len(page)
    rounds = [picks(two, page)[:places] for two in ((left, right), (right, left))]
    if places == 0 or any(pick is None for picked in rounds for pick in picked):
        return len(page)
    if places == 1:
        return length
    return min(drafted_places(left, right, (*page, *picked), length) for picked in rounds)


def picks(rankings, page):
    """Return the picks of two rankings, the first of them first; None if it has no document left."""
    first, second = rankings
    opening = next((doc for doc in first if doc not in page), None)
    return opening, next((doc for doc in second if doc not in (*page, opening)), None)


def team_credit(teams, clicks):
    return sum({0: 1, 1: -1, None: 0}[team] for team, click in zip(teams, clicks) if click)
