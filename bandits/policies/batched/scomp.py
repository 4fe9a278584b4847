"""SCOMP: compare all arms with a small random seed set; the arms that beat all of it go on to PCOMP.

Agarwal, Ghuge and Nagarajan, "Batched Dueling Bandits", ICML 2022, Algorithm 2. Assumes a total order, strong
stochastic transitivity and the stochastic triangle inequality.

Each of K arms is a seed with probability 1 / sqrt(K), or K^(-2/3) for a better worst case. A round has about
K^(3/2) pairs instead of the K^2 of PCOMP, and under a total order few arms are better than the best seed.
Once an arm clearly beats all seeds, the arms ahead of all seeds are compared among themselves.

    round r of Algorithm 2                                   here
    seed set S                                               init (seeded_state in seeds.py)
    compare S with A, c_r times each                         plan (plan_with_anchors in seeds.py)
    some j with P_ji > 1/2 + 3 gamma_r for all i in S:
        A* = {j : P_ji > 1/2 + gamma_r for all i in S}       learn (learn_with_anchors in seeds.py)
        run PCOMP on A*, from batch size c_r                 plan_all_pairs, learn_all_pairs (all_pairs.py)
    remove j if P_ij > 1/2 + 3 gamma_r for some i in S       learn (learn_with_anchors in seeds.py)

The files are in bandits/parts/geometric_rounds. If all seeds are eliminated, a random active arm becomes the
seed; the paper does not treat this case. Single duels equal those of the literal twin,
tests/naive/policies/scomp.py.
"""

from __future__ import annotations

from typing import NamedTuple

from rankduel.bandits.contract import policy_of
from rankduel.bandits.parts.geometric_rounds.all_pairs import VARIANTS, learn_all_pairs, plan_all_pairs
from rankduel.bandits.parts.geometric_rounds.rounds import (
    Batches,
    Elim,
    ElimSwitch,
    ExtraBatches,
    PlannedHorizon,
    Threshold,
    ThresholdSwitch,
    best_of,
)
from rankduel.bandits.parts.geometric_rounds.seeds import (
    SeedPower,
    Stage,
    is_seeded,
    learn_with_anchors,
    make_seeds_anchors,
    plan_with_anchors,
    seeded_state,
)
from rankduel.bandits.parts.picks import n_flagged, pick_flagged
from rankduel.base.compiling import kernel


class Params(NamedTuple):
    batches: Batches = 0
    extra: ExtraBatches = 0
    elim: ElimSwitch = Elim.KL
    threshold: ThresholdSwitch = Threshold.DELTA
    seed_power: SeedPower = 0.5
    horizon: PlannedHorizon = 0


def init(n_arms, params, rng):
    return seeded_state(n_arms, params, rng, Stage.WITH_ANCHORS)


@kernel
def plan(state, params, rng):
    if not is_seeded(state):
        plan_all_pairs(state, params)
        return
    if n_flagged(state.seeds) == 0:
        state.seeds[pick_flagged(state.rounds.active, state.rounds.now[0].n_active, rng)] = True
    make_seeds_anchors(state)
    plan_with_anchors(state, params)


@kernel
def learn(state, params):
    if state.now[0].stage == Stage.ALL_PAIRS:
        learn_all_pairs(state, params)
    else:
        learn_with_anchors(state, params, 3.0, 1.0)


@kernel
def recommend(state, params):
    return best_of(state, state.rounds.active)


@kernel
def survivors(state, params):
    return state.rounds.now[0].n_active


@kernel
def finished(state, params):
    return state.rounds.now[0].n_active == 1


POLICY = policy_of(
    __name__,
    source="Agarwal, Ghuge, Nagarajan 2022 (ICML), Algorithm 2",
    assumes="total order, strong stochastic transitivity and a stochastic triangle inequality",
    variants=VARIANTS | {"worst-case": {"seed_power": 2 / 3}},
)
