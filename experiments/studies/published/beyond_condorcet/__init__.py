"""Matrices without a Condorcet winner (Zoghi 2017, Figures 7.6 to 7.8; Li et al. 2020, Figure 4).

The files of this study:

    cycle        Figure 7.6: five arms in a cycle
    many_arms    Figure 7.7: 500 arms
    five_arms    Figure 7.8: five arms with a Condorcet winner, and bounds
    two_winners  Figure 4 of Li et al.: 32 arms, two Copeland winners
"""

from rankduel.experiments.studies.published.beyond_condorcet import cycle, five_arms, many_arms, two_winners
from rankduel.experiments.studies.shared.papers import LI_2020, NONE, ZOGHI_2017
from rankduel.experiments.studies.study import REPORT, Finding, Study, Use

STUDY = Study(
    id="beyond-condorcet",
    title="Without a Condorcet winner",
    source="Zoghi 2017 (thesis), 7.5, Figures 7.6, 7.7 and 7.8; Li et al. 2020 (TOIS), 6.5, Figure 4",
    papers={
        "": ZOGHI_2017,
        "fig4.": LI_2020,
        **dict.fromkeys(
            ("fig4.both_lost_", "fig4.code", "fig4.random.", "fig4.formula.", "fig7.7.looser_"), NONE
        ),
    },
    findings=(
        Finding(
            "**Without a Condorcet winner RUCB never stops paying.** On five MSLR rankers in a cycle its "
            "regret is linear ({linear.value:.1f} times as much after ten times the duels); CCB has "
            "{ccb.value:.0%} of it after 10^7 duels.",
            {"linear": Use("fig7.6.rucb_linear"), "ccb": Use("fig7.6.ccb_below_rucb")},
        ),
        Finding(
            "**The 32 rankers of Figure 4 in Li et al. 2020 are found.** The paper does not list them; "
            "those that a public program of DTS selects have the two winners and the cycle it describes. "
            "There MergeDTS eliminates both winners in {lost.value:.0f} of 100 runs, as published, and the "
            "others end at {order.lhs:,.0f}, below mergeRUCB ({order.rhs:,.0f}) and DTS ({dts.rhs:,.0f}). "
            "Over all runs, MergeDTS ({all.rhs:,.0f}) and mergeRUCB ({all.lhs:,.0f}) are too close to be "
            "ordered.",
            {
                "lost": Use("fig4.both_lost"),
                "order": Use("fig4.order.merge_rucb"),
                "dts": Use("fig4.order.dts"),
                "all": Use("fig4.all_runs", REPORT),
            },
        ),
    ),
    question="Which policies find a Copeland winner if no arm beats all others, and at what cost if one "
    "does?",
    data="built in; public MSLR matrix, Informational. For the 32 rankers of Figure 4, which are not listed, "
    "those that the public program of Wu and Liu 2016 selects",
    parts=(
        *cycle.PARTS,
        *many_arms.PARTS,
        *five_arms.PARTS,
        *two_winners.PARTS,
    ),
    checks=(
        *cycle.CHECKS,
        *many_arms.CHECKS,
        *five_arms.CHECKS,
        *two_winners.CHECKS,
    ),
    figures=(
        *cycle.FIGURES,
        many_arms.FIGURE,
        *five_arms.FIGURES,
        *two_winners.FIGURES,
    ),
    minutes={"quick": 2, "paper": 21},
)
