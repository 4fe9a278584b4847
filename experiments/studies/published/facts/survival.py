"""The probability that a Borda winner survives a pruning phase (Yan 2022, Figure 3.1)."""

from math import ceil, comb

from rankduel.experiments.studies.study import Check, Computed, Exact, Inputs, Measure, Points, Ratio

DUELS = (3, 7, 15, 31)  # curves of the figure; odd, as a tie of an even number counts as a win
SCORES = tuple(round(0.5 + 0.02 * step, 2) for step in range(26))
# Probabilities by number of duels and Borda score.
SURVIVAL = {
    (7, 0.55): 0.6083,
    (7, 0.6): 0.7102,
    (7, 0.7): 0.8740,
    (7, 0.75): 0.9294,
    (7, 0.9): 0.9973,
    (21, 0.6): 0.8256,
}


def survival(inputs: Inputs) -> dict[str, float]:
    """Return the probability that an arm with Borda score b wins at least half of n duels."""
    points = dict.fromkeys([*SURVIVAL, *((n, b) for n in DUELS for b in SCORES)])
    return {
        f"{n} duels, {b:g}": sum(comb(n, k) * b**k * (1 - b) ** (n - k) for k in range(ceil(n / 2), n + 1))
        for n, b in points
    }


PARTS = (Computed("survival", survival),)
CHECKS = (
    *(
        Check(
            f"survival.{n}_{b}",
            f"a Borda winner of score {b} survives {n} duels with probability {share}",
            Exact(Measure("survival", f"{n} duels, {b}", "value"), share, 5e-5),
            f"{share}",
        )
        for (n, b), share in SURVIVAL.items()
    ),
    Check(
        "survival.grows",
        "Figure 3.1: with more duels a Borda winner survives more often (score .6, 21 and 7 duels)",
        Ratio(
            Measure("survival", "21 duels, 0.6", "value"),
            Measure("survival", "7 duels, 0.6", "value"),
            low=1,
        ),
    ),
)
FIGURES = (
    Points(
        "survival",
        "Probability that a Borda winner survives a pruning phase (Yan 2022, Figure 3.1)",
        "Borda score",
        "probability",
        {f"{n} duels": {b: Measure("survival", f"{n} duels, {b:g}", "value") for b in SCORES} for n in DUELS},
        published="the same formula; the text says that the probability grows with the number of duels. "
        "The numbers of duels of the published curves are not stated; 7 is used in the thesis.",
    ),
)
