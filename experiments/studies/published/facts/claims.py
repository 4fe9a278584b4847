"""Claims of the papers about subsets of the rankers of MSLR."""

from rankduel.experiments.studies.study import Between, Check, Measure

# Claims of the papers about subsets of the rankers of MSLR.
CLAIMS = (
    Check(
        "mslr-perfect.always_above",
        "6.1: the share of subsets with a Condorcet winner is always above .91",
        Between(Measure("mslr-perfect", "fewest winners", "value"), low=0.91),
        ".91 published; .89031 at 100 rankers by an independent program",
        explanation="In the public matrix, with 400,000 duels per pair, the share falls to .8903 at "
        "100 rankers, by exact counting. The matrix of the paper had 80,000 duels per pair. The public "
        "matrix, redrawn 2,000 times with as many duels, has a smallest share from .84 to .96 (95 % of "
        "the draws), and above .91 in 32 %: the claim depends on the noise of the estimate.",
    ),
    Check(
        "mslr-perfect.lowest_in_the_middle",
        "6.1: the share of subsets with a Condorcet winner is smallest at intermediate sizes",
        Between(Measure("mslr-perfect", "fewest winners at", "value"), 20, 120),
        "100 by an independent program",
        real=True,
    ),
    Check(
        "lex.half_need_gamma",
        "2: half of the six problems violate strong stochastic transitivity (gamma above 1), so one to "
        "three of the four with rankers of MSLR",
        Between(Measure("lex", "needed", "value"), 1, 3),
        "half of the problems published",
        real=True,
        explanation="In the public matrix all four violate it, so at least four of the six: gamma is "
        "1.03, 1.30, 3.47 and 3.47 for 10, 20, 30 and 40 rankers. The cause was not found. Excluded so "
        "far: features numbered from 0, and the noise of an estimate from 80,000 duels per pair (gamma "
        "of ten rankers is above 1 in 99.5 % of 400 redraws).",
    ),
    Check(
        "mslr-informational.falls",
        "if the whole matrix has no Condorcet winner, the share falls rapidly: below a third of 100-subsets",
        Between(Measure("mslr-informational", "winner in 100", "value"), high=1 / 3),
        "0.305",
        real=True,
    ),
)
