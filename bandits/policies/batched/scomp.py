"""SCOMP, seeded comparisons: all arms meet a small random seed set; who beats all of it goes on to PCOMP.

Agarwal, Ghuge and Nagarajan, "Batched Dueling Bandits", ICML 2022, Algorithm 2.

With sqrt(K) seeds a batch has K^(3/2) pairs instead of K^2, and few arms are better than the best seed. Of K
arms each is a seed with chance 1 / sqrt(K), or K^(-2/3) for a better worst case.
"""

from __future__ import annotations

from bandits.agenda import stepwise
from bandits.contract import Policy
from bandits.parts.geometric_rounds.all_pairs import VARIANTS, learn_all_pairs, plan_all_pairs
from bandits.parts.geometric_rounds.rounds import N_LEFT, finished, recommend, survivors
from bandits.parts.geometric_rounds.seeds import (
    ALL_PAIRS,
    SEED_SETTINGS,
    STAGE,
    WITH_JUDGES,
    Params,
    begin,
    learn_with_judges,
    plan_with_judges,
)
from bandits.parts.picks import n_flagged, pick_flagged
from rankduel.base.compiling import kernel


def init(n_arms, params, rng):
    return begin(n_arms, params, rng, WITH_JUDGES)


@kernel
def plan(state, params, rng):
    agenda, standing, seeds = state
    if seeds.now[STAGE] == ALL_PAIRS or standing.now[N_LEFT] == 1:
        plan_all_pairs(agenda, standing)
        return
    if n_flagged(seeds.is_seed) == 0:
        seeds.is_seed[pick_flagged(standing.is_left, standing.now[N_LEFT], rng)] = True
    for arm in range(len(seeds.is_seed)):
        seeds.is_judge[arm] = seeds.is_seed[arm]
    plan_with_judges(agenda, standing, seeds.is_judge)


@kernel
def learn(state):
    if state.seeds.now[STAGE] == ALL_PAIRS:
        learn_all_pairs(state.agenda, state.standing)
    else:
        learn_with_judges(state, 3.0, 1.0)


select, update = stepwise(plan, learn)

POLICY = Policy(
    "scomp",
    Params,
    init,
    select,
    update,
    recommend,
    survivors,
    finished=finished,
    plan=plan,
    learn=learn,
    about="All arms meet a few random ones in growing batches; those who beat these meet each other.",
    source="Agarwal, Ghuge, Nagarajan 2022 (ICML), Algorithm 2",
    assumes="total order, strong stochastic transitivity and a stochastic triangle inequality",
    settings=SEED_SETTINGS,
    variants=VARIANTS | {"worst-case": {"seed_power": 2 / 3}},
)
