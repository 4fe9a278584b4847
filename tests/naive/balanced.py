"""Balanced interleaving: both pages, and Joachims' credit."""

from fractions import Fraction

from naive.list_ends import rank_in


def balanced_pages(left, right, k):
    """Return both pages; drafted places only."""
    shorter, shown = min(len(left), len(right)), []
    n_docs = len({*left[:shorter], *right[:shorter]})
    for leader in (0, 1):
        page, i, j = [], 0, 0
        while len(page) < min(k, n_docs):
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
    depth = min(max(rank_in(left, doc) for doc in looked), max(rank_in(right, doc) for doc in looked))
    tops = [[doc for doc in ranking if ranking.index(doc) <= depth] for ranking in (left, right)]
    one, other = (len({*clicked} & {*top}) for top in tops)
    return Fraction(one - other, max(1, one + other))
