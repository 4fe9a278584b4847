"""Accuracy and regret of RCS, RUCB and SAVAGE by horizon (Zoghi et al. 2014, Figure 2)."""

from rankduel.experiments.studies.published.rcs.curves import HORIZONS, RCS, RUCB, accuracy
from rankduel.experiments.studies.published.rcs.regret import TEN
from rankduel.experiments.studies.study import Between, Check, Computed, Measure, Part, Points, Runs, Size

EXPLORED = {"lex1": "MSLR", "yahoo1": "Yahoo Set 1"}  # problems of the figure


def _accuracy(name: str, problem: str) -> Measure:
    return Measure(f"accuracy-{problem}", name, "value")


def _savage(problem: str, t: int) -> str:
    return f"savage-{problem}-{t}"


def _parts(name: str) -> list[Part]:
    sizes = {"quick": 400, "paper": 1000}
    runs = [
        Runs(
            f"explore-{name}",
            TEN[name],
            (RCS, RUCB),
            {tier: Size(HORIZONS[-1], n) for tier, n in sizes.items()},
        ),
        *(
            Runs(_savage(name, t), TEN[name], ("savage",), {tier: Size(t, n) for tier, n in sizes.items()})
            for t in HORIZONS
        ),
    ]
    return [*runs, Computed(f"accuracy-{name}", accuracy, after=[part.name for part in runs], cached=False)]


def _checks(problem: str, about: str) -> tuple[Check, ...]:
    return (
        Check(
            f"fig2.{problem}.accuracy",
            f"{about}: RCS recommends the winner more often than SAVAGE at every horizon (at none is it "
            "behind by two standard errors)",
            Between(_accuracy("least lead", problem), low=-2),
            ".42/.61/.74/.89/.98/1 of RCS and .40/.52/.65/.70/.68/.84 of SAVAGE from 100 to 5,000 duels "
            "(MSLR)",
        ),
        Check(
            f"fig2.{problem}.lead",
            f"{about}: RCS recommends the winner clearly more often than SAVAGE at 1000 and 2000 duels "
            "(by four standard errors)",
            Between(_accuracy("lead at 1000 and 2000", problem), low=4),
            ".89 and .70; .98 and .68 (MSLR)",
        ),
        Check(
            f"fig2.{problem}.sooner",
            f"{about}: RCS recommends the winner in 80 % of runs almost twice as soon as SAVAGE",
            Between(_accuracy("steps to 80 %", problem), low=1.5),
            "1000 and 2000 duels published (Yahoo Set 1)",
        ),
        Check(
            f"fig2.{problem}.regret",
            f"{about}: when all runs recommend the winner, SAVAGE has at least three times the regret of RCS",
            Between(_accuracy("regret when always right", problem), low=3),
            "7.5 (MSLR)",
        ),
        Check(
            f"fig2.{problem}.rucb",
            f"{about}, 6.2: the accuracy of RUCB is slightly below that of RCS (mean over the horizons)",
            Between(_accuracy("lead over RUCB", problem), 0, 0.1),
            "not plotted in the paper",
        ),
    )


def _figures(name: str, about: str) -> tuple[Points, Points]:
    return (
        Points(
            f"figure2-accuracy-{name}",
            f"Figure 2, top: accuracy against the horizon, {about}",
            "duels",
            "share of runs that recommend the winner",
            {
                line: {t: _accuracy(f"{line} at {t}", name) for t in HORIZONS}
                for line in ("RCS", "SAVAGE", "RUCB")
            },
            x="log",
            published="90 runs, ten horizons to 10^4, logarithmic time; RCS is above SAVAGE "
            "throughout and reaches the same accuracy almost twice as fast. RUCB was left out of "
            "the published figure.",
        ),
        Points(
            f"figure2-regret-{name}",
            f"Figure 2, bottom: regret against the horizon, {about}",
            "duels",
            "cumulative regret",
            {
                "RCS": {t: Measure(f"explore-{name}", RCS, at=t) for t in HORIZONS},
                "SAVAGE": {t: Measure(_savage(name, t), "savage") for t in HORIZONS},
            },
            x="log",
            y="log",
            published="both axes logarithmic, to 10^5 duels and a regret of 10^3; SAVAGE is an "
            "order of magnitude above RCS.",
        ),
    )


PARTS = tuple(part for name in EXPLORED for part in _parts(name))
CHECKS = tuple(check for name, about in EXPLORED.items() for check in _checks(name, about))
FIGURES = tuple(figure for name, about in EXPLORED.items() for figure in _figures(name, about))
