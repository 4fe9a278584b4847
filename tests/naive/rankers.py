"""Scores of one document."""

import math


def linear_score(rows, doc, weights, normalize):
    """Return the weighted sum of one document; rows are the query's documents, NaN is missing."""
    total = 0.0
    for feature, weight in enumerate(weights):
        present = [row[feature] for row in rows if not math.isnan(row[feature])]
        if weight == 0 or not present:
            continue
        value = rows[doc][feature]
        if math.isnan(value):
            value = min(present) if weight > 0 else max(present)
        if normalize:
            spread = max(present) - min(present)
            value = (value - min(present)) / spread if spread else 0.0
        total += weight * value
    return total
