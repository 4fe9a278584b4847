"""The title of a report, and the sentences that state the result of a run set or a live/proxy pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from rankduel.bandits import condorcet_winner
from rankduel.experiments.matrix.preferences import Preferences
from rankduel.experiments.report.charts.parts import estimate_text, runs_text
from rankduel.experiments.report.charts.styles import LineStyle
from rankduel.experiments.report.multileave import headline, is_multileave
from rankduel.experiments.report.names import ranker_in_words
from rankduel.experiments.runs.compare import Comparison, rounded_up, unnoticed
from rankduel.experiments.runs.run_set import RunSet
from rankduel.experiments.runs.summaries import final, final_estimates
from rankduel.experiments.winners.certainty import is_undecided, joint
from rankduel.experiments.winners.notions import best, copeland_scores
from rankduel.experiments.winners.verdict import resampled_verdict


def report_title(run_sets: Sequence[RunSet], paired: bool) -> str:
    """Return the question that these run sets answer; `paired` if live and proxy runs are compared."""
    problems = list(dict.fromkeys(problem_of(run_set) for run_set in run_sets))
    first = run_sets[0]
    if len(problems) > 1:
        return f"Which policy finds the best ranker at least cost? {len(problems)} problems"
    if all(is_multileave(run_set) for run_set in run_sets):
        return f"How soon does multileaving order the {len(first.preferences)} rankers of {problems[0]}?"
    question = f"Which policy finds the best of {len(first.preferences)} rankers at least cost"
    return f"{question}{', and does the proxy agree' if paired else ''}? {problems[0]}"


def problem_of(run_set: RunSet) -> str:
    return str(run_set.settings.get("problem", run_set.name))


def run_set_headline(run_set: RunSet, styles: Mapping[str, LineStyle]) -> str:
    """Return a sentence: the best ranker, the policy with least regret, and how certain that is."""
    if is_multileave(run_set):
        return headline(run_set.table.assign(policy=labels_of(run_set.table, styles)))
    return sentence([*best_ranker(run_set.preferences), *_costs(run_set, styles)])


def sentence(clauses: Sequence[str]) -> str:
    text = "; ".join(clauses)
    return f"{text[:1].upper()}{text[1:]}."


def labels_of(table: pd.DataFrame, styles: Mapping[str, LineStyle]) -> list[str]:
    """Return the label of the policy of each row."""
    return [styles[policy].label for policy in table["policy"]]


def best_ranker(preferences: Preferences) -> list[str]:
    """Return clauses: the best ranker, and how certain that is over these and over other queries."""
    matrix = preferences.matrix
    winner = condorcet_winner(matrix)
    others = resampled_verdict(preferences).others
    if winner < 0:
        scores = copeland_scores(matrix)
        leaders = [ranker_in_words(preferences, preferences.names[ranker]) for ranker in best(scores)]
        beaten = f"{scores.max():g} of {len(preferences) - 1} other rankers"
        verb = "beats" if len(leaders) == 1 else "each beat"
        found = f"no ranker beats all others; {_shortened(leaders)} {verb} the most, {beaten}"
    else:
        found = f"{_as_subject(preferences, preferences.names[winner])} beats every other ranker"
        undecided = int(is_undecided(joint(preferences).preferences)[winner].sum())
        if undecided:
            error = f"{undecided} of {len(preferences) - 1} is within the error of the matrix"
            found += f", but its lead over {error}"
    return [found, others] if others else [found]


def _as_subject(preferences: Preferences, name: str) -> str:
    """Return a ranker in words whose first letter may be capitalised: a bare name follows 'ranker'."""
    words = ranker_in_words(preferences, name)
    return f"ranker {name}" if words == name else words


def _shortened(names: Sequence[str], most: int = 3) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _costs(run_set: RunSet, styles: Mapping[str, LineStyle]) -> list[str]:
    """Return clauses: the policy with least regret, how often it was correct, and how far the next is."""
    ranked = list(final_estimates(run_set.table, "regret").items())
    (first, least), *others = ranked
    last = final(run_set.table)
    correct = last.loc[last["policy"] == first, "correct"].to_numpy(bool)
    cost = f"{estimate_text(least)} after {run_set.settings['horizon']:,} duels"
    name = styles[first].label
    if correct.all() and others:
        found = f"{name} found it at the least cost: regret {cost}"
    elif correct.all():
        found = f"{name} found it at a regret of {cost}"
    else:
        how_often = f"and recommended it in {correct.sum()} of {runs_text(pd.Series([len(correct)]))}"
        found = f"{name} had {'the least' if others else 'a'} regret, {cost}, {how_often}"
    return [found, *(_runner_up(last, styles, ranked) if others else [])]


def _runner_up(last: pd.DataFrame, styles: Mapping[str, LineStyle], ranked: Sequence[tuple]) -> list[str]:
    (_, least), (second, more), *_ = ranked
    runs = runs_text(last["policy"].value_counts())
    text = f"{styles[second].label} is next with {estimate_text(more)}"
    if np.isnan(least.low + more.low):
        return [f"{text}; a single run of each policy cannot show whether the difference is due to chance"]
    if least.overlaps(more):
        return [f"{text}; {runs} of each policy are too few to separate the two: the 95 % intervals overlap"]
    return [f"{text}, and the 95 % intervals do not overlap"]


def agreement(comparison: Comparison, runs: str) -> str:
    """Return a clause: whether live and proxy agree, and the largest difference that `runs` cannot exclude.

    The policies of `comparison` are named by their labels.
    """
    if comparison.final["p_mean"].isna().all():
        return "one run of each policy cannot show whether live and proxy runs agree"
    if comparison.differing:
        return f"live and proxy runs differ beyond chance for {', '.join(comparison.differing)}"
    largest = unnoticed(comparison.final).max()
    return (
        f"live and proxy runs agree: with {runs} of each policy no difference is significant, and "
        f"differences of up to {rounded_up(largest)} of the regret cannot be excluded"
    )
