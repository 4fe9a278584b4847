"""A small study in TOML with two parts, four checks and two curves."""

TOML = """
id = "tiny"
title = "SAVAGE learns"
source = "a paper"
question = "Does it?"
data = "built in"

[[runs]]
name = "easy"
problem = "cyclic"
policies = ["savage", "random_pair"]
sizes = { quick = { horizon = 2000, runs = 4 }, paper = { horizon = 4000, runs = 8 } }

[[runs]]
name = "public"
problem = "mslr-perfect(random=4,seed=2)"
policies = ["random_pair"]
sizes = { quick = { horizon = 100, runs = 2 } }

[[checks]]
id = "savage_below"
claim = "SAVAGE has less regret than chance"
reference = "surely"
[checks.order]
less = { part = "easy", policy = "savage" }
more = { part = "easy", policy = "random_pair" }
z = 3

[[checks]]
id = "other_way"
claim = "chance is better"
explanation = "it is not: it never learns"
[checks.ratio]
top = { part = "easy", policy = "random_pair" }
bottom = { part = "easy", policy = "savage" }
high = 1

[[checks]]
id = "long"
claim = "later too"
between = { value = { part = "easy", policy = "savage", at = 4000 }, high = 1e9 }

[[checks]]
id = "public"
claim = "no regret"
between = { value = { part = "public", policy = "random_pair" }, high = 0 }

[[curves]]
name = "regret"
title = "Regret"
part = "easy"

[[curves]]
name = "public"
title = "Regret, public"
part = "public"
"""
