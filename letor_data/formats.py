"""Dataset profiles: the conventions and sizes of published collections of judged data.

Sources: LETOR 3.0 and 4.0 (Qin and Liu), MSLR-WEB10K/30K (Microsoft Research), the Yahoo! Learning to
Rank Challenge (Chapelle and Chang 2011), Istella LETOR (Dato et al. 2016), Yandex Internet Mathematics
2009, LightGBM's query files. A further collection needs a row in PROFILES and no code.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from rankduel.base.errors import DataError
from rankduel.base.settings import find

TOP_LABEL = 127  # grades are stored as int8


class Profile(NamedTuple):
    name: str
    about: str
    files: str = ""  # regular expression; a path that contains a match has this profile by default
    n_features: int = 0  # number of features that the collection defines; 0: any
    top_grade: int = TOP_LABEL
    query_id: str = "qid"  # place of the query id: "qid" token, "comment", or "side file" of counts
    index_base: int = 1  # smallest feature number
    sparse: bool = False  # files omit zeros, so the last features may occur in no line
    null_is_missing: bool = False  # NULL is a missing value
    huge_is_missing: bool = False  # a value with |value| >= 1e300 is missing
    sign: int = 1  # -1 if small values are better
    lists_may_end: bool = False  # a document without a score is not listed; otherwise it is ranked last
    titles: tuple[str, ...] = ()  # published description of each feature

    def title(self, feature: str) -> str:
        """Return the published description of `feature`; "" if there is none."""
        place = int(feature) - self.index_base if re.fullmatch("[0-9]{1,9}", feature) else -1
        return self.titles[place] if 0 <= place < len(self.titles) else ""


def _mslr_titles() -> tuple[str, ...]:
    streams = ("body", "anchor", "title", "url", "whole document")
    spread = ("sum", "min", "max", "mean", "variance")
    blocks = ["covered query terms", "covered query term ratio", "stream length", "IDF"]
    blocks += [f"{kind} {how}" for kind in ("TF", "normalised TF", "TF-IDF") for how in spread]
    blocks += ["boolean model", "vector space model", "BM25", "LMIR.ABS", "LMIR.DIR", "LMIR.JM"]
    single = ["URL slashes", "URL length", "inlinks", "outlinks", "PageRank", "SiteRank"]
    single += ["quality score", "quality score 2", "query-URL clicks", "URL clicks", "URL dwell time"]
    return tuple(f"{block}, {stream}" for block in blocks for stream in streams) + tuple(single)


PROFILES = {
    profile.name: profile
    for profile in (
        Profile("svmlight", "svmlight text with qid tokens, any features and grades"),
        Profile(
            "letor3", "LETOR 3.0: OHSUMED and the .gov collections", r"OHSUMED|(TD|HP|NP)200[34]",
            top_grade=2, null_is_missing=True,
        ),
        Profile(
            "letor_agg", "LETOR 4.0 rank aggregation: values are positions, 1 is the top",
            r"MQ200[78][-_]?agg", top_grade=2, null_is_missing=True, sign=-1,
        ),
        Profile(
            "letor4", "LETOR 4.0: MQ2007 and MQ2008", r"MQ200[78]", n_features=46,
            top_grade=2, null_is_missing=True,
        ),
        Profile(
            "mslr", "MSLR-WEB10K and MSLR-WEB30K", r"MSLR", n_features=136, top_grade=4, titles=_mslr_titles()
        ),
        Profile(
            "yahoo", "Yahoo! Learning to Rank Challenge (C14)", r"set[12]\.(train|valid|test)\.txt|\bC14B?\b",
            n_features=700, top_grade=4, sparse=True,
        ),
        Profile(
            "istella", "Istella LETOR, Istella-S, Istella-X", r"istella", n_features=220, top_grade=4,
            sparse=True, huge_is_missing=True,
        ),
        Profile(
            "yandex", "Yandex Internet Mathematics 2009: the comment is the query", r"imat2009",
            n_features=245, top_grade=4, query_id="comment", sparse=True,
        ),
        Profile(
            "lightgbm", "no qid tokens; documents per query in a .query or .group file", query_id="side file",
            index_base=0,
        ),
        Profile("trec", "TREC runs and relevance judgments", lists_may_end=True),
    )
}  # fmt: skip


class Collection(NamedTuple):
    """A published collection and its size with all splits."""

    name: str
    files: str  # regular expression to find in the path
    queries: int
    documents: int


COLLECTIONS = (
    Collection("MSLR-WEB30K", r"MSLR-WEB30K", 31_531, 3_771_125),
    Collection("MSLR-WEB10K", r"MSLR-WEB10K", 10_000, 1_200_192),
    Collection("Yahoo set 1 train", r"set1\.train\.txt", 19_944, 473_134),
    Collection("Yahoo set 1 valid", r"set1\.valid\.txt", 2_994, 71_083),
    Collection("Yahoo set 1 test", r"set1\.test\.txt", 6_983, 165_660),
    Collection("Yahoo set 2 train", r"set2\.train\.txt", 1_266, 34_815),
    Collection("Yahoo set 2 valid", r"set2\.valid\.txt", 1_266, 34_881),
    Collection("Yahoo set 2 test", r"set2\.test\.txt", 3_798, 103_174),
    Collection("MQ2007", r"MQ2007", 1_692, 69_623),
    Collection("MQ2008", r"MQ2008", 784, 15_211),
    Collection("OHSUMED", r"OHSUMED", 106, 16_140),
    Collection("TD2003", r"TD2003", 50, 49_058),
    Collection("TD2004", r"TD2004", 75, 74_146),
    Collection("HP2003", r"HP2003", 150, 147_606),
    Collection("HP2004", r"HP2004", 75, 74_409),
    Collection("NP2003", r"NP2003", 150, 148_657),
    Collection("NP2004", r"NP2004", 75, 73_834),
)


def profile_named(name: str) -> Profile:
    return find(name, PROFILES, "profile", DataError)


def profile_for(path: str) -> Profile:
    """Return the profile that `path` matches by name; 'svmlight' if it matches none.

    Only the file name and the names of two parent folders are searched, as in MSLR-WEB10K/Fold1/train.txt.
    """
    near = "/".join(path.replace("::", "/").split("/")[-3:])
    for profile in PROFILES.values():
        if profile.files and re.search(profile.files, near, re.IGNORECASE):
            return profile
    return PROFILES["svmlight"]


def size_note(path: str, splits: set[str], queries: int, documents: int) -> str | None:
    """Return a note if a whole collection, or a split of known size, differs from its published size."""
    known = [c for c in COLLECTIONS if re.search(c.files, path, re.IGNORECASE)]
    known = [c for c in known if c.files.endswith(".txt") or {"train", "test"} <= splits]
    expected = sum(c.queries for c in known), sum(c.documents for c in known)
    if not known or (queries, documents) == expected:
        return None
    names = " with ".join(c.name for c in known)
    return (
        f"{path}: {queries:,} queries and {documents:,} documents, but {names} is published with "
        f"{expected[0]:,} and {expected[1]:,}"
    )
