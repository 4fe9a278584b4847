"""Every policy's twin, by the policy's name."""

from naive_policies.beat_the_mean import BeatTheMean
from naive_policies.doubler import Doubler
from naive_policies.dts import Dts
from naive_policies.interleaved_filter import InterleavedFilter
from naive_policies.merge_dts import MergeDts
from naive_policies.merge_rucb import MergeRucb
from naive_policies.multi_sbm import MultiSbm
from naive_policies.random_pair import RandomPair
from naive_policies.rcs import Rcs
from naive_policies.rex3 import Rex3
from naive_policies.rmed import Rmed1, Rmed2, Rmed2fh
from naive_policies.rts import Rts
from naive_policies.rucb import Rucb
from naive_policies.savage import Savage
from naive_policies.self_sparring import SelfSparring
from naive_policies.sparring import Sparring
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
}
