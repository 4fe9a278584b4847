"""What a report was asked, and the sentence that answers it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from bandits import condorcet_winner
from experiments.matrix.preferences import Preferences
from experiments.report.charts.looks import Look
from experiments.report.charts.parts import in_figures, runs_in_words
from experiments.report.multileave import headline, is_multileave
from experiments.report.names import ranker_in_words
from experiments.runs.compare import Comparison, unnoticed
from experiments.runs.records import RunSet
from experiments.runs.summaries import final, final_estimates
from experiments.winners.certainty import is_undecided, joint
from experiments.winners.notions import best, copeland_scores
from experiments.winners.verdict import resampled_verdict


def question(run_sets: Sequence[RunSet], paired: bool) -> str:
    """Return the title of a report: what was asked."""
    problems = list(dict.fromkeys(problem_of(run_set) for run_set in run_sets))
    first = run_sets[0]
    if len(problems) > 1:
        return f"Which policy finds the best ranker at least cost? {len(problems)} problems"
    if all(is_multileave(run_set) for run_set in run_sets):
        return f"How soon does multileaving order the {len(first.preferences)} rankers of {problems[0]}?"
    asked = f"Which policy finds the best of {len(first.preferences)} rankers at least cost"
    return f"{asked}{', and does the proxy agree' if paired else ''}? {problems[0]}"


def problem_of(run_set: RunSet) -> str:
    return str(run_set.settings.get("problem", run_set.name))


def answer(run_set: RunSet, shown: Mapping[str, Look]) -> str:
    """Return which ranker is best, which policy found it at least cost, and whether the runs can tell."""
    if is_multileave(run_set):
        return headline(run_set.table.assign(policy=labels_of(run_set.table, shown)))
    return sentence([*best_ranker(run_set.preferences), *_costs(run_set, shown)])


def sentence(clauses: Sequence[str]) -> str:
    text = "; ".join(clauses)
    return f"{text[:1].upper()}{text[1:]}."


def labels_of(table: pd.DataFrame, shown: Mapping[str, Look]) -> list[str]:
    """The names of the policies of a table, row by row."""
    return [shown[policy].label for policy in table["policy"]]


def best_ranker(preferences: Preferences) -> list[str]:
    """Return clauses: which ranker beats all others, and how sure that is over these and other queries."""
    matrix = preferences.matrix
    winner = condorcet_winner(matrix)
    others = resampled_verdict(preferences).others
    if winner < 0:
        beaten = copeland_scores(matrix)
        leaders = [ranker_in_words(preferences, preferences.names[place]) for place in best(beaten)]
        most = f"{beaten.max():g} of {len(preferences) - 1}"
        verb = "beats" if len(leaders) == 1 else "beat"
        found = f"no ranker beats all others: {_listed(leaders)} {verb} the most, {most}"
    else:
        found = f"{_as_subject(preferences, preferences.names[winner])} beats every other ranker"
        unknown = int(is_undecided(joint(preferences).preferences)[winner].sum())
        if unknown:
            error = f"{unknown} of {len(preferences) - 1} is within the error of the matrix"
            found += f", but its lead over {error}"
    return [found, others] if others else [found]


def _as_subject(preferences: Preferences, name: str) -> str:
    """Return a ranker in words that may be capitalised: a name as it is comes after 'ranker'."""
    words = ranker_in_words(preferences, name)
    return f"ranker {name}" if words == name else words


def _listed(names: Sequence[str], most: int = 3) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _costs(run_set: RunSet, shown: Mapping[str, Look]) -> list[str]:
    """Return clauses: which policy had the least regret, was right how often, and whether that is chance."""
    ranked = list(final_estimates(run_set.table, "regret").items())
    (first, least), *others = ranked
    last = final(run_set.table)
    right = last.loc[last["policy"] == first, "correct"].to_numpy(bool)
    cost = f"{in_figures(least)} after {run_set.settings['horizon']:,} duels"
    name = shown[first].label
    if right.all() and others:
        found = f"{name} found it at the least cost: regret {cost}"
    elif right.all():
        found = f"{name} found it at a regret of {cost}"
    else:
        was_right = f"and recommended it in {right.sum()} of {runs_in_words(pd.Series([len(right)]))}"
        found = f"{name} had {'the least' if others else 'a'} regret, {cost}, {was_right}"
    return [found, *(_runner_up(last, shown, ranked) if others else [])]


def _runner_up(last: pd.DataFrame, shown: Mapping[str, Look], ranked: Sequence[tuple]) -> list[str]:
    (_, least), (second, more), *_ = ranked
    runs = runs_in_words(last["policy"].value_counts())
    text = f"{shown[second].label} is next with {in_figures(more)}"
    if np.isnan(least.low + more.low):
        return [f"{text}, and single runs do not tell whether that is chance"]
    if least.overlaps(more):
        return [f"{text}, which {runs} of each do not tell apart: the 95 % intervals overlap"]
    return [f"{text}, and the 95 % intervals do not overlap"]


def agreement(found: Comparison, runs: str) -> str:
    """Return whether live and proxy agree and how far these runs can tell; `found` has names for readers."""
    if found.final["p_mean"].isna().all():
        return "one run of each policy does not tell whether live and proxy runs agree"
    if found.differing:
        return f"live and proxy runs differ beyond chance for {', '.join(found.differing)}"
    unseen = unnoticed(found.final).max()
    return (
        f"live and proxy runs agree as far as {runs} of each policy can tell: a difference of up to "
        f"{100 * unseen:.0f} % of the regret would go unnoticed"
    )
