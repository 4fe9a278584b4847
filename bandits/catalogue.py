"""All policies by name. To add one: write its file and add it here; tests and commands find it."""

from __future__ import annotations

from typing import Any

from bandits.contract import Configured, configure, suggest
from bandits.policies.batched import c2b, pcomp, scomp, scomp2
from bandits.policies.best_item import (
    active_ranking,
    active_ranking_se,
    knockout,
    mallows_mpi,
    mohajer_select,
    mohajer_top_k,
    multisort,
    opt_max,
    parwis,
    plpac,
    prefbest,
    round_efficient,
    seebs,
    seq_eliminate,
    soft_seq_eliminate,
    tournament_k,
)
from bandits.policies.condorcet import (
    beat_the_mean,
    doubler,
    dts,
    interleaved_filter,
    merge_dts,
    merge_rucb,
    multi_sbm,
    random_pair,
    rcs,
    rex3,
    rmed1,
    rmed2,
    rmed2fh,
    rts,
    rucb,
    savage,
    self_sparring,
    sparring,
    versatile_db,
    winner_stays,
)
from bandits.policies.copeland import (
    ccb,
    copeland_savage,
    cw_rmed,
    ecw_rmed,
    pbr,
    pbr_borda,
    pbr_walk,
    rankel,
    scb,
)
from bandits.policies.sets import mdb, multi_self_sparring

_CONDORCET = (
    random_pair,
    interleaved_filter,
    beat_the_mean,
    savage,
    doubler,
    multi_sbm,
    sparring,
    rucb,
    rcs,
    merge_rucb,
    dts,
    rts,
    merge_dts,
    rmed1,
    rmed2,
    rmed2fh,
    self_sparring,
    rex3,
    winner_stays,
    versatile_db,
)
_COPELAND = (ccb, scb, copeland_savage, ecw_rmed, cw_rmed, pbr, pbr_borda, pbr_walk, rankel)
_BATCHED = (c2b, pcomp, scomp, scomp2)
_BEST_ITEM = (
    prefbest,
    mohajer_select,
    mohajer_top_k,
    active_ranking,
    active_ranking_se,
    parwis,
    round_efficient,
    knockout,
    seq_eliminate,
    soft_seq_eliminate,
    opt_max,
    tournament_k,
    seebs,
    plpac,
    mallows_mpi,
    multisort,
)
# By the question they answer, as `rankduel policies` lists them.
FAMILIES = {
    "Condorcet winner": _CONDORCET,
    "Copeland winners": _COPELAND,
    "Condorcet winner, in batches": _BATCHED,
    "Best items of a pool": _BEST_ITEM,
}
POLICIES = {module.POLICY.name: module.POLICY for family in FAMILIES.values() for module in family}


def policy(name: str, **settings: Any) -> Configured:
    """A policy with settings, e.g. policy("rucb", alpha=0.6); unknown names and parameters are refused."""
    return configure(suggest(name, POLICIES | MULTI_POLICIES, "policy"), **settings)


MULTI_POLICIES = {module.POLICY.name: module.POLICY for module in (mdb, multi_self_sparring)}
