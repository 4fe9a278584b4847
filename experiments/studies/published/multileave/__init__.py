"""Quality of the pages during learning, with two or with many rankers per page (Li et al. 2020, Figure 5).

The text of section 6.6 adds C(epsilon) to the step in the confidence bounds of both methods (Table 1): with
alpha = .51, ln C is 1414, so that two rankers are told apart only after 2,885 / (2 gap)^2 duels. The
published curves of MergeDTS rise fast. On synthetic documents they do not with this C, where 135 of 136
rankers are left after 200,000 pages, so MergeDTS is also played with the C of the other sections. In the
public program the set of rankers of a page is always empty, and 100 random rankers share the page instead,
whatever was learned. This alone makes the curve of multileaving flat, which the paper explains by rankers
that are not told apart ("SOSM compares all rankers in each step").

The files of this study:

    quality    runs, and the quality of their pages
    claims     claims about quality, clicks and eliminated rankers
"""

from rankduel.experiments.studies.published.multileave.claims import CHECKS
from rankduel.experiments.studies.published.multileave.quality import METRICS, PARTS, SIZES
from rankduel.experiments.studies.shared.papers import LI_2020, NONE
from rankduel.experiments.studies.study import REPORT, Curves, Finding, Study, Use

STUDY = Study(
    id="multileave",
    title="Pages of two rankers against pages of many rankers",
    source="Li, Markov, de Rijke, Zoghi 2020 (TOIS), 6.6, Figure 5",
    papers={"": LI_2020, "clicks_of_best": NONE, "ndcg_of_most_clicked": NONE},
    warnings={
        "": "Documents and rankers are synthetic, so the quality of pages is not that of the published data.",
        **{check.id: check.explanation for check in CHECKS if check.explanation},
    },
    findings=(
        Finding(
            "**More clicks are not better pages.** Navigational users leave after a satisfying document. The "
            "best ranker (NDCG@10 {quality.rhs:.3f}) has {clicks.lhs:.3f} expected clicks a page, and a "
            "ranker of {quality.lhs:.3f} has {clicks.rhs:.3f}, the most. Li et al. 2020 compare clicks as a "
            "measure of quality.",
            {"clicks": Use("clicks_of_best", REPORT), "quality": Use("ndcg_of_most_clicked", REPORT)},
        ),
    ),
    question="Do users see better pages during learning if two rankers share a page, or if many rankers do?",
    data="judged data of MSLR, or else synthetic documents. In the public program of the paper the set of "
    "rankers that are unbeaten is always empty, so 100 random rankers share every page: this is what the "
    "flat curve of the figure shows",
    parts=PARTS,
    checks=CHECKS,
    figures=tuple(
        Curves(
            f"figure5-{name}-{metric}",
            f"Figure 5: {words}, {name} rankers",
            name,
            metric,
            x="linear",
            published="means of 5 runs of 2 million pages; MergeDTS is above SOSM and rises quickly, SOSM "
            "is almost flat.",
        )
        for name in SIZES
        for metric, words in METRICS.items()
    ),
    minutes={"quick": 1.2, "paper": 5},
)
