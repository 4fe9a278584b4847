"""Balanced interleaving: both pages, and Joachims' credit."""

from fractions import Fraction


def balanced_pages(left, right, k):
    shown = []
    for leader in (0, 1):
        page, i, j = [], 0, 0
        while len(page) < min(k, len(left)):
            if i < j or (i == j and leader == 0):
                page += [left[i]] if left[i] not in page else []
                i += 1
            else:
                page += [right[j]] if right[j] not in page else []
                j += 1
        shown.append((Fraction(1, 2), tuple(page), None))
    return shown


def balanced_credit(left, right, page, clicks, lerot=False):
    clicked = [doc for doc, click in zip(page, clicks) if click]
    if not clicked:
        return 0
    looked = clicked if lerot else clicked[-1:]
    depth = min(max(left.index(doc) for doc in looked), max(right.index(doc) for doc in looked))
    one, other = (len({*clicked} & {*ranking[: depth + 1]}) for ranking in (left, right))
    return Fraction(one - other, max(1, one + other))
