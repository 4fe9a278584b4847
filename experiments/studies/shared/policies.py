"""Policies of Li et al. 2020, in the notation of rankduel policies."""

# MergeDTS and its baselines, with the settings of the paper and its public code.
LI_2020_POLICIES = (
    "merge_dts",
    "merge_rucb",
    "dts(variant=published)",
    "self_sparring",
    "rmed1(variant=chang-li)",
    "rex3(variant=chang-li)",
)
# MergeDTS by the authors' public code and the C of its demonstration script; bandits/policies/condorcet/
# merge_dts.py lists the differences from the paper.
MERGE_DTS_CODE = "merge_dts(variant=chang-li)"
