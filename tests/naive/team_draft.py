"""Team-draft interleaving: every page with its chance."""

from fractions import Fraction


def team_draft_pages(left, right, k, neutral=False):
    prefix = []
    while neutral and len(prefix) < min(k, len(left)) and left[len(prefix)] == right[len(prefix)]:
        prefix.append(left[len(prefix)])
    stories = [(Fraction(1), tuple(prefix), (None,) * len(prefix))]
    while len(stories[0][1]) < min(k, len(left)):
        grown = []
        for chance, page, teams in stories:
            lead = teams.count(0) - teams.count(1)
            for captain in (0, 1) if lead == 0 else (1,) if lead > 0 else (0,):
                pick = next(doc for doc in (left, right)[captain] if doc not in page)
                grown.append((chance / (2 if lead == 0 else 1), (*page, pick), (*teams, captain)))
        stories = grown
    return stories


def team_credit(teams, clicks):
    return sum({0: 1, 1: -1, None: 0}[team] for team, click in zip(teams, clicks) if click)
