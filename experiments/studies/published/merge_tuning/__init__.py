"""Regret by the parameters of MergeDTS and mergeRUCB (Li et al. 2020, Figure 6; Zoghi 2017, Figure 6.6).

The files of this study:

    parameters    runs by alpha, batch size and C, and the search for the best of them
    grid          mergeRUCB on a grid of batch sizes and alphas
    claims        claims about the parameters
"""

from rankduel.experiments.studies.published.merge_tuning import grid
from rankduel.experiments.studies.published.merge_tuning.claims import CHECKS, alpha_measure, constant_measure
from rankduel.experiments.studies.published.merge_tuning.parameters import (
    BATCHES,
    CONSTANTS,
    PARTS,
    POWERS,
    by_batch,
)
from rankduel.experiments.studies.shared.papers import LI_2020, NONE, ZOGHI_2017
from rankduel.experiments.studies.study import Finding, Measure, Points, Study, Use

STUDY = Study(
    id="merge-tuning",
    title="Parameters of MergeDTS and mergeRUCB",
    source="Li, Markov, de Rijke, Zoghi 2020 (TOIS), 5.6 and 6.7, Figure 6; Zoghi 2017 (thesis), Figure 6.6",
    papers={"": LI_2020, "grid.": ZOGHI_2017, "alone": NONE},
    findings=(
        Finding(
            "**Outside the guarantee MergeDTS is cheaper, and fails as often as published.** alpha = .8^4 "
            "has {third.value:.0%} of the regret of alpha = 1; with .8^9 the winner is eliminated in "
            "{nine.value:.0f} of 100 runs (10 published), with .8^7 in {seven.value:.0f} (1 published).",
            {
                "third": Use("alpha.third"),
                "nine": Use("alpha.failures_9"),
                "seven": Use("alpha.failures_7"),
            },
        ),
    ),
    question="What do smaller alpha, larger batches and a smaller constant C gain, and what do they risk?",
    data="public MSLR matrix, Navigational",
    parts=PARTS,
    checks=CHECKS,
    figures=(
        Points(
            "figure6-alpha",
            "Figure 6, left: regret against alpha",
            "alpha",
            "cumulative regret after 10^7 duels",
            {
                "runs that keep the winner": {
                    0.8**power: alpha_measure(power, only="right") for power in POWERS
                }
            },
            published="means of 100 runs with standard errors; alpha = .8^4 has about a third of the "
            "regret of 1, and below .8^6 runs eliminate the winner.",
        ),
        Points(
            "figure6-M",
            "Figure 6, middle: regret against the size of batches",
            "M",
            "cumulative regret after 10^7 duels",
            {"MergeDTS": {m: Measure("batch", by_batch(m), at=1e7, only="right") for m in BATCHES}},
            published="means of 100 runs; the larger the batches, the lower the regret.",
        ),
        Points(
            "figure6-C",
            "Figure 6, right: regret against C",
            "C",
            "cumulative regret after 10^7 duels",
            {
                "mean": {c: constant_measure(c, only="right") for c in CONSTANTS},
                "best run": {c: constant_measure(c, statistic="min") for c in CONSTANTS},
            },
            x="log",
            published="means of 100 runs; a smaller C has less regret and more failures, 4e6 is the "
            "smallest without.",
        ),
        *grid.FIGURES,
    ),
    minutes={"quick": 2.5, "paper": 45, "long": 130},
)
