"""C2B, which learns in batches, against sequential policies (Agarwal, Ghuge, Nagarajan 2022, NeurIPS).

The files of this study:

    cases     the policies, and the data sets of the figures
    claims    claims about the regrets on each data set
    levels    final regrets, as read off published curves and from an independent program
    draws     more random subsets of 30 rankers
    lists     properties of the ranked lists
"""

from rankduel.experiments.studies.published.batched import draws, levels, lists
from rankduel.experiments.studies.published.batched.cases import CASES
from rankduel.experiments.studies.published.batched.claims import checks_of
from rankduel.experiments.studies.published.batched.levels import levels_of
from rankduel.experiments.studies.shared.papers import AGARWAL_2022, NONE
from rankduel.experiments.studies.study import FAILS, Curves, Finding, Study, Use

STUDY = Study(
    id="batched",
    title="Dueling bandits in a few batches",
    source="Agarwal, Ghuge, Nagarajan 2022 (NeurIPS), section 4, Figures 1 and 2",
    papers={
        "": AGARWAL_2022,
        **dict.fromkeys(("data.", "level.", "fig1.six.scomp2_level_arms_right"), NONE),
    },
    findings=(
        Finding(
            "**C2B is below RUCB only without the printed confidence radius.** On the six rankers of "
            "arXiv.org, C2B with six more batches ends at {printed.lhs:.0f} and RUCB at {printed.rhs:.0f}, "
            "where the paper reports less; without the radius in the test for a defeat it ends at "
            "{bare.lhs:.0f}.",
            {"printed": Use("fig2.six.rucb", FAILS), "bare": Use("fig2.six.rucb_without_radius")},
        ),
    ),
    warnings={
        "": "The gaps of the stand-in, which decide when C2B settles, are not those of the published data."
    },
    question="Can a policy with a dozen batches have as little regret as policies that learn from every "
    "duel?",
    data="built in (six rankers); public MSLR matrix, Navigational; a matrix of Yahoo; ranked lists of "
    "preflib.org: 00014-00000002.soi (sushi), 00001-00000001.soi, -2 and -3 (Dublin North and West, Meath)",
    parts=(
        *(part for case in CASES for part in case.parts),
        *draws.PARTS,
        *lists.PARTS,
    ),
    checks=(
        *(check for case in CASES for check in (*checks_of(case), *levels_of(case))),
        *draws.CHECKS,
        *lists.CHECKS,
        *levels.CHECKS,
    ),
    figures=tuple(
        Curves(
            f"figures1-2-{case.name}",
            f"Figures 1 and 2: {case.title}",
            case.name,
            published="means of 20 runs; Figure 1 has C2B and SCOMP2 with log T batches, Figure 2 C2B with "
            "six more. C2B is flat at the end, far below BTM, and comparable to RUCB; with six more "
            "batches below it.",
        )
        for case in CASES
    ),
    minutes={"quick": 2, "paper": 5},
)
