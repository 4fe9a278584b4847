"""SCOMP2: a small random seed set finds a best of its own; all arms meet that one, and who beats it goes on.

Agarwal, Ghuge and Nagarajan, "Batched Dueling Bandits", ICML 2022, Algorithm 3.

A round has two batches: the seeds among themselves, and all arms with a seed that no other seed clearly beat.
With sqrt(K) seeds either has about K pairs, where SCOMP (bandits/policies/batched/scomp.py) has K^(3/2).
"""

from __future__ import annotations

from bandits.agenda import TIMES, stepwise
from bandits.contract import Policy
from bandits.parts.geometric_rounds.all_pairs import VARIANTS, learn_all_pairs, plan_all_pairs
from bandits.parts.geometric_rounds.rounds import (
    N_LEFT,
    add_pairs,
    begin_batch,
    clearly_ahead,
    finished,
    note_batch,
    recommend,
    survivors,
)
from bandits.parts.geometric_rounds.seeds import (
    ALL_PAIRS,
    AMONG_SEEDS,
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
    return begin(n_arms, params, rng, AMONG_SEEDS)


@kernel
def plan(state, params, rng):
    agenda, standing, seeds = state
    if seeds.now[STAGE] == ALL_PAIRS or standing.now[N_LEFT] == 1:
        plan_all_pairs(agenda, standing)
        return
    if seeds.now[STAGE] == AMONG_SEEDS:
        if n_flagged(seeds.is_seed) > 1:
            begin_batch(agenda, standing.now)
            add_pairs(agenda, seeds.is_seed)
            return
        _find_judges(agenda, standing, seeds)
    judge = pick_flagged(seeds.is_judge, n_flagged(seeds.is_judge), rng)
    for arm in range(len(seeds.is_judge)):
        seeds.is_judge[arm] = arm == judge
    plan_with_judges(agenda, standing, seeds.is_judge)


@kernel
def learn(state):
    agenda, standing, seeds = state
    if seeds.now[STAGE] == ALL_PAIRS:
        learn_all_pairs(agenda, standing)
    elif seeds.now[STAGE] == AMONG_SEEDS:
        note_batch(agenda, standing)
        _find_judges(agenda, standing, seeds)
    else:
        seeds.now[STAGE] = AMONG_SEEDS
        learn_with_judges(state, 5.0, 3.0)


@kernel
def _find_judges(agenda, standing, seeds):
    """The seeds that no other seed clearly beat; if there are none, those whose worst loss is smallest."""
    is_seed, n, fewest = seeds.is_seed, agenda.now[TIMES], 1 << 62
    for seed in range(len(is_seed)):
        if is_seed[seed]:
            fewest = min(fewest, _worst_loss(standing.fresh, is_seed, seed))
    for seed in range(len(is_seed)):
        worst = _worst_loss(standing.fresh, is_seed, seed)
        unbeaten = worst == fewest or not clearly_ahead(standing, worst, n - worst, 1.0)
        seeds.is_judge[seed] = is_seed[seed] and unbeaten
    seeds.now[STAGE] = WITH_JUDGES


@kernel
def _worst_loss(fresh, is_seed, seed):
    """The most duels that another seed won against it."""
    most = 0
    for other in range(len(is_seed)):
        if is_seed[other]:
            most = max(most, fresh[other, seed])
    return most


select, update = stepwise(plan, learn)

POLICY = Policy(
    "scomp2",
    Params,
    init,
    select,
    update,
    recommend,
    survivors,
    finished=finished,
    plan=plan,
    learn=learn,
    about="A few random arms find a best of their own; all meet it, and those who beat it meet each other.",
    source="Agarwal, Ghuge, Nagarajan 2022 (ICML), Algorithm 3",
    assumes="total order, strong stochastic transitivity and a stochastic triangle inequality",
    settings=SEED_SETTINGS,
    variants=VARIANTS,
)
