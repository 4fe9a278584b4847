"""Properties of the matrices: winners, scores, cycles, subsets with a winner or a total order.

The files of this study:

    matrices        winners, scores and cycles of each matrix
    subsets         subsets with a Condorcet winner or a total order
    transitivity    relaxed transitivity
    survival        Borda winners in a pruning phase
    claims          claims of the papers about the rankers of MSLR
"""

from rankduel.experiments.studies.published.facts import matrices, subsets, survival, transitivity
from rankduel.experiments.studies.published.facts.claims import CLAIMS
from rankduel.experiments.studies.shared.papers import LI_2020, NONE, YAN_2022, ZOGHI_2014, ZOGHI_2017
from rankduel.experiments.studies.study import FAILS, Finding, Study, Use

STUDY = Study(
    id="facts",
    title="Winners, orders and cycles of the matrices in use",
    source="Zoghi et al. 2014 (WSDM), Figure 1; Zoghi 2017, 2.1.2, Figure 7.1; Yan 2022, Figure 3.1",
    papers={
        "": NONE,
        "tennis.": ZOGHI_2014,
        "mslr-perfect.always_above": ZOGHI_2014,
        "mslr-perfect.lowest": ZOGHI_2014,
        "lex.": ZOGHI_2014,
        "mslr-perfect.no_order": ZOGHI_2014,
        "thesis4.": ZOGHI_2017,
        "copeland500.": ZOGHI_2017,
        "mslr-informational.falls": ZOGHI_2017,
        "cycle": LI_2020,
        "case-": YAN_2022,
        "survival.": YAN_2022,
    },
    question="How often do the assumptions of dueling bandits hold, in the matrices that papers use?",
    data="built in; public MSLR matrices (Perfect, Navigational, Informational) for the large ones",
    parts=(
        *matrices.PARTS,
        *subsets.PARTS,
        *transitivity.PARTS,
        *survival.PARTS,
    ),
    checks=(
        *matrices.CHECKS,
        *subsets.CHECKS,
        *CLAIMS,
        *transitivity.CHECKS,
        *survival.CHECKS,
    ),
    figures=(*subsets.FIGURES, *survival.FIGURES),
    minutes={"quick": 0.1},
    findings=(
        Finding(
            "**Large sets of rankers may lack a Condorcet winner.** Zoghi et al. 2014 report "
            "a winner in more than 91% of subsets of every size; in the public matrix for perfect users "
            "the share falls to {fewest.value:.1%}, at {size.value:.0f} rankers.",
            {
                "fewest": Use("mslr-perfect.always_above", FAILS),
                "size": Use("mslr-perfect.lowest_in_the_middle"),
            },
        ),
        Finding(
            "**Informational users leave large sets without a winner.** Only {share.value:.0%} of the "
            "subsets of 100 rankers have a Condorcet winner under informational users, and all 136 have "
            "none.",
            {"share": Use("mslr-informational.falls"), "whole": Use("mslr-informational.condorcet")},
        ),
    ),
)
