"""MergeDTS and its competitors on 220 rankers of ISTELLA and 700 of Yahoo (Li et al. 2020, 6.1 and 6.3)."""

from rankduel.experiments.studies.published.large_scale.mslr import DTS, MERGE, OTHERS, REX3, SELF
from rankduel.experiments.studies.shared.policies import MERGE_DTS_CODE
from rankduel.experiments.studies.study import (
    Between,
    Check,
    Curves,
    Measure,
    Order,
    Part,
    Ratio,
    Report,
    Runs,
    Size,
)


def _sizes(quick: int, paper: int) -> dict[str, Size]:
    return {"quick": Size(1e7, quick), "paper": Size(1e7, paper), "long": Size(1e8, 50)}


# Stand-ins have fewer runs in tier paper: their number of rankers is the published one, their regret is not.
PARTS: tuple[Part, ...] = (
    Runs("istella", "istella-navigational", (*MERGE, MERGE_DTS_CODE), _sizes(quick=5, paper=20)),
    Runs("istella-others", "istella-navigational", OTHERS, {"paper": Size(1e7, 10), "long": Size(1e7, 50)}),
    Runs("yahoo", "yahoo-navigational", (*MERGE, MERGE_DTS_CODE), _sizes(quick=3, paper=10)),
    Runs(
        "yahoo-others",
        "yahoo-navigational",
        (SELF, REX3),
        {"quick": Size(1e6, 2), "paper": Size(1e7, 5), "long": Size(1e8, 50)},
    ),
    *(
        part
        for user in ("perfect", "informational")
        for part in (
            Runs(f"istella-{user}", f"istella-{user}", MERGE, _sizes(quick=5, paper=20)),
            Runs(f"yahoo-{user}", f"yahoo-{user}", ("merge_dts",), _sizes(quick=3, paper=10)),
            Runs(f"yahoo-{user}-others", f"yahoo-{user}", (SELF,), {"paper": Size(1e7, 5)}),
        )
    ),
)
# Claims that the figures show.
CHECKS = (
    Check(
        "fig1.istella",
        "ISTELLA: MergeDTS is below mergeRUCB",
        Order(
            Measure("istella", "merge_dts", only="right"),
            Measure("istella", "merge_rucb", only="right"),
            z=3,
        ),
    ),
    Check(
        "fig1.yahoo.settles",
        "Yahoo: MergeDTS has converged by 10^7 duels (published: after 3 million)",
        Between(Measure("yahoo", "merge_dts", "survivors", at=1e7), high=1),
    ),
    Check(
        "fig1.yahoo.self_sparring",
        "Yahoo: the regret of Self-Sparring still grows at the end",
        Between(Measure("yahoo-others", SELF, at=1e6, since=5e5), low=1),
    ),
    Check(
        "fig2.yahoo.noise",
        "Yahoo: noise increases the regret of MergeDTS, as uninformative rankers are hard to distinguish",
        Order(Measure("yahoo-perfect", "merge_dts"), Measure("yahoo-informational", "merge_dts"), z=3),
    ),
)
# Claims of the text in sections 6.1 and 6.3.
TEXT_CHECKS = (
    *(
        Check(
            f"fig1.istella.{name}",
            f"6.1, ISTELLA: after 10^7 duels MergeDTS is below {name}",
            Order(
                Measure("istella", "merge_dts", at=1e7, only="right"),
                Measure("istella-others", policy, at=1e7),
            ),
        )
        for name, policy in (("dts", DTS), ("self_sparring", SELF))
    ),
    *(
        Check(
            f"fig2.istella.{user}",
            f"6.3, ISTELLA, {user}: MergeDTS is below mergeRUCB",
            Order(
                Measure(f"istella-{user}", "merge_dts", at=1e7, only="right"),
                Measure(f"istella-{user}", "merge_rucb", at=1e7, only="right"),
                z=3,
            ),
        )
        for user in ("perfect", "informational")
    ),
    Check(
        "fig1.yahoo.merge_rucb",
        "6.1, Yahoo: MergeDTS is below mergeRUCB, with a large gap",
        Order(Measure("yahoo", "merge_dts", at=1e7), Measure("yahoo", "merge_rucb", at=1e7), z=3),
    ),
    Check(
        "fig1.yahoo.settles_3e6",
        "6.1, Yahoo: MergeDTS has converged to the winner after three million duels",
        Between(Measure("yahoo", "merge_dts", "survivors", at=3e6), high=1),
    ),
    Check(
        "fig1.yahoo.self_sparring_below",
        "6.1, Yahoo: after 10^8 duels MergeDTS is slightly above Self-Sparring",
        Ratio(Measure("yahoo", "merge_dts", at=1e8), Measure("yahoo-others", SELF, at=1e8), 1, 2),
    ),
    Check(
        "fig1.yahoo.self_sparring_early",
        "6.1, Yahoo: early on (10^6 duels) Self-Sparring is below MergeDTS",
        Order(Measure("yahoo-others", SELF, at=1e6), Measure("yahoo", "merge_dts", at=1e6), z=3),
    ),
    *(
        Check(
            f"fig2.yahoo.{name}_noise",
            f"6.3, Yahoo: factor by which informational users increase the regret of {name}; it is "
            "said to be larger for MergeDTS than for Self-Sparring",
            Report(
                Measure(f"yahoo-informational{mark}", policy, at=1e7),
                Measure(f"yahoo-perfect{mark}", policy, at=1e7),
            ),
        )
        for name, mark, policy in (("MergeDTS", "", "merge_dts"), ("Self-Sparring", "-others", SELF))
    ),
)
FIGURES = (
    Curves(
        "istella",
        "Figure 1: ISTELLA, navigational",
        "istella",
        beside=("istella-others",),
        published="means of 50 runs to 10^8 duels, DTS to 10^7; MergeDTS ends lowest.",
    ),
    Curves(
        "yahoo",
        "Figure 1: Yahoo, navigational",
        "yahoo",
        beside=("yahoo-others",),
        published="without DTS and RMED1; MergeDTS is slightly above Self-Sparring, but flat after "
        "three million duels, while Self-Sparring still grows at 10^8.",
    ),
)
