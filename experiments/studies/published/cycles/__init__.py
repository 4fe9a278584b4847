"""Matrices with cycles, on which Borda scores mislead and policies rank differently (Li et al. 2020, 6.4).

The claims are in claims.py.
"""

from rankduel.experiments.studies.published.cycles.claims import CHECKS, LIKELIEST, MERGING, MISLED
from rankduel.experiments.studies.shared.papers import KOMIYAMA_2015, LI_2020, NONE, ZOGHI_2017
from rankduel.experiments.studies.shared.policies import LI_2020_POLICIES, MERGE_DTS_CODE
from rankduel.experiments.studies.study import REPORT, Curves, Finding, Runs, Size, Study, Use

_SIZES = {"quick": Size(1e6, 12), "paper": Size(1e7, 100)}
_SMALL = {"quick": Size(1e5, 40), "paper": Size(1e6, 40)}

STUDY = Study(
    id="cycles",
    title="Cyclic preferences among the arms below the winner",
    source="Li, Markov, de Rijke, Zoghi 2020 (TOIS), 6.4, Figure 3; Zoghi 2017 (thesis), 2.1.2",
    papers={
        "": LI_2020,
        "thesis4.": ZOGHI_2017,
        "cyclic.": KOMIYAMA_2015,
        "cycle.rmed1_of_": NONE,
        "cycle2.rmed1_of_": NONE,
        "cycle.code": NONE,
        "cycle2.code": NONE,
    },
    findings=(
        Finding(
            "**One line of RMED1 decides its place among cycles.** RMED1 as in the public code of Li et "
            "al., which compares an arm with the one that beats it hardest, ends at {code.lhs:,.0f} on "
            "Cycle and MergeDTS at {code.rhs:,.0f}; RMED1 as in its own paper has {own.value:.1f} times "
            "the regret of MergeDTS.",
            {"code": Use("cycle.rmed1"), "own": Use("cycle.rmed1_of_its_own_paper", REPORT)},
        ),
    ),
    question="Do policies find the Condorcet winner if the other arms beat each other in a cycle?",
    data="built in",
    parts=(
        Runs("cycle", "cycle", (*LI_2020_POLICIES, MERGE_DTS_CODE, LIKELIEST, MERGING), _SIZES),
        # The two policies are close, so many runs are needed; both are fast.
        Runs("cycle-merge", "cycle", LI_2020_POLICIES[:2], {"paper": Size(1e6, 2000)}),
        Runs("cycle2", "cycle2", (*LI_2020_POLICIES, MERGE_DTS_CODE, LIKELIEST, MERGING), _SIZES),
        Runs(
            "cyclic",
            "cyclic",
            (*MISLED, "rmed1", "rmed2"),
            {"quick": Size(1e5, 40), "paper": Size(1e5, 200)},
        ),
        Runs("thesis4", "thesis4", MISLED, _SMALL),
    ),
    checks=CHECKS,
    figures=(
        Curves(
            "figure3-cycle",
            "Figure 3, left: Cycle",
            "cycle",
            y="log",
            published="means of 100 runs to 10^7 duels; Self-Sparring is an order of magnitude above "
            "MergeDTS, only RMED1 and mergeRUCB are below it.",
        ),
        Curves(
            "figure3-cycle2",
            "Figure 3, right: Cycle2",
            "cycle2",
            y="log",
            published="means of 100 runs to 10^7 duels; Self-Sparring does well, RMED1 is above MergeDTS.",
        ),
        Curves("thesis4", "Four arms, thesis 2.1.2", "thesis4"),
        Curves(
            "thesis4-accuracy", "Four arms: share of runs that recommend the winner", "thesis4", "correct"
        ),
    ),
    minutes={"quick": 0.5, "paper": 6},
)
