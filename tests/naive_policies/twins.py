"""Every policy's twin, by the policy's name."""

from naive_policies.active_ranking import Elimination, Lucb
from naive_policies.beat_the_mean import BeatTheMean
from naive_policies.c2b import C2b
from naive_policies.ccb import Ccb
from naive_policies.copeland_savage import CopelandSavage
from naive_policies.cw_rmed import CwRmed, EcwRmed
from naive_policies.doubler import Doubler
from naive_policies.dts import Dts
from naive_policies.interleaved_filter import InterleavedFilter
from naive_policies.knockout import Knockout
from naive_policies.mallows_mpi import MallowsMpi
from naive_policies.merge_dts import MergeDts
from naive_policies.merge_rucb import MergeRucb
from naive_policies.mohajer import Select, TopK
from naive_policies.multi_sbm import MultiSbm
from naive_policies.multisort import Multisort
from naive_policies.opt_max import OptMax
from naive_policies.parwis import Parwis
from naive_policies.pbr import Pbr, PbrBorda, PbrWalk
from naive_policies.pcomp import Pcomp
from naive_policies.plpac import Plpac
from naive_policies.prefbest import PrefBest
from naive_policies.random_pair import RandomPair
from naive_policies.rankel import RankEl
from naive_policies.rcs import Rcs
from naive_policies.rex3 import Rex3
from naive_policies.rmed import Rmed1, Rmed2, Rmed2fh
from naive_policies.round_efficient import RoundEfficient
from naive_policies.rts import Rts
from naive_policies.rucb import Rucb
from naive_policies.savage import Savage
from naive_policies.scb import Scb
from naive_policies.scomp import Scomp, Scomp2
from naive_policies.self_sparring import SelfSparring
from naive_policies.seq_eliminate import SeqEliminate, SoftSeqEliminate
from naive_policies.sparring import Sparring
from naive_policies.tournament_k import Seebs, TournamentK
from naive_policies.versatile_db import VersatileDb
from naive_policies.winner_stays import WinnerStays

TWINS = {
    "random_pair": RandomPair,
    "interleaved_filter": InterleavedFilter,
    "beat_the_mean": BeatTheMean,
    "savage": Savage,
    "doubler": Doubler,
    "multi_sbm": MultiSbm,
    "sparring": Sparring,
    "rucb": Rucb,
    "rcs": Rcs,
    "merge_rucb": MergeRucb,
    "dts": Dts,
    "rts": Rts,
    "merge_dts": MergeDts,
    "rmed1": Rmed1,
    "rmed2": Rmed2,
    "rmed2fh": Rmed2fh,
    "self_sparring": SelfSparring,
    "rex3": Rex3,
    "winner_stays": WinnerStays,
    "versatile_db": VersatileDb,
    "ccb": Ccb,
    "scb": Scb,
    "copeland_savage": CopelandSavage,
    "ecw_rmed": EcwRmed,
    "cw_rmed": CwRmed,
    "pbr": Pbr,
    "pbr_borda": PbrBorda,
    "pbr_walk": PbrWalk,
    "rankel": RankEl,
    "c2b": C2b,
    "pcomp": Pcomp,
    "scomp": Scomp,
    "scomp2": Scomp2,
    "prefbest": PrefBest,
    "mohajer_select": Select,
    "mohajer_top_k": TopK,
    "active_ranking": Lucb,
    "active_ranking_se": Elimination,
    "parwis": Parwis,
    "round_efficient": RoundEfficient,
    "knockout": Knockout,
    "seq_eliminate": SeqEliminate,
    "soft_seq_eliminate": SoftSeqEliminate,
    "opt_max": OptMax,
    "tournament_k": TournamentK,
    "seebs": Seebs,
    "plpac": Plpac,
    "mallows_mpi": MallowsMpi,
    "multisort": Multisort,
}
