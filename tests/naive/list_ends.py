"""Pages of lists that end: what is below the drafted places, and where unlisted documents are."""


def filled(left, right, page, k):
    """The documents below a drafted page: by rank, of equal ranks the first list's."""
    by_rank = [
        doc
        for rank in range(len(left) + len(right))
        for ranking in (left, right)
        for doc in ranking[rank : rank + 1]
    ]
    return tuple(doc for doc in dict.fromkeys(by_rank) if doc not in page)[: k - len(page)]


def rank_in(ranking, doc):
    return ranking.index(doc) if doc in ranking else float("inf")
