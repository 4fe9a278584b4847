"""The fixed set of commands, in groups: the steps of a group share a process and a folder.

The group DATA comes first, since the others read its files. All other groups are independent, so they run
side by side. Horizons are short: most of the time goes into compiling, once per policy and kind of duel.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

Step = list[str]
Groups = dict[str, list[Step]]

DATA = "data"
_RANKERS = [
    "--rankers",
    "16,98,106,108,110,115,130,134",
]  # 16, 98 and 134 have many ties
_FEW_RANKERS = ["--rankers", "98,106,110,134"]
_SMALL = "../data/small.parquet"
_JOBS = ["--jobs", "1", "--no-cache"]  # groups run in parallel, so each uses one thread
_SHORT = ["--horizon", "2000", "--runs", "2", "--checkpoints", "20", "--jobs", "1"]
_LIVE = [_SMALL, "--live", "--no-cache", *_RANKERS]
_LIVE_BY_TEAM_DRAFT = [*_LIVE, "--interleave", "team_draft", "--matrix", "../data/small.prefs.parquet"]

_SHAPES = ("yahoo", "istella", "letor-agg", "demo")
_CONVERTED = ("txt", "txt.gz", "txt.bz2", "txt.xz", "txt.zst")
_INTERLEAVERS = (
    "balanced",
    "balanced(credit=lerot)",
    "team_draft",
    "team_draft(prefix=neutral)",
    "document_constraints",
    "document_constraints(type=2)",
    "document_constraints(type=1)",
    "probabilistic",
    "probabilistic(credit=assignment,tau=2)",
    "probabilistic(credit=marginal_bernoulli)",
    "probabilistic(credit=marginal_sampled,samples=50)",
    "exploitative",
    "exploitative(weighting=biased,rate=0.3)",
    "optimized",
    "optimized(credit=inverse)",
    "optimized(credit=binary)",
)
_MULTILEAVERS = (
    "team_draft",
    "team_draft(prefix=neutral)",
    "optimized",
    "optimized(credit=linear,n_lists=6)",
    "probabilistic",
    "probabilistic(ranker=rounds,credit=expected)",
    "probabilistic(credit=sampled,n_samples=50)",
    "sosm",
    "pairwise",
    "pairwise(considered=strict)",
)
_USERS = (
    "perfect",
    "navigational",
    "informational",
    "almost_random",
    "random",
    "navigational(stop=any,attention=reciprocal:1)",
    "informational(stop=first,attention=geometric:0.8)",
    "perfect(stop=never,attention=measured)",
    "custom(p_click=0.1/0.2/0.4/0.7/0.9,p_stop=0/0.1/0.2/0.5/0.6)",
)
_TIES = ("random_impression", "random_impression_redraw", "random_run", "random_run_shared", "stable")
_PRESETS = ("paper", "lerot", "repo_multileave")
_AIMS = (["--precision", "0.02"], ["--decide", "0.05"], ["--simulate"], ["--simulate", "--prior", "lerot"])
_NOTIONS = ("copeland", "copeland-sum", "copeland-per-arm", "copeland-losses", "borda")
_STUDIES = ("facts", "winner-notions", "rucb-letor")
_STEPPED = ("rucb", "self_sparring", "rmed2fh", "ccb", "c2b", "prefbest", "active_ranking")
_POOL = "".join(f"item {letter}\n" for letter in "ABCDEFGH")


def command_groups(policies: Sequence[dict[str, Any]]) -> Groups:
    """Return all groups of steps; `policies` is the output of `rankduel policies --json`."""
    names = [policy["name"] for policy in policies]
    return {
        DATA: _data(),
        **{f"live-{part}": _live(names[part::3]) for part in range(3)},
        **{f"proxy-{part}": _proxy(policies[part::3]) for part in range(3)},
        "interleavers": list(_interleavers()),
        "matrices": list(_matrices()),
        "multileavers": list(_multileavers()),
        "runs": list(_runs()),
        "compare": _compare(),
        "studies": [["rankduel", "study", "run", name, "--jobs", "1"] for name in _STUDIES],
        "steppers": [["stepped", name, f"{name}.json"] for name in _STEPPED],
        "winners": list(_winners()),
        "judge": list(_judge()),
    }


def _data() -> list[Step]:
    synth = ["rankduel", "data", "synth", "--seed", "1"]
    convert = ["rankduel", "data", "convert", "--no-cache"]
    return [
        [*synth, "--queries", "20", "-o", "small.parquet"],
        *([*synth, "--shape", shape, "--queries", "4", "-o", f"{shape}.parquet"] for shape in _SHAPES),
        [*synth, "--queries", "5", "--set", "cycle=true", "-o", "cycle.txt"],
        [*synth, "--queries", "10", "--folds", "-o", "folds"],
        *([*convert, "small.parquet", "-o", f"converted.{kind}"] for kind in _CONVERTED),
        [*convert, "small.parquet", "--features", "1-5,110", "--sparse", "-o", "sparse.txt"],
        [*convert, "converted.txt.zst", "--profile", "mslr", "-o", "back.parquet"],
        ["printed", "info.json", "data", "info", "small.parquet", "--no-cache", "--json"],
        ["printed", "policies.json", "policies", "--json"],
        _matrix("small.prefs.parquet", "--interleave", "team_draft", data="small.parquet"),
    ]


def _matrix(output: str, *options: str, data: str = _SMALL, rankers: Sequence[str] = _RANKERS) -> Step:
    return ["rankduel", "matrix", "build", data, "-o", output, *_JOBS, *rankers, *options]


def _interleavers() -> Iterator[Step]:
    """Return steps that build matrices by every interleaving method, with its odds and by live duels."""
    for number, method in enumerate(_INTERLEAVERS):
        few = ["--interleave", method, "--duels", "100"]
        yield _matrix(f"odds-{number}.prefs.parquet", *few, rankers=_FEW_RANKERS)
        yield _matrix(f"duels-{number}.prefs.parquet", *few, "--simulate", rankers=_FEW_RANKERS)


def _matrices() -> Iterator[Step]:
    """Return steps that build matrices by one method with other users, ties, targets, presets and formats."""
    team_draft = ["--interleave", "team_draft", "--duels", "200"]
    for number, user in enumerate(_USERS):
        yield _matrix(f"user-{number}.prefs.parquet", *team_draft, "--clicks", user)
    for ties in _TIES:
        yield _matrix(f"ties-{ties}.prefs.parquet", *team_draft, "--ties", ties)
        yield _matrix(f"duels-{ties}.prefs.parquet", *team_draft, "--ties", ties, "--simulate")
    for number, aim in enumerate(_AIMS):
        yield _matrix(f"aim-{number}.prefs.parquet", "--interleave", "team_draft", "--duels", "2000", *aim)
    for preset in _PRESETS:
        few = ["--preset", preset, "--duels", "40"]
        yield _matrix(f"preset-{preset}.prefs.parquet", *few, rankers=_FEW_RANKERS)
    yield _matrix("dropped.prefs.parquet", *team_draft, "--tied-duels", "drop", "--length", "5")
    yield _matrix("plain.npy", *team_draft)
    yield _matrix("plain.txt", *team_draft, "--seed", "9")


def _multileavers() -> Iterator[Step]:
    """Return steps that infer matrices from multileaved pages, and measure the error."""
    for number, method in enumerate(_MULTILEAVERS):
        few = ["--multileave", method, "--impressions", "500"]
        yield _matrix(f"inferred-{number}.prefs.parquet", *few, rankers=_FEW_RANKERS)
    methods = [word for method in ("sosm", "team_draft", "pairwise") for word in ("--method", method)]
    few = ["--impressions", "2000", "--runs", "2", *_JOBS, "--interleave", "team_draft"]
    yield ["rankduel", "multileave", _SMALL, *methods, *few, *_RANKERS]
    yield ["rankduel", "report", "results"]


def _run(problem: Sequence[str], policies: Sequence[str], *options: str) -> Step:
    chosen = [word for policy in policies for word in ("--policy", policy)]
    return ["rankduel", "run", *problem, *chosen, *_SHORT, *options]


def _live(names: Sequence[str]) -> list[Step]:
    return [_run(_LIVE_BY_TEAM_DRAFT, names)]


def _proxy(policies: Sequence[dict[str, Any]]) -> list[Step]:
    """Return steps that run every policy and variant, with and without a Condorcet winner."""
    written = [text for policy in policies for text in _variants(policy)]
    names = [policy["name"] for policy in policies]
    return [_run(["arxiv6"], written), _run(["multisol"], names), ["rankduel", "report", "results"]]


def _variants(policy: dict[str, Any]) -> list[str]:
    """Return the name of a policy, and its variants that differ from it and from each other."""
    usual = {name: about["default"] for name, about in policy["parameters"].items()}
    seen, found = [usual], [policy["name"]]
    for variant, changes in policy["variants"].items():
        if usual | changes not in seen:
            seen.append(usual | changes)
            found.append(f"{policy['name']}(variant={variant})")
    return found


def _runs() -> Iterator[Step]:
    """Return runs of few policies with late feedback, other parameters, notions of regret and live duels."""
    late = ["rucb", "rcs", "dts(alpha=0.7)", "rts", "self_sparring(eta=0.5)"]
    yield _run(["arxiv6"], late, "--feedback-every", "50", "--name", "every")
    yield _run(["arxiv6"], late, "--delay", "30", "--name", "delay")
    tuned = ["merge_rucb(batch=3,c=100)", "merge_dts(batch=3,alpha=0.9)", "mdb(alpha=0.6)", "ccb(alpha=0.7)"]
    yield _run(["arithmetic"], tuned, "--seed", "7")
    for notion in _NOTIONS:
        yield _run(["mslr5-cycle"], ["rucb", "ccb(alpha=0.7)"], "--regret", notion, "--name", notion)
    worlds = [["--interleave", method] for method in _INTERLEAVERS[3::5]]
    worlds += [["--preset", "lerot"], ["--interleave", "team_draft", "--ties", "random_run"]]
    worlds += [["--interleave", "team_draft", "--tied-duels", "drop", "--queries", "cycle"]]
    for number, world in enumerate(worlds):
        yield _run(_LIVE, ["rucb"], *world, "--name", f"world-{number}")
    for method in ("optimized", "probabilistic"):
        yield _run(_LIVE_BY_TEAM_DRAFT, ["mdb"], "--multileave", method, "--name", f"page-{method}")


def _compare() -> list[Step]:
    """Return steps that compare live and proxy runs, build the matrix for them, and write a report."""
    policies = ["--policy", "rucb", "--policy", "rmed1"]
    world = ["--interleave", "balanced", "--clicks", "informational", "--no-cache", *_FEW_RANKERS]
    return [["rankduel", "compare", _SMALL, *policies, *_SHORT, *world], ["rankduel", "report", "results"]]


def _winners() -> Iterator[Step]:
    for name in ("arxiv6", "multisol", "tennis", "../data/small.prefs.parquet"):
        yield ["printed", f"{name.split('/')[-1]}.json", "winners", name, "--json"]
    subsets = ["--subsets", "--samples", "500", "--overlap-samples", "10", "--seed", "3"]
    for name in ("arithmetic", "mslr5-cycle"):
        yield ["printed", f"{name}-subsets.json", "winners", name, *subsets, "--json"]
    yield ["rankduel", "winners", "arithmetic", *subsets, "--figures", "figures"]


def _judge() -> Iterator[Step]:
    """Return judging sessions of several rounds, in batches and with single pairs."""
    yield ["written", "pool.txt", _POOL]
    for policy, budget in (("mohajer_select(m=3)", "0"), ("rucb", "6")):
        folder = policy.partition("(")[0]
        yield ["rankduel", "judge", "start", "pool.txt", folder, "--policy", policy, "--budget", budget]
        for number in range(3):
            pairs, filled = f"{folder}-{number}.csv", f"{folder}-{number}-judged.csv"
            yield ["rankduel", "judge", "next", folder, "-o", pairs]
            yield ["judged", pairs, filled]
            yield ["rankduel", "judge", "add", folder, filled]
        yield ["printed", f"{folder}.json", "judge", "show", folder, "--json"]
