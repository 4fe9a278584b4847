"""RCS against RUCB and SAVAGE on 10 to 40 rankers of MSLR (Zoghi et al. 2014, WSDM; thesis chapter 5).

The files of this study:

    accuracy     Figure 2: accuracy by horizon
    regret       Figure 3: ongoing regret on ten rankers
    low_alpha    Figure 4: alpha = 0.1
    scale        Figure 5: more rankers
    curves       numbers of the curves
"""

from rankduel.experiments.studies.published.rcs import accuracy, low_alpha, regret, scale
from rankduel.experiments.studies.shared.papers import NONE, ZOGHI_2014
from rankduel.experiments.studies.study import FAILS, Finding, Study, Use

STUDY = Study(
    id="rcs",
    title="Relative confidence sampling",
    source="Zoghi, Whiteson, de Rijke, Munos 2014 (WSDM), 6.2 to 6.5; Zoghi 2017 (thesis), chapter 5",
    papers={"": ZOGHI_2014, **{f"fig3.{name}.second_version": NONE for name in regret.TEN}},
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
        *regret.RUNS,
        *accuracy.PARTS,
        *regret.PLATEAUS,
        *low_alpha.PARTS,
        *scale.PARTS,
    ),
    checks=(*accuracy.CHECKS, *regret.CHECKS, *low_alpha.CHECKS, *scale.CHECKS),
    figures=(*accuracy.FIGURES, *regret.FIGURES, *low_alpha.FIGURES, *scale.FIGURES),
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
