"""Regret against the number of rankers and the noise of clicks (Zoghi 2017, Figures 6.3 to 6.5).

The files of this study:

    regrets    runs on 10 to 130 rankers, and numbers of their regrets
    claims     claims about sizes and noise
"""

from rankduel.experiments.studies.published.k_scan.claims import CHECKS
from rankduel.experiments.studies.published.k_scan.regrets import ALL, FIVE, PARTS, QUICK, USERS, part_name
from rankduel.experiments.studies.shared.papers import ZOGHI_2017
from rankduel.experiments.studies.study import Curves, Finding, Measure, Points, Study, Use

STUDY = Study(
    id="k-scan",
    title="From 10 to 130 rankers, and from perfect to noisy clicks",
    source="Zoghi 2017 (thesis), 6.4.3 and 6.4.4, Figures 6.3, 6.4 and 6.5",
    papers={"": ZOGHI_2017},
    findings=(
        Finding(
            "**From 70 rankers on mergeRUCB is best of five.** After 10^7 duels the next best policy has "
            "{some.value:.2f} times its regret with 70 rankers of MSLR, and {many.value:.2f} times with 130.",
            {"some": Use("k70.best"), "many": Use("k130.best")},
        ),
    ),
    question="From how many rankers on is mergeRUCB best, and which policy does noise affect most?",
    data="public MSLR matrices; random subsets with a Condorcet winner, by seeds",
    parts=PARTS,
    checks=CHECKS,
    figures=(
        *(
            Points(
                f"figure6.3{name}",
                f"Figure 6.3: regret against the number of rankers, {words}",
                "rankers",
                "cumulative regret after 10^7 duels",
                {
                    policy.partition("(")[0]: {
                        k: Measure(f"k{k}{name}", policy.partition("(")[0], "value") for k in sizes
                    }
                    for policy in FIVE
                },
                y="log",
                published="mean regret after 10^7 duels against 10 to 130 rankers; from 70 rankers on "
                "mergeRUCB is the lowest of the five.",
            )
            for name, words, sizes in (("", "ten subsets each", ALL), ("-few", "two subsets each", QUICK))
        ),
        *(
            Points(
                f"figure6.5-{user}{name}",
                f"Figure 6.5: regret against the number of rankers, {user} users, {words}",
                "rankers",
                "cumulative regret after 10^7 duels",
                {
                    policy.partition("(")[0]: {
                        k: Measure(f"noise-{k}{name}", f"{policy.partition('(')[0]}, {user}", "value")
                        for k in sizes
                    }
                    for policy in FIVE
                },
                y="log",
                published="one panel per user, mean regret after 10^7 duels of five policies against 10 to "
                "130 rankers; RCS is affected more severely by the users than mergeRUCB and RUCB.",
            )
            for user in USERS
            for name, words, sizes in (("", "ten subsets each", ALL), ("-few", "two subsets", (40,)))
        ),
        Curves(
            "figure6.4",
            "Figure 6.4: one subset of 70 rankers",
            part_name(70, 0),
            published="logarithmic time, linear regret; the order of the five policies after 10^7 duels is "
            "that of the whole curves.",
        ),
    ),
    minutes={"quick": 1.5, "paper": 14, "long": 50},
)
