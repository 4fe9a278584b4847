"""All policies for sets of arms, by name."""

from bandits.multi_dueling import mdb, multi_self_sparring

MULTI_POLICIES = {module.POLICY.name: module.POLICY for module in (mdb, multi_self_sparring)}
