"""Regret of MergeDTS with hundreds of rankers (Li et al. 2020, Figures 1 and 2; Zoghi 2017, Figure 6.1).

The paper tunes MergeDTS to C = 4,000,000 (sections 5.6 and 6.7), while the demonstration script of its public
code has C = 400,000, and the code differs from the algorithm in the paper. Both are played: `merge_dts` is
the paper, and `merge_dts(variant=chang-li)` the code. The files of this study:

    mslr             the policies, and their runs on MSLR
    mslr_claims      claims about MSLR
    istella_yahoo    runs and claims about ISTELLA and Yahoo
    thesis           the comparison in the thesis of Zoghi
"""

from rankduel.experiments.studies.published.large_scale import istella_yahoo, mslr, mslr_claims, thesis
from rankduel.experiments.studies.shared.papers import LI_2020, NONE, ZOGHI_2017
from rankduel.experiments.studies.study import FAILS, REPORT, Finding, Study, Use

STUDY = Study(
    id="large-scale",
    title="Large-scale comparison",
    source="Li, Markov, de Rijke, Zoghi 2020 (TOIS), 6.1 and 6.3, Figures 1 and 2; Zoghi 2017, Figure 6.1",
    papers={
        "": LI_2020,
        "thesis.": ZOGHI_2017,
        "fig1.mslr.merge_rucb_code": NONE,
        "fig1.mslr.self_sparring_code": NONE,
        **{f"fig2.{user}.code": NONE for user in mslr.NOISE},
        "fig1.mslr.self_sparring_late": NONE,
        "fig1.mslr.dts_median": NONE,
        "fig1.mslr.dts_worst": NONE,
    },
    findings=(
        Finding(
            "**MergeDTS against mergeRUCB.** On MSLR with navigational users mergeRUCB has {nav.value:.2f} "
            "times the regret of MergeDTS (nearly double in the paper); with perfect users "
            "{perfect.value:.2f} times, with informational users {noisy.value:.2f} times, in runs that keep "
            "the winner. The paper says that the gaps grow with noise.",
            {
                "nav": Use("fig1.mslr.merge_rucb"),
                "perfect": Use("fig2.perfect.gap", REPORT),
                "noisy": Use("fig2.informational.gap", REPORT),
            },
        ),
        Finding(
            "**After 10^8 duels Self-Sparring is still ahead of MergeDTS.** It has a regret of "
            "{late.rhs:,.0f} and MergeDTS {late.lhs:,.0f}, where the paper reports the reverse; MergeDTS by "
            "the public code of its authors, whose script has C = 400,000, has {code.lhs:,.0f} in the runs "
            "that keep the winner, and is ahead, but eliminates the winner in {lost.value:.0%} of runs.",
            {
                "late": Use("fig1.mslr.self_sparring", FAILS),
                "code": Use("fig1.mslr.self_sparring_code"),
                "lost": Use("fig2.navigational.code_is_right", REPORT),
            },
        ),
    ),
    warnings={
        **dict.fromkeys(
            ("fig1.istella", "fig2.istella"),
            "The stand-in has the gaps of MSLR, as those of ISTELLA are not known.",
        ),
        **dict.fromkeys(
            ("fig1.yahoo", "fig2.yahoo"),
            "The stand-in has 181 rankers that tie with each other, as in Yahoo; how far they are behind the "
            "others is not known, and decides how long MergeDTS compares them.",
        ),
    },
    question="Which policy has least regret among 136, 220 and 700 rankers, under three kinds of users?",
    data="public MSLR and Yahoo matrices; the ISTELLA matrices are not published. Judged data of Yandex and "
    "Yahoo for the live runs of the thesis",
    parts=(*mslr.PARTS, *istella_yahoo.PARTS, *thesis.PARTS),
    checks=(
        *mslr_claims.CHECKS,
        *istella_yahoo.CHECKS,
        *thesis.CHECKS,
        *mslr_claims.TEXT_CHECKS,
        *istella_yahoo.TEXT_CHECKS,
    ),
    figures=(*mslr.FIGURES, *istella_yahoo.FIGURES, *thesis.FIGURES),
    minutes={"quick": 2.5, "paper": 38, "long": 300},
)
