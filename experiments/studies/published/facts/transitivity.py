"""Relaxed stochastic transitivity of the first rankers of MSLR (problems of Zoghi et al. 2014)."""

from rankduel.experiments.studies.study import Check, Computed, Exact, Inputs, Measure
from rankduel.experiments.winners.transitivity import transitivity

LEX_SIZES = (10, 20, 30, 40)  # numbers of rankers of the MSLR problems in Zoghi et al. 2014


def gamma_of_subset(inputs: Inputs) -> dict[str, float]:
    """Return gamma of relaxed transitivity over the pairs of which one ranker beats the other."""
    assert inputs.preferences is not None
    return {"gamma": transitivity(inputs.preferences.matrix).gamma_best}


def gammas_of_subsets(inputs: Inputs) -> dict[str, float]:
    """Return in how many of the problems with MSLR rankers the relaxed transitivity needs gamma > 1."""
    assert inputs.preferences is not None
    names = sorted(str(arm + 1) for arm in range(len(inputs.preferences)))
    arms = [int(name) - 1 for name in names]
    gammas = [transitivity(inputs.preferences.subset(arms[:k]).matrix).gamma_best for k in LEX_SIZES]
    return {"needed": sum(gamma > 1 for gamma in gammas)}


PARTS = (
    *(Computed(f"lex{k}", gamma_of_subset, f"mslr-perfect(lex={k},base=1)") for k in (10, 20, 30)),
    Computed("lex", gammas_of_subsets, "mslr-perfect"),
)
CHECKS = tuple(
    Check(
        f"lex{k}.gamma",
        f"relaxed transitivity of the first {k} rankers needs gamma {gamma}",
        Exact(Measure(f"lex{k}", "gamma", "value"), gamma, tolerance),
        f"{gamma}",
        real=True,
    )
    # By an independent program; 20 rankers have no total order, and with the order of their Borda scores in
    # place of the direct comparisons gamma is 1.51.
    for k, gamma, tolerance in ((10, 1.03, 0.006), (20, 1.298, 0.0005), (30, 3.47, 0.006))
)
