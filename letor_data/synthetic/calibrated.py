"""Features fitted to the public preference matrices of the 136 feature rankers of MSLR-WEB30K.

The matrices (Zoghi et al. 2015; navigational and perfect users, probabilistic interleave by Lerot) were
measured on real documents, which are not distributed here. The numbers below were fitted so that a matrix of
synthetic documents, computed in the same way, resembles them in three respects: the share of duels that each
ranker wins against all others; how often a ranker ties documents, which affects matrices of Lerot because it
redraws ties for the credit; and the similarity of rankers of one stream and of one family.
docs/explanation/synthetic_data.md compares the matrices.
"""

from __future__ import annotations

from rankduel.letor_data.synthetic.features import Block, Single, Stream

# See `rankduel.letor_data.synthetic.settings.Synthetic`.
QUERY_SPREAD = 0.85
FAMILY_SHARE = 0.95
RHO_SHIFT = 0.18
TERMS = (0.27, 0.36, 0.22, 0.10, 0.05)

STREAMS = (
    Stream("body", 1.0, coverage=0.91, own=3.2),
    Stream("anchor", 1.0, p_empty=0.55, echo=-0.2, coverage=0.526, own=0.45),
    Stream("title", 1.0, p_empty=0.03, echo=0.65, coverage=0.694, own=0.45),
    Stream("url", 1.0, echo=0.1, coverage=0.574, own=0.3),
    Stream("whole", 1.0, echo=0.95, coverage=0.921, own=3.2),
)

BLOCKS = (
    Block("covered", 0.0, "terms", loads=(0.697, 0.674, 0.7, 0.7, 0.697), own=0.4),
    Block("ratio", 0.0, "terms ratio", like="covered"),
    Block("length", 0.0, "length", loads=(-0.012, 0.331, 0.087, 0.15, -0.02), own=0.9),
    Block("idf", 0.0, "idf"),
    Block("tf sum", 0.0, "tf", loads=(0.283, 0.328, 0.192, 0.077, 0.309), own=0.15, family="tf"),
    Block("tf min", 0.0, "tf min", loads=(0.31, -0.019, -0.13, -0.314, 0.344), own=0.4, family="tf"),
    Block("tf max", 0.0, "tf", loads=(0.223, 0.247, 0.053, -0.103, 0.244), own=0.2, family="tf"),
    Block("tf mean", 0.0, "tf mean", like="tf sum"),
    Block("tf variance", 0.0, "tf variance", loads=(0.174, 0.13, 0.014, -0.062, 0.174), own=0.4, family="tf"),
    Block(
        "normalised tf sum",
        0.0,
        "score",
        loads=(0.293, 0.211, 0.24, 0.373, 0.353),
        own=0.3,
        family="normalised tf",
    ),
    Block(
        "normalised tf min",
        0.0,
        "score min",
        loads=(0.273, -0.058, 0.086, 0.064, 0.327),
        own=0.5,
        family="normalised tf",
    ),
    Block(
        "normalised tf max",
        0.0,
        "score",
        loads=(0.234, 0.183, 0.137, 0.255, 0.297),
        own=0.3,
        family="normalised tf",
    ),
    Block("normalised tf mean", 0.0, "score mean", like="normalised tf sum"),
    Block(
        "normalised tf variance",
        0.0,
        "score variance",
        loads=(0.213, 0.125, 0.108, 0.211, 0.24),
        own=0.5,
        family="normalised tf",
    ),
    Block("tf-idf sum", 0.0, "score", loads=(0.287, 0.336, 0.215, 0.115, 0.313), own=0.15, family="tf"),
    Block("tf-idf min", 0.0, "score min", loads=(0.277, -0.006, -0.033, -0.253, 0.306), own=0.4, family="tf"),
    Block("tf-idf max", 0.0, "score", loads=(0.236, 0.276, 0.097, -0.017, 0.254), own=0.2, family="tf"),
    Block("tf-idf mean", 0.0, "score mean", like="tf-idf sum"),
    Block(
        "tf-idf variance",
        0.0,
        "score variance",
        loads=(0.228, 0.321, 0.139, 0.108, 0.237),
        own=0.4,
        family="tf",
    ),
    Block("boolean", 0.0, "all terms", loads=(0.673, 0.158, 0.465, 0.382, 0.63), own=0.5),
    Block("vector space", 0.0, "cosine", loads=(0.056, 0.273, -0.122, 0.117, 0.073), own=0.5),
    Block("bm25", 0.0, "score", loads=(0.455, 0.345, 0.36, 0.408, 0.4925), own=0.3, family="language model"),
    Block(
        "lmir.abs", 0.0, "lmir", loads=(0.399, 0.339, 0.379, 0.373, 0.443), own=0.15, family="language model"
    ),
    Block(
        "lmir.dir", 0.0, "lmir", loads=(0.438, 0.345, 0.364, 0.367, 0.472), own=0.2, family="language model"
    ),
    Block("lmir.jm", 0.0, "lmir", loads=(0.37, 0.255, 0.313, 0.374, 0.421), own=0.2, family="language model"),
)

SINGLES = (
    Single("url slashes", 0.085, "slashes", family="url", echo=-0.075),
    Single("url length", 0.193, "url length", family="url", echo=-0.3),
    Single("inlinks", 0.281, "links", family="links", echo=-0.675),
    Single("outlinks", 0.314, "links", family="links", echo=-0.375),
    Single("pagerank", 0.235, "rank", family="authority", echo=-0.9),
    Single("siterank", -0.017, "rank", family="authority", echo=-0.075),
    Single("quality", 0.149, "quality", family="quality", echo=-0.525),
    Single("quality 2", 0.07, "quality", family="quality"),
    Single("query-url clicks", 0.677, "rare clicks", family="clicks", echo=-0.75),
    Single("url clicks", 0.306, "common clicks", family="clicks", echo=-0.45),
    Single("dwell time", 0.235, "common dwell", family="clicks", echo=-0.675),
)
