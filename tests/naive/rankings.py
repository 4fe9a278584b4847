"""Rankings of one query, with their ties."""

import hashlib
import itertools


def ranking(scores):
    """Return document numbers, best score first, equal scores in file order."""
    return sorted(range(len(scores)), key=lambda doc: -scores[doc])


def tie_groups(scores):
    """Return the documents of each group of equal scores, best group first."""
    groups = []
    for doc in ranking(scores):
        if groups and scores[groups[-1][0]] == scores[doc]:
            groups[-1].append(doc)
        else:
            groups.append([doc])
    return groups


def positions(scores):
    """Return the rank of each document; ~(first rank of its group) if other documents have its score."""
    n_above = {score: sum(other > score for other in scores) for score in set(scores)}
    n_equal = {score: scores.count(score) for score in set(scores)}
    return [n_above[score] if n_equal[score] == 1 else ~n_above[score] for score in scores]


def tie_marks(scores):
    """Return per rank: the number of documents that follow in a group, or minus the distance to its first."""
    marks = []
    for group in tie_groups(scores):
        marks += [len(group) - 1] + [-distance for distance in range(1, len(group))]
    return marks


def tie_breaks(scores):
    """Return every ranking by these scores; with random ties, all are equally likely."""
    choices = itertools.product(*(itertools.permutations(group) for group in tie_groups(scores)))
    return [[doc for group in choice for doc in group] for choice in choices]


def tied_pairs(scores):
    return sum(a == b for a, b in itertools.combinations(scores, 2))


def run_order(scores, *ranker, query):
    """Return the ranking with ties by SplitMix64 keys: element d of a stream seeded by ranker and query."""
    stream = splitmix_mix(text_hash("\0".join(ranker)) ^ text_hash(query))
    key = {doc: splitmix_mix(stream + (doc + 1) * 0x9E3779B97F4A7C15) for doc in range(len(scores))}
    return sorted(range(len(scores)), key=lambda doc: (-scores[doc], key[doc]))


def text_hash(text):
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


def splitmix_mix(x):
    x %= 2**64
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB % 2**64
    return x ^ (x >> 31)
