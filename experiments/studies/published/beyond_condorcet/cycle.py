"""Five rankers of MSLR in a cycle, without a Condorcet winner (Zoghi 2017, Figure 7.6)."""

from rankduel.experiments.studies.study import (
    Between,
    Check,
    Curves,
    Figure,
    Measure,
    Order,
    Part,
    Points,
    Ratio,
    Report,
    Runs,
    Size,
)

# These policies stop exploring, with error probability 1/T, so every horizon T needs its own runs.
RACES = ("copeland_savage", "pbr", "rankel")
HORIZONS = (100_000, 1_000_000, 10_000_000, 20_000_000)
COPELAND = ("ccb", "scb")
LATER = ("dts", "ecw_rmed")  # policies for Copeland winners that are not in the thesis
# Asymptotically each of the five arms is clearly beaten, so RUCB draws its first arm uniformly, and its
# second arm is a winner that beats the first. Three arms have no Copeland loss, the others 1/2 and 3/4.
LOST_BY_RUCB = (1 / 2 + 3 / 4) / 5 / 2


def _races(horizon: int) -> str:
    return f"races-{horizon}"


def _short(horizon: int) -> str:
    """Return a horizon as text, such as '1e6'."""
    return f"{horizon:.0e}".replace("+0", "")


PARTS: tuple[Part, ...] = (
    Runs(
        "cycle5",
        "mslr5-cycle",
        (*COPELAND, "rucb"),
        {"quick": Size(1e7, 4), "paper": Size(2e7, 20)},
    ),
    Runs("cycle5-later", "mslr5-cycle", LATER, {"quick": Size(1e6, 2), "paper": Size(1e7, 10)}),
    *(
        Runs(
            _races(horizon),
            "mslr5-cycle",
            RACES,
            {"quick": Size(horizon, 16 if horizon <= 10**6 else 8), "paper": Size(horizon, 40)},
        )
        for horizon in HORIZONS
    ),
    Runs("cycle5-short", "mslr5-cycle", COPELAND, {"quick": Size(1e6, 16), "paper": Size(1e6, 40)}),
)
CHECKS = (
    Check(
        "fig7.6.rucb_linear",
        "Figure 7.6: the regret of RUCB is linear: ten times the regret after ten times the duels",
        Ratio(Measure("cycle5", "rucb", at=1e7), Measure("cycle5", "rucb", at=1e6), 10**0.95, 10**1.05),
        "10",
    ),
    Check(
        "fig7.6.rucb_eighth",
        "Figure 7.6: RUCB has a regret of 1/8 per duel on these five arms, within 5 %",
        Between(Measure("cycle5", "rucb", at=1e7), 0.95 * LOST_BY_RUCB * 1e7, 1.05 * LOST_BY_RUCB * 1e7),
        "1.254e6 ± .001e6",
    ),
    Check(
        "fig7.6.ccb_below_rucb",
        "Figure 7.6: CCB is far below RUCB at the end",
        Ratio(Measure("cycle5", "ccb", at=1e7), Measure("cycle5", "rucb", at=1e7), high=0.25),
        "1.24e5 ± .12e5 and 1.254e6",
    ),
    Check(
        "fig7.6.ccb_flattens",
        "Figure 7.6: the curve of CCB flattens: less than 10^0.4 times the regret after ten times the duels",
        Ratio(Measure("cycle5", "ccb", at=1e7), Measure("cycle5", "ccb", at=1e6), high=10**0.4),
    ),
    *(
        Check(
            f"fig7.6.ccb_below_{policy}_{_short(horizon)}",
            f"Figure 7.6: CCB is below {policy} after {horizon:,} duels",
            Order(Measure("cycle5-short" if horizon == 10**6 else "cycle5", "ccb", at=horizon), other),
        )
        for horizon in (10**6, 10**7)
        for policy, other in (
            *((race, Measure(_races(horizon), race)) for race in RACES),
            ("scb", Measure("cycle5-short" if horizon == 10**6 else "cycle5", "scb", at=horizon)),
        )
    ),
    Check(
        "fig7.6.not_monotone",
        "Figure 7.6: SAVAGE has less regret with a horizon of 2e7 than with one of 10^7",
        Report(
            Measure(_races(20_000_000), "copeland_savage"), Measure(_races(10_000_000), "copeland_savage")
        ),
        "below 1 in the figure, whose number of runs is not given",
    ),
    *(
        Check(
            f"fig7.6.{policy}_{_short(horizon)}",
            f"five arms without a Condorcet winner: {policy} (not in the figure) / CCB",
            Report(Measure("cycle5-later", policy, at=horizon), Measure("cycle5", "ccb", at=horizon)),
            known,
        )
        for policy, horizon, known in (
            ("dts", 10**6, ""),
            ("dts", 10**7, "4.3e4 and 1.24e5"),
            ("ecw_rmed", 10**6, ""),
            ("ecw_rmed", 10**7, ""),
        )
    ),
)
FIGURES: tuple[Figure, ...] = (
    Curves(
        "figure7.6-curves",
        "Figure 7.6: five arms without a Condorcet winner",
        "cycle5",
        beside=("cycle5-later",),
        published="logarithmic time, linear regret, beyond 2e7 duels; CCB is lowest, RUCB is cut off "
        "because it grows linearly.",
    ),
    Points(
        "figure7.6",
        "Figure 7.6: regret against the horizon",
        "duels",
        "cumulative regret",
        {
            **{race: {t: Measure(_races(t), race) for t in HORIZONS} for race in RACES},
            **{
                policy: {t: Measure("cycle5", policy, at=t) for t in HORIZONS}
                for policy in ("ccb", "scb", "rucb")
            },
        },
        x="log",
        published="SAVAGE, PBR and RankEl have runs of their own for each horizon, so their curves "
        "need not grow: SAVAGE is lower at 2e7 than at 10^7.",
    ),
)
