"""Claims of both figures of the batched study about one data set: batches, answers, and order of regrets."""

from collections.abc import Iterator

from rankduel.experiments.studies.published.batched.cases import BTM, C2B, MORE, SCOMP2, YAHOO, Case, Planned
from rankduel.experiments.studies.study import Between, Check, Order, Ratio, Report

COMPARABLE_TO_RUCB, COMPARABLE_TO_RMED1 = (0.7, 1.5), (1, 2.2)  # ranges of ratios of regrets
THRESHOLD = (
    "The claim depends on the reading of SCOMP2's threshold, which is negative as printed. With ln(K^2), the "
    "lowest, SCOMP2 eliminates arms soon, at times also the winner."
)
NO_RADIUS = "without a confidence radius in the test for a defeat"
RADIUS = (
    "Verified by runs: the confidence radius in the printed test for a defeat causes the regret. On the "
    "ranked lists of sushi, six more batches give 1,638 with the radius as printed, 1,676, 1,163 and 706 "
    "with 0.5, 0.25 and 0.1 times the radius, and 481 without (c_scale=0); RUCB has 1,128, RMED1 281 (60 "
    "runs each). An independent program gives the same results with the radius and without."
)


def checks_of(case: Case) -> Iterator[Check]:
    """Yield the claims of both figures about one data set."""
    for planned in (case.by_two, case.by_e):
        yield from _in_the_end(case, planned)
        yield Check(
            f"fig2.{case.name}.{planned.mark}more_batches",
            f"{case.title}: six more batches lower the regret of C2B{planned.base_text}",
            Order(case.final(planned.more), case.final(planned.plain)),
            case.beside(planned.more, planned.plain),
            runs=case.sizes["paper"].runs,  # with fewer the two are too close on some sets
        )
        yield from _without_radius(case, planned)
    yield Check(
        f"fig1.{case.name}.btm",
        f"{case.title}: C2B is far below BTM",
        Ratio(case.final(C2B), case.final(BTM), high=0.4),
    )
    for scomp2 in SCOMP2:
        yield Check(
            f"fig1.{case.name}.scomp2{scomp2.mark}",
            f"{case.title}: C2B is below SCOMP2 with threshold {scomp2.threshold}, as on most sets",
            Order(case.final(C2B), case.final(scomp2.policy), z=3),
            explanation=THRESHOLD,
        )
    yield from _with_radius(case)


def _in_the_end(case: Case, planned: Planned) -> Iterator[Check]:
    n = planned.batches
    for policy, name, batches in ((planned.plain, "fig1", n), (planned.more, "fig2", n + 6)):
        yield Check(
            f"{name}.{case.name}.{planned.mark}batches",
            f"{case.title}: C2B needs no more than {batches} batches{planned.base_text}",
            Between(case.final(policy, "rounds", "max"), high=batches),
        )
        yield Check(
            f"{name}.{case.name}.{planned.mark}is_right",
            f"{case.title}: C2B ends with the winner, in {batches} batches{planned.base_text}",
            Between(case.final(policy, "wrong"), high=1 / 60),
            "in all runs",
            explanation=case.undecided,
        )
        yield Check(
            f"{name}.{case.name}.{planned.mark}flat",
            f"{case.title}: C2B has eliminated all other arms at the end, in {batches} "
            f"batches{planned.base_text}",
            Between(case.final(policy, "survivors"), high=1.05),
            "1 in all runs",
            explanation=case.undecided,
        )


def _without_radius(case: Case, planned: Planned) -> Iterator[Check]:
    """Yield comparisons with RUCB and RMED1; reports for Yahoo, where the paper finds a large difference."""
    yield Check(
        f"fig1.{case.name}.{planned.mark}rucb_without_radius",
        f"{case.title}: C2B is comparable to RUCB, {NO_RADIUS}{planned.base_text}",
        _report_yahoo(case, Ratio(case.final(planned.bare), case.final("rucb"), 0.5, 1.3)),
        case.beside(planned.bare, "rucb"),
    )
    yield Check(
        f"fig2.{case.name}.{planned.mark}rucb_without_radius",
        f"{case.title}: with six more batches C2B is below RUCB, {NO_RADIUS}{planned.base_text}",
        Order(case.final(planned.bare_more), case.final("rucb"), z=2),
        case.beside(planned.bare_more, "rucb"),
    )
    yield Check(
        f"fig2.{case.name}.{planned.mark}rmed1_without_radius",
        f"{case.title}: with six more batches C2B is comparable to RMED1, {NO_RADIUS}{planned.base_text}",
        _report_yahoo(case, Ratio(case.final(planned.bare_more), case.final("rmed1"), *COMPARABLE_TO_RMED1)),
        case.beside(planned.bare_more, "rmed1"),
    )


def _with_radius(case: Case) -> Iterator[Check]:
    """Yield the same comparisons with the test for a defeat as printed; with ln T batches as reports only."""
    yield Check(
        f"fig1.{case.name}.rucb",
        f"{case.title}: C2B is comparable to RUCB",
        _report_yahoo(case, Ratio(case.final(C2B), case.final("rucb"), *COMPARABLE_TO_RUCB)),
        case.beside(C2B, "rucb"),
        explanation=RADIUS,
    )
    yield Check(
        f"fig2.{case.name}.rucb",
        f"{case.title}: with six more batches C2B is below RUCB",
        Order(case.final(MORE), case.final("rucb"), z=2),
        case.beside(MORE, "rucb"),
        explanation=RADIUS,
    )
    yield Check(
        f"fig2.{case.name}.rmed1",
        f"{case.title}: with six more batches C2B is comparable to RMED1",
        _report_yahoo(case, Ratio(case.final(MORE), case.final("rmed1"), *COMPARABLE_TO_RMED1)),
        case.beside(MORE, "rmed1"),
        explanation=RADIUS,
    )
    by_e = case.by_e
    for figure, policy, claim in (
        ("fig1", by_e.plain, "C2B is comparable to RUCB"),
        ("fig2", by_e.more, "with six more batches C2B is below RUCB"),
    ):
        yield Check(
            f"{figure}.{case.name}.natural_rucb",
            f"{case.title}: {claim}{by_e.base_text}",
            Report(case.final(policy), case.final("rucb")),
            case.beside(policy, "rucb"),
        )


def _report_yahoo(case: Case, test: Ratio) -> Ratio | Report:
    return test if case is not YAHOO else Report(test.top, test.bottom)
