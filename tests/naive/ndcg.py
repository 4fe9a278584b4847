"""DCG and NDCG of one ranking, over every way to break its ties."""

import math

from naive.rankings import tie_breaks


def dcg(grades, k, discount):
    total = 0.0
    for place, grade in enumerate(grades[:k], 1):
        divisor = math.log2(place + 1) if discount == "log2" else 1 if place == 1 else math.log2(place)
        total += (2**grade - 1) / divisor
    return total


def expected_ndcg(grades, scores, k, discount):
    """Mean over every way to break ties; 0 without a relevant document."""
    ideal = dcg(sorted(grades, reverse=True), k, discount)
    if ideal == 0:
        return 0.0
    values = [dcg([grades[doc] for doc in order], k, discount) / ideal for order in tie_breaks(scores)]
    return sum(values) / len(values)
