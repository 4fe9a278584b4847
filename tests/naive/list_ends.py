"""Lists that end: the documents below the drafted places, and the rank of unlisted documents."""


def filled(left, right, page, k):
    """Return the documents below the drafted places: by rank, and the first list first."""
    by_rank = [
        doc
        for rank in range(len(left) + len(right))
        for ranking in (left, right)
        for doc in ranking[rank : rank + 1]
    ]
    return tuple(doc for doc in dict.fromkeys(by_rank) if doc not in page)[: k - len(page)]


def rank_in(ranking, doc):
    return ranking.index(doc) if doc in ranking else float("inf")
