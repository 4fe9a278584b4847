"""A short use of every command that has --scheduler, for tests on a cluster.

The commands read 'data.txt', judged data with three features, and 'study.toml', and write to 'out'.
"""

_DUELS = "--interleave team_draft --length 5"
COMMANDS = {
    "matrix build": f"matrix build data.txt -o out/m.prefs.parquet --duels 2000 --simulate {_DUELS}",
    "run": f"run data.txt --live -p random_pair -p sparring --horizon 5000 --runs 3 -o out {_DUELS}",
    "compare": f"compare data.txt -p random_pair --horizon 2000 --runs 3 -o out {_DUELS}",
    "multileave": f"multileave data.txt -m sosm --impressions 3000 --runs 2 -o out {_DUELS}",
    "study run": "study run study.toml -o out",
    "winners": "winners arxiv6 --subsets --json",
}
STUDY = """
id = "small"
title = "Two policies"
source = "a test"
question = "Are the records the same?"
data = "built in"

[[runs]]
name = "runs"
problem = "arxiv6"
policies = ["rucb", "random_pair"]
sizes = { quick = { horizon = 300000, runs = 8 } }

[[checks]]
id = "below"
claim = "RUCB has less regret than chance"
[checks.order]
less = { part = "runs", policy = "rucb" }
more = { part = "runs", policy = "random_pair" }
"""
