"""Notions of a winner and gaps on random subsets (Zoghi 2017, Table 7.1, Figures 7.2 and 7.3).

The files of this study:

    subsets    winners and gaps of random subsets
    claims     claims about them, and Table 7.1
"""

from rankduel.experiments.studies.published.winner_notions.claims import (
    CHECKS,
    FULL_RATIO,
    MOST,
    USERS,
    gap_measure,
    table_7_1,
)
from rankduel.experiments.studies.published.winner_notions.subsets import gaps, overlaps
from rankduel.experiments.studies.shared.papers import NONE, ZOGHI_2017
from rankduel.experiments.studies.study import (
    Bubbles,
    Computed,
    Finding,
    Measure,
    Points,
    Size,
    Study,
    Table,
    Use,
)
from rankduel.experiments.winners.overlaps import LOSSES, WINNERS

_SIZES = {"quick": Size(1, 400), "paper": Size(1, 10_000)}

STUDY = Study(
    id="winner-notions",
    title="Do notions of a winner agree?",
    source="Zoghi 2017 (thesis), 7.1.2 and 7.4.2, Table 7.1, Figures 7.2 and 7.3",
    question="How often do Copeland, von Neumann, Borda and random-walk winners agree on random subsets, and "
    "which gaps decide how hard a subset is?",
    papers={"": ZOGHI_2017, "navigational.": NONE, **{f"informational.{k}_": NONE for k in range(6)}},
    findings=(
        Finding(
            "**The winner depends on the definition, and on the users.** Under informational users "
            "Copeland and Borda winners coincide in {noisy.value:.1f}% of subsets (51.49% published), "
            "under navigational users in {nav.value:.1f}%.",
            {"noisy": Use("informational.copeland-borda"), "nav": Use("navigational.copeland-borda")},
        ),
    ),
    data="public MSLR matrices: Informational (all 136), Navigational",
    parts=(
        *(Computed(part, overlaps, f"mslr-{part}", sizes=_SIZES) for part in USERS),
        Computed("gaps", gaps, "mslr-informational", sizes=_SIZES),
    ),
    checks=CHECKS,
    figures=(
        Points(
            "figure7.3",
            "Figure 7.3: factor by which CCB's bound is smaller than one by the smallest gap",
            "rankers in the subset",
            "mean of (Delta / Delta_min)^2",
            {"random subsets": {size: gap_measure(f"of {size}") for size in range(2, 136)}},
            y="log",
            levels={"all 136 rankers": FULL_RATIO},
        ),
        *(
            Bubbles(
                f"figure7.2-{part}-{number.split()[-1]}",
                f"Figure 7.2: {title}, {part} user; areas are shares of subsets",
                "rankers in the subset",
                title,
                {
                    count: {
                        size: Measure(part, f"{count} {number} in {size}", "value") for size in range(1, 137)
                    }
                    for count in range(MOST[number] + 1)
                },
                published="the same circles for informational users; both numbers are generally much lower "
                "than the size of the subset.",
            )
            for part in USERS
            for number, title in ((WINNERS, "Copeland winners"), (LOSSES, "losses of a Copeland winner"))
        ),
    ),
    tables=(Table("table7.1", "Table 7.1: subsets in which notions have a winner in common", table_7_1),),
    minutes={"quick": 0.4, "paper": 6},
)
