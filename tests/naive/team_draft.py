"""Team-draft interleaving: every page with its chance."""

from fractions import Fraction


def team_draft_pages(left, right, k, neutral=False):
    """The drafted places only."""
    length, prefix = min(k, len({*left, *right})), []
    while neutral and len(prefix) < min(k, len(left), len(right)) and left[len(prefix)] == right[len(prefix)]:
        prefix.append(left[len(prefix)])
    stories = [(Fraction(1), tuple(prefix), (None,) * len(prefix))]
    while len(stories[0][1]) < drafted_places(left, right, tuple(prefix), length):
        grown = []
        for chance, page, teams in stories:
            lead = teams.count(0) - teams.count(1)
            for captain in (0, 1) if lead == 0 else (1,) if lead > 0 else (0,):
                pick = next(doc for doc in (left, right)[captain] if doc not in page)
                grown.append((chance / (2 if lead == 0 else 1), (*page, pick), (*teams, captain)))
        stories = grown
    return stories


def drafted_places(left, right, page, length):
    """How many places are drafted however the coins fall, if a round starts below this page."""
    places = length - len(page)
    rounds = [picks(two, page)[:places] for two in ((left, right), (right, left))]
    if places == 0 or any(pick is None for picked in rounds for pick in picked):
        return len(page)
    if places == 1:
        return length
    return min(drafted_places(left, right, (*page, *picked), length) for picked in rounds)


def picks(captains, page):
    """What two captains pick, the first of them first; None where one has nothing left."""
    first, second = captains
    opening = next((doc for doc in first if doc not in page), None)
    return opening, next((doc for doc in second if doc not in (*page, opening)), None)


def team_credit(teams, clicks):
    return sum({0: 1, 1: -1, None: 0}[team] for team, click in zip(teams, clicks) if click)
