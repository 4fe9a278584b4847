"""Measure policies on three matrices and write the table of the guide to policies; run from the root.

python docs/measure_policies.py

The regret is the mean of the final Condorcet regret with its standard error, and depends on the seed alone.
The speed is that of the fastest run among the 136 rankers, and depends on the machine.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np

import rankduel
from rankduel.bandits import POLICIES

GUIDES = Path(__file__).parent / "guides"
# As in the papers, K is the number of arms and T the horizon; constants depend on the gaps between arms.
GUARANTEES = {
    "random_pair": "none: T times the mean regret",
    "interleaved_filter": "O(K log T)",
    "beat_the_mean": "O(K log T)",
    "savage": "O(K² log T)",
    "doubler": "O(K log² T)",
    "multi_sbm": "O(K log T)",
    "sparring": "none proven",
    "rucb": "O(K² + K log T)",
    "rcs": "none proven",
    "merge_rucb": "O(K log T)",
    "dts": "O(K log T + K² log log T)",
    "merge_dts": "O(K log T)",
    "rmed1": "O(K^(2 + ε) + K log T)",
    "rmed2": "none proven; RMED2FH without a horizon",
    "rmed2fh": "asymptotically optimal, with its constant",
    "self_sparring": "O(K log T), asymptotically",
    "rex3": "O(√(T K log K))",
    "winner_stays": "weak regret does not grow with T",
    "winner_stays(regret=strong)": "O(K² + K log T)",
    "rts": "none proven",
    "versatile_db": "O(K log T); O(√(K T)) against an adversary",
    "ccb": "O(K² + K log T)",
    "scb": "O(K log K log T)",
    "ecw_rmed": "O(log T), with a constant near the best",
    "copeland_savage": "O(K² log T)",
    "c2b": "O(K² + K log T) in log T batches, up to logs of K",
    "pcomp": "O(K² log T) in log T batches",
    "scomp": "O(K log T) in log T batches, up to logs of K",
    "scomp2": "O(K log T) in log T batches, up to logs of K",
}
# Policies whose time per step grows so fast with K that the 136 rankers are left out.
FEW_ARMS = {"ecw_rmed"}


class Problem(NamedTuple):
    title: str
    matrix: object
    horizon: int
    runs: int


def problems() -> list[Problem]:
    data = rankduel.synthetic_data("mslr-web10k", queries=200, seed=1)
    synthetic = rankduel.build_matrix(data, interleave="team_draft", clicks="navigational")
    return [
        Problem("arxiv6", "arxiv6", 100_000, 20),
        Problem("cycle2", "cycle2", 100_000, 20),
        Problem("136 rankers", synthetic.matrix, 1_000_000, 4),
    ]


def row_of(policy: str, chosen: list[Problem]) -> str:
    measured, speed = [], "-"
    for problem in chosen:
        if policy in FEW_ARMS and problem is chosen[-1]:
            measured.append("-")
            continue
        table = rankduel.run(
            problem.matrix, policy, horizon=problem.horizon, runs=problem.runs, checkpoints=1, jobs=1
        )
        last = table[table["step"] == problem.horizon]
        error = last["regret"].std() / np.sqrt(problem.runs)
        measured.append(f"{last['regret'].mean():,.0f} ± {error:,.0f}")
        if problem is chosen[-1]:
            speed = f"{last['seconds'].min() / problem.horizon * 1e6:.2f}"
    assumes = POLICIES[policy.partition("(")[0]].assumes
    cells = [f"`{policy}`", assumes, GUARANTEES[policy], speed, *measured]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    chosen = problems()
    heads = [f"{p.title}, T = {p.horizon:,}, n = {p.runs}" for p in chosen]
    lines = [
        f"| policy | assumes | regret bound | µs per step | {' | '.join(heads)} |",
        f"|---|---|---|{'--:|' * (1 + len(heads))}",
    ]
    for policy in GUARANTEES:
        lines.append(row_of(policy, chosen))
        print(lines[-1], flush=True)
    (GUIDES / "policies_measured.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
