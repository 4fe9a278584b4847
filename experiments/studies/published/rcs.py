"""RCS against RUCB and SAVAGE on 10 to 40 rankers of MSLR (Zoghi et al. 2014, WSDM; thesis chapter 5).

The files of this study:

    rcs_accuracy     Figure 2: accuracy by horizon
    rcs_regret       Figure 3: ongoing regret on ten rankers
    rcs_low_alpha    Figure 4: alpha = 0.1
    rcs_scale        Figure 5: more rankers
    rcs_curves       numbers of the curves
"""

from rankduel.experiments.studies.papers import NONE, ZOGHI_2014
from rankduel.experiments.studies.published import rcs_accuracy, rcs_low_alpha, rcs_regret, rcs_scale
from rankduel.experiments.studies.study import FAILS, Finding, Study, Use

STUDY = Study(
    id="rcs",
    title="Relative confidence sampling",
    source="Zoghi, Whiteson, de Rijke, Munos 2014 (WSDM), 6.2 to 6.5; Zoghi 2017 (thesis), chapter 5",
    papers={"": ZOGHI_2014, **{f"fig3.{name}.second_version": NONE for name in rcs_regret.TEN}},
    warnings={
        "": "The gaps between the rankers of the stand-in are not those of the published problem.",
        **dict.fromkeys(
            ("fig2.yahoo1.", "fig3.yahoo1."),
            "The gaps between the ten rankers of the stand-in are so small that neither policy settles "
            "within 50,000 duels.",
        ),
    },
    question="Has sampling the champion (RCS) less regret than RUCB, and when does each find the winner?",
    data="public MSLR and Yahoo matrices, Perfect",
    parts=(
        *rcs_regret.RUNS,
        *rcs_accuracy.PARTS,
        *rcs_regret.PLATEAUS,
        *rcs_low_alpha.PARTS,
        *rcs_scale.PARTS,
    ),
    checks=(*rcs_accuracy.CHECKS, *rcs_regret.CHECKS, *rcs_low_alpha.CHECKS, *rcs_scale.CHECKS),
    figures=(*rcs_accuracy.FIGURES, *rcs_regret.FIGURES, *rcs_low_alpha.FIGURES, *rcs_scale.FIGURES),
    minutes={"quick": 2.5, "paper": 17},
    findings=(
        Finding(
            "**Sampling the champion pays.** On ten MSLR rankers RCS ends with "
            "{third.lhs:.0f} and RUCB with {third.rhs:.0f} ({third.value:.2f} of it), and even the best of "
            "{best.n_lhs} RUCB runs ({best.lhs:.0f}) is above the mean of RCS.",
            {"third": Use("fig3.lex1.third"), "best": Use("fig3.lex1.best_run")},
        ),
        Finding(
            "**The lead of RCS at the crossing is as published, and then fades.** With 20 rankers, where "
            "the two curves cross, RUCB makes {share.value:.1f} times more suboptimal comparisons (6 to 9 "
            "times in the paper); at twice that time {after.value:.1f} times, where the paper has 8.",
            {"share": Use("fig5.20.share"), "after": Use("fig5.20.share_after", FAILS)},
        ),
        Finding(
            "**Which features come first decides the lead of RCS.** The paper does not list its rankers. "
            "Twice as late as the crossing, RUCB's regret exceeds that of RCS by 30, 12.3 and 12.6% with 20, "
            "30 and 40 features in the paper. Here it does so by {a.value:.0%}, {b.value:.0%} and "
            "{c.value:.0%} with the first features in text order if they are numbered from 0, and by "
            "{d.value:.0%}, {e.value:.0%} and {f.value:.0%} if numbered from 1.",
            {
                **{name: Use(f"fig5.{k}.lex0.excess") for name, k in zip("abc", (20, 30, 40))},
                "d": Use("fig5.20.excess"),
                "e": Use("fig5.30.excess", FAILS),
                "f": Use("fig5.40.excess"),
            },
        ),
    ),
)
