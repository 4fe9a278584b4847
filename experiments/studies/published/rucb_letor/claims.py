"""Claims about regret and accuracy by horizon."""

from rankduel.experiments.studies.published.rucb_letor.runs import LAST, RUCB, SIZES, TOLD, told_part
from rankduel.experiments.studies.study import Between, Check, Measure, Ratio


def _at_end(k: int, name: str, tier: str, statistic: str = "mean") -> Measure:
    """Return the regret at the end of a tier: of RUCB along its run, of others in runs to that horizon."""
    if name == "RUCB":
        return Measure(f"rucb-{k}", RUCB, at=LAST[tier], statistic=statistic)
    return Measure(told_part(name, k, LAST[tier]), TOLD[name], statistic=statistic)


def _checks(k: int, tier: str, mark: str = "", known: str = "", extremes: str = "") -> tuple[Check, ...]:
    of = f"{k} rankers, {LAST[tier]:,} duels"
    return (
        Check(
            f"k{k}.half{mark}",
            f"{of}: RUCB has less than half of SAVAGE's regret",
            Ratio(_at_end(k, "RUCB", tier), _at_end(k, "SAVAGE", tier), high=0.5),
            known,
        ),
        Check(
            f"k{k}.worst_and_best{mark}",
            f"{of}: the worst RUCB run is below the best SAVAGE run",
            Ratio(_at_end(k, "RUCB", tier, "max"), _at_end(k, "SAVAGE", tier, "min"), high=1),
            extremes,
        ),
        Check(
            f"k{k}.least{mark}",
            f"{of}: RUCB has the least regret of the three, so less than BTM",
            Ratio(_at_end(k, "RUCB", tier), _at_end(k, "BTM", tier), high=1),
        ),
    )


def _accuracy_checks(k: int) -> tuple[Check, ...]:
    def of(value: str) -> Measure:
        return Measure(f"accuracy-{k}", value, "value")

    return (
        Check(
            f"k{k}.btm",
            f"{k} rankers: the regret of BTM grows linearly with the horizon: about tenfold from 10^5 to "
            "10^6 duels",
            Ratio(
                Measure(told_part("BTM", k, 1_000_000), TOLD["BTM"]),
                Measure(told_part("BTM", k, 100_000), TOLD["BTM"]),
                5,
                15,
            ),
            "47,522 at 10^6 (16 rankers)",
        ),
        Check(
            f"k{k}.straight",
            f"{k} rankers: the regret of RUCB is asymptotically linear in log t: late slope / early slope",
            Between(of("straight"), 0.5, 1.5),
        ),
        Check(
            f"k{k}.sooner",
            f"{k} rankers: RUCB recommends the winner in 80 % of runs almost twice as soon as SAVAGE",
            Between(of("SAVAGE / RUCB to 80 %"), 1.4, 4),
            "accuracy .75 at 3e4, 1 at 1e5; .50 and .85 (16 rankers)",
        ),
        Check(
            f"k{k}.btm_later",
            f"{k} rankers: BTM recommends the winner in 80 % of runs later than SAVAGE",
            Ratio(of("BTM / RUCB to 80 %"), of("SAVAGE / RUCB to 80 %"), low=1),
            "'the contrast is even more stark' published",
        ),
    )


CHECKS = (
    *_checks(16, "quick", "_1e6", "3378 and 12,089", "4034 and 10,443"),
    *(check for k in SIZES for check in (*_checks(k, "paper"), *_accuracy_checks(k))),
)
