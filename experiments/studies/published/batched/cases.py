"""The policies of the batched study, and its data sets with horizons and values of an independent program."""

import math
from typing import NamedTuple

from rankduel.experiments.studies.study import Measure, Runs, Size


class Scomp2(NamedTuple):
    """SCOMP2 with one reading of its threshold, which is negative as printed."""

    threshold: str
    policy: str
    mark: str  # in ids of checks


# C2B has log2 T batches for T duels, MORE has six more. BARE has no confidence radius in the test for a
# defeat: a candidate defeats every arm against which it leads.
C2B, MORE = "c2b", "c2b(variant=published-6)"
BARE, BARE_MORE = "c2b(c_scale=0)", "c2b(c_scale=0,extra=6)"
BTM = "beat_the_mean(gamma=1.3,f=1,opponent=exclude_self)"
BY_BOTH = Scomp2("ln(T K^2)", "scomp2", "")
BY_HORIZON = Scomp2("ln T", "scomp2(threshold=horizon)", "_horizon")
BY_ARMS = Scomp2("ln(K^2)", "scomp2(variant=printed-sign-changed)", "_arms")
SCOMP2 = (BY_BOTH, BY_HORIZON, BY_ARMS)
POLICIES = (C2B, MORE, BARE, BARE_MORE, *(one.policy for one in SCOMP2), "rucb", "rmed1", BTM)
SEED = 1  # of the random subsets of 30 rankers


class Planned(NamedTuple):
    """Four variants of C2B with log T batches, to base 2 or e, as the paper does not state the base."""

    batches: int
    plain: str
    more: str
    bare: str
    bare_more: str
    base_text: str = ""  # the base of the logarithm, in claims
    mark: str = ""  # and in ids of checks

    @property
    def policies(self) -> tuple[str, str, str, str]:
        return self.plain, self.more, self.bare, self.bare_more


class Case(NamedTuple):
    """One data set of the figures, with its horizon and values from an independent program."""

    name: str
    problem: str
    title: str
    horizon: int
    quick: int  # runs in the quick tier
    known: tuple[int, ...] = ()  # mean regrets of RUCB, RMED1 and the four C2B, from an independent program
    natural: tuple[int, ...] = ()  # mean regrets of the four C2B with ln T batches
    known_on: str = ""  # the matrix of the known values, if it is another
    undecided: str = ""  # reason why several arms are left at the end

    @property
    def by_two(self) -> Planned:
        return Planned(self.horizon.bit_length() - 1, C2B, MORE, BARE, BARE_MORE)

    @property
    def by_e(self) -> Planned:
        n = math.floor(math.log(self.horizon))
        return Planned(
            n,
            f"c2b(batches={n})",
            f"c2b(batches={n},extra=6)",
            f"c2b(batches={n},c_scale=0)",
            f"c2b(batches={n},c_scale=0,extra=6)",
            base_text=", with the number of batches from ln T",
            mark="natural_",
        )

    @property
    def parts(self) -> tuple[Runs, Runs]:
        return (
            Runs(self.name, self.problem, POLICIES, self.sizes),
            Runs(f"{self.name}-natural", self.problem, self.by_e.policies, self.sizes),
        )

    def final(self, policy: str, column: str = "regret", statistic: str = "mean") -> Measure:
        part = self.name if policy in POLICIES else f"{self.name}-natural"
        return Measure(part, policy, column, statistic=statistic)

    @property
    def known_of(self) -> dict[str, int]:
        by_two = dict(zip(("rucb", "rmed1", C2B, MORE, BARE, BARE_MORE), self.known))
        return by_two | dict(zip(self.by_e.policies, self.natural))

    def beside(self, policy: str, other: str) -> str:
        """Return the known mean regrets of two policies as text, if there are any."""
        known = self.known_of
        return f"{known[policy]:,} and {known[other]:,}{self.known_on}" if known else ""

    @property
    def sizes(self) -> dict[str, Size]:
        runs = 400 if self.horizon == 10**5 else 60
        return {"quick": Size(self.horizon, self.quick), "paper": Size(self.horizon, runs)}


SIX = Case(
    "six",
    "arxiv6",
    "six rankers of arXiv.org",
    10**5,
    200,
    (541, 264, 663, 594, 452, 396),
    (819, 667, 537, 427),
)
SUSHI = Case(
    "sushi", "sushi16", "sushi", 10**5, 60, (1137, 287, 1867, 1640, 612, 482), (2219, 1802, 753, 545)
)
MEATH = Case("meath", "meath12", "Meath", 10**5, 60, (928, 349, 1240, 1093, 574, 518), (1457, 1184, 711, 578))
DUBLIN = Case(
    "dublin",
    "dublin8",
    "Dublin",
    10**5,
    60,
    (764, 404, 935, 821, 654, 595),
    (1051, 887, 793, 708),
    undecided="One candidate is only .0143 behind the winner. To eliminate it takes 14 nats of evidence, "
    "some 34,000 duels against the winner, so both may be left. Verified by runs: both are left in 60 of 400 "
    "runs, with the winner recommended in all; if the candidate is .05 behind, in none.",
)
MSLR = Case(
    "mslr30",
    f"mslr-navigational(random=30,seed={SEED})",
    "30 rankers of MSLR",
    10**6,
    20,
    (12666, 3442, 12661, 11574, 6279, 5398),
    (15173, 12661, 7736, 6279),
    " on another draw",
    undecided="The 30 rankers of the paper are not published. In this draw two rankers are only .0074 and "
    ".0077 behind the best. To eliminate either takes 23 nats of evidence, some 200,000 duels against the "
    "best, so several arms may be left. Every run that does not end with the winner has such a ranker "
    "left; no run ends with that ranker alone.",
)
YAHOO = Case("yahoo30", f"yahoo-navigational(random=30,seed={SEED})", "30 rankers of Yahoo", 10**6, 20)
CASES = (SIX, SUSHI, MEATH, DUBLIN, MSLR, YAHOO)
