"""Shares of the subsets of the public matrices that have a Condorcet winner or a total order."""

import numpy as np

from rankduel.experiments.studies.published.facts.matrices import LARGE, matrix_facts
from rankduel.experiments.studies.study import Between, Check, Computed, Exact, Inputs, Measure, Points, Size
from rankduel.experiments.winners.subsets import subset_shares

SIZES = (5, 10, 20, 40, 80, 100, 120)  # sizes of subsets in the checks; figures have all sizes
# Shares of subsets with a Condorcet winner, by SIZES.
WINNERS = {
    "mslr-perfect": (0.995189, 0.983388, 0.965941, 0.942147, 0.902979, 0.890311, 0.917485),
    "mslr-navigational": (0.995746, 0.983732, 0.955748, 0.904376, 0.845903, 0.852652, 0.907021),
    "mslr-informational-cdc": (0.995249, 0.973211, 0.905651, 0.812015, 0.872425, 0.940521, 0.988581),
    "mslr-informational": (0.995257, 0.973311, 0.903994, 0.765428, 0.479079, 0.305123, 0.128230),
}
# Shares of subsets of 10, 20 and 40 rankers with a total order, and standard errors (samples of 2e5 and 5e4).
ORDERS = {
    "mslr-perfect": ((0.9022, 0.0007), (0.4798, 0.0011), (0.0133, 0.0005)),
    "mslr-navigational": ((0.9168, 0.0006), (0.5359, 0.0011), (0.0254, 0.0007)),
    "mslr-informational-cdc": ((0.9241, 0.0006), (0.5673, 0.0011), (0.0366, 0.0008)),
    "mslr-informational": ((0.9248, 0.0006), (0.5644, 0.0011), (0.0335, 0.0008)),
}
SAMPLES = 20_000
SHOWN_AS = {
    "mslr-perfect": "linear axes; the curve of Condorcet winners is always above .91 and lowest at "
    "intermediate sizes, that of total orders (10,000 subsets per size) falls quickly.",
    "mslr-informational": "10,000 subsets per size; the share with a Condorcet winner decreases rapidly "
    "with the number of rankers. Total orders are not shown.",
}
SHOWN_IN = {
    "mslr-perfect": " (Zoghi et al. 2014, Figure 1)",
    "mslr-informational": " (Zoghi 2017, Figure 7.1)",
}


def public_facts(inputs: Inputs) -> dict[str, float]:
    """Return `matrix_facts` and, for every size, shares of subsets with a Condorcet winner or a total order.

    Shares with a winner are exact; shares with a total order are estimated from a sample.
    """
    assert inputs.preferences is not None
    matrix = inputs.preferences.matrix
    shares = subset_shares(matrix, range(1, len(matrix) + 1), samples=inputs.size.runs).set_index("size")
    found = {
        f"{key} in {size}": share
        for key, column in (("winner", "condorcet"), ("order", "total_order"))
        for size, share in shares[column].items()
    }
    winners = shares["condorcet"]
    return (
        matrix_facts(inputs)
        | found
        | {"fewest winners": winners.min(), "fewest winners at": winners.idxmin()}
    )


def _order_share(part: str, size: int, share: float, error: float) -> Check:
    """Return a check that the share is within four standard errors of the difference of both samples."""
    apart = 4 * float(np.hypot(error, (share * (1 - share) / SAMPLES) ** 0.5))
    test = Between(Measure(part, f"order in {size}", "value"), share - apart, share + apart)
    return Check(
        f"{part}.order_in_{size}",
        f"{part}: {share:.2%} of {size}-subsets have a total order",
        test,
        f"{share}",
        real=True,
    )


PARTS = tuple(Computed(name, public_facts, name, sizes={"quick": Size(1, SAMPLES)}) for name in LARGE)
CHECKS = (
    *(
        Check(
            f"{part}.winner_in_{size}",
            f"{part}: {share:.4%} of {size}-subsets have a Condorcet winner",
            Exact(Measure(part, f"winner in {size}", "value"), share, 5e-7),
            f"{share}",
            real=True,
        )
        for part, shares in WINNERS.items()
        for size, share in zip(SIZES, shares)
    ),
    *(
        _order_share(part, size, share, error)
        for part, shares in ORDERS.items()
        for size, (share, error) in zip((10, 20, 40), shares)
    ),
    *(
        Check(
            f"{part}.no_order_in_{size}",
            f"{part}: hardly any {size}-subset has a total order",
            Between(Measure(part, f"order in {size}", "value"), high=0.0005),
            "0 of 10,000",
        )
        for part in LARGE
        for size in (80, 120)
    ),
)
FIGURES = tuple(
    Points(
        f"subsets-{part}",
        f"Subsets with a Condorcet winner and with a total order: {part}{SHOWN_IN.get(part, '')}",
        "rankers in the subset",
        "share of subsets",
        {
            label: {
                size: Measure(part, f"{key} in {size}", "value") for size in range(1, int(facts["arms"]) + 1)
            }
            for label, key in (("Condorcet winner", "winner"), ("total order", "order"))
        },
        levels={"winner always above": 0.91} if part == "mslr-perfect" else {},
        published=SHOWN_AS.get(part, ""),
    )
    for part, facts in LARGE.items()
)
