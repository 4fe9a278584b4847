"""mergeRUCB against RUCB and Beat the Mean with hundreds of rankers (Zoghi 2017, Figure 6.1)."""

from rankduel.experiments.studies.study import Check, Curves, Measure, Order, Part, Runs, Size

# The thesis compares the policies with the parameters of its proofs.
MERGE_RUCB = "merge_rucb(variant=paper,single_batch=merge)"
POLICIES = (MERGE_RUCB, "rucb", "beat_the_mean")
# Figure 6.1 was made with live clicks, on these judged data besides MSLR; number of duels.
LIVE = {"yandex": 2.5e7, "yahoo1": 2.5e7, "yahoo2": 2.5e7}
DUELS = 60_000  # per pair of the matrices of Yahoo (Li et al. 2020), with which regret is computed

PARTS: tuple[Part, ...] = (
    Runs("thesis", "mslr-navigational", POLICIES, {"quick": Size(1e6, 3), "paper": Size(1e7, 20)}),
    *(
        Runs(
            f"thesis-{data}",
            f"letor(data={data},clicks=navigational,mode=live,duels={DUELS})",
            POLICIES,
            {"long": Size(horizon, 5)},
        )
        for data, horizon in LIVE.items()
    ),
)
CHECKS = (
    Check(
        "thesis.large",
        "Figure 6.1: mergeRUCB (alpha 1.01, batches of 4) is below RUCB on all features of MSLR",
        Order(Measure("thesis", MERGE_RUCB, at=1e7), Measure("thesis", "rucb", at=1e7), z=3),
    ),
    *(
        Check(
            f"thesis.{data}",
            f"Figure 6.1, live clicks: mergeRUCB is below RUCB on all features of {data}",
            Order(Measure(f"thesis-{data}", MERGE_RUCB), Measure(f"thesis-{data}", "rucb"), z=3),
            real=True,
        )
        for data in LIVE
    ),
)
FIGURES = (
    Curves(
        "thesis-6.1",
        "Thesis, Figure 6.1: MSLR",
        "thesis",
        published="live runs to 10^7 duels, logarithmic time, linear regret; mergeRUCB is below RUCB "
        "and BTM.",
    ),
)
