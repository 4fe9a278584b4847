"""SCOMP2: compare all arms with the best arm of a small random seed set; those that beat it go on to PCOMP.

Agarwal, Ghuge and Nagarajan, "Batched Dueling Bandits", ICML 2022, Algorithm 3. Assumes a total order, strong
stochastic transitivity and the stochastic triangle inequality.

A round has two batches: all pairs of seeds, and all active arms with the candidate, a seed that no other seed
clearly beat. With sqrt(K) seeds each batch has about K pairs, where SCOMP has K^(3/2). Once an arm clearly
beats the candidate, the arms ahead of the candidate are compared among themselves.

    round r of Algorithm 3                                   here
    seed set S                                               init (seeded_state in seeds.py)
    compare all pairs of S, c_r times each                   plan
    candidate i*: P_ji <= 1/2 + gamma_r for all j in S       _find_candidates, _choose_candidate
    compare i* with A, c_r times each                        plan (plan_with_anchors in seeds.py)
    some j with P_ji* > 1/2 + 5 gamma_r:
        A* = {j : P_ji* > 1/2 + 3 gamma_r}                   learn (learn_with_anchors in seeds.py)
        run PCOMP on A*, from batch size c_r                 plan_all_pairs, learn_all_pairs (all_pairs.py)
    remove j if P_i*j > 1/2 + 5 gamma_r                      learn (learn_with_anchors in seeds.py)

The files are in bandits/parts/geometric_rounds; all_pairs.py has the readings of `threshold`. They decide the
level of the regret. On six rankers with T = 10^5, 400 runs have means of 2,215, 1,643 and 540 with ln(T K^2),
ln T and ln(K^2); the paper's curve ends at about 340. With ln(K^2) the 95 % of runs that keep the best arm
have a mean of 329. On 16 kinds of sushi the means are 4,464, 2,887 and 1,126 (60 runs), and the paper's curve
ends at about 2,200. So no reading has both levels, and the threshold of the experiments is not known.

If every seed is clearly beaten, the candidate is one whose worst loss is smallest; the paper does not treat
this case. Single duels equal those of the literal twin, tests/naive/policies/scomp2.py.
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
    add_pairs,
    begin_batch,
    best_of,
    clearly_ahead,
    record_batch,
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
    return seeded_state(n_arms, params, rng, Stage.AMONG_SEEDS)


@kernel
def plan(state, params, rng):
    if not is_seeded(state):
        plan_all_pairs(state, params)
    elif state.now[0].stage == Stage.AMONG_SEEDS and n_flagged(state.seeds) > 1:
        begin_batch(state, params)
        add_pairs(state.agenda, state.seeds)
    else:
        _choose_candidate(state, rng)
        plan_with_anchors(state, params)


@kernel
def learn(state, params):
    now = state.now[0]
    if now.stage == Stage.ALL_PAIRS:
        learn_all_pairs(state, params)
    elif now.stage == Stage.AMONG_SEEDS:
        record_batch(state)
        _find_candidates(state, params)
        now.stage = Stage.WITH_ANCHORS
    else:
        now.stage = Stage.AMONG_SEEDS
        learn_with_anchors(state, params, 5.0, 3.0)


@kernel
def recommend(state, params):
    return best_of(state, state.rounds.active)


@kernel
def survivors(state, params):
    return state.rounds.now[0].n_active


@kernel
def finished(state, params):
    return state.rounds.now[0].n_active == 1


@kernel
def _find_candidates(state, params):
    """Make anchors of the seeds that no other seed clearly beat, and those with the smallest worst loss."""
    seeds, n, log_odds = state.seeds, state.agenda.now[0].times, state.rounds.now[0].log_odds
    fewest = n
    for seed in range(len(seeds)):
        if seeds[seed]:
            fewest = min(fewest, _worst_loss(state, seed))
    for seed in range(len(seeds)):
        state.anchors[seed] = False
        if seeds[seed]:
            worst = _worst_loss(state, seed)
            beaten = clearly_ahead(params, worst, n - worst, 1.0, log_odds)
            state.anchors[seed] = worst == fewest or not beaten


@kernel
def _worst_loss(state, seed):
    """Return the largest number of duels that another seed won against this seed in the batch."""
    most = 0
    for other in range(len(state.seeds)):
        if state.seeds[other]:
            most = max(most, state.room.wins[other, seed])
    return most


@kernel
def _choose_candidate(state, rng):
    """Draw i* from the candidates, and make it the only anchor; a seed without other seeds is i* itself."""
    if state.now[0].stage == Stage.AMONG_SEEDS:
        make_seeds_anchors(state)
        state.now[0].stage = Stage.WITH_ANCHORS
    candidate = pick_flagged(state.anchors, n_flagged(state.anchors), rng)
    state.anchors[:] = False
    state.anchors[candidate] = True


POLICY = policy_of(
    __name__,
    source="Agarwal, Ghuge, Nagarajan 2022 (ICML), Algorithm 3",
    assumes="total order, strong stochastic transitivity and a stochastic triangle inequality",
    variants=VARIANTS,
)
