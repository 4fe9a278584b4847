"""Claims about the number of rankers and the noise of clicks."""

from rankduel.experiments.studies.published.k_scan.regrets import ALL, NOISY
from rankduel.experiments.studies.study import Between, Check, Measure, Ratio, Report

CHECKS = (
    *(
        Check(
            f"k{k}.rcs",
            f"K = {k}: mergeRUCB is below RCS",
            Between(Measure(f"k{k}", "merge_rucb below rcs", "value"), low=0.9),
            "103k/101k/86k and 152k/193k/227k (100); 156k/131k/171k and 333k/261k/264k (130)",
        )
        for k in (100, 130)
    ),
    Check(
        "k130.few",
        "K = 130: mergeRUCB is below RCS (two subsets)",
        Between(Measure("k130-few", "merge_rucb below rcs", "value"), low=1),
        "156k/131k/171k and 333k/261k/264k",
    ),
    Check(
        "k130.rucb",
        "K = 130: mergeRUCB is best of all, so below RUCB",
        Between(Measure("k130", "merge_rucb below rucb", "value"), low=0.9),
    ),
    *(
        Check(
            f"k{k}.best",
            f"Figure 6.3, K = {k}: mergeRUCB is below RUCB, RCS, SAVAGE and BTM (mean regret of the "
            "next best / that of mergeRUCB)",
            Between(Measure(f"k{k}", "next best / merge_rucb", "value"), low=1),
            "for K >= 70 published",
        )
        for k in ALL
        if k >= 70
    ),
    Check(
        "k130.best_few",
        "Figure 6.3, K = 130: mergeRUCB is below RUCB, RCS, SAVAGE and BTM (two subsets)",
        Between(Measure("k130-few", "next best / merge_rucb", "value"), low=1),
        "for K >= 70 published",
    ),
    Check(
        "k20.rucb",
        "K = 20: RUCB is still below mergeRUCB (medians over subsets, ten runs each)",
        Between(Measure("k20-again", "rucb median / merge_rucb median", "value"), high=1),
        "12.4k/6.4k/7.8k and 12.7k/8.0k/8.8k",
    ),
    Check(
        "lead_grows",
        "6.4.1: the lead of mergeRUCB over RUCB grows with K: it is larger with 130 rankers than with 70",
        Ratio(
            Measure("k130", "rucb median / merge_rucb median", "value"),
            Measure("k70", "rucb median / merge_rucb median", "value"),
            low=1,
        ),
    ),
    Check(
        "k70.break_even",
        "from about K = 70 on, mergeRUCB is best",
        Report(Measure("k70", "rucb median / merge_rucb median", "value")),
        "58.5k ± 5.0k, 61.8k of RUCB, 62.8k of RCS",
    ),
    *(
        Check(
            f"clicks.{k}{mark}",
            f"Figure 6.5, K = {k}: noisy clicks increase the regret of RCS more than that of {name} "
            "(share of subsets)",
            Between(Measure(f"noise-{k}", f"rcs suffers more than {other}", "value"), low=0.8),
            known,
        )
        for k in NOISY
        for mark, name, other, known in (
            ("", "mergeRUCB", "merge_rucb", "5 of 6 (K = 40)"),
            (".rucb", "RUCB", "rucb", ""),
        )
    ),
    Check(
        "clicks.40_few",
        "K = 40: factor by which noise increases the regret of RCS (two subsets)",
        Report(Measure("noise-40-few", "rcs", "value")),
        "1.31 to 7.72; mergeRUCB 1.31 to 2.08",
    ),
)
