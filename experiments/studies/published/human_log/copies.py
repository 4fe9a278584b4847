"""Where prefBest places a copy of the best item, with simulated judgments."""

import numpy as np

from rankduel.bandits import Stepper, start
from rankduel.base.streams import stream
from rankduel.experiments.studies.study import Inputs


def with_copy(prefs: np.ndarray) -> np.ndarray:
    """Return the matrix with a last item that has the same preferences as the first."""
    items = [*range(len(prefs)), 0]
    return prefs[np.ix_(items, items)]


def play_prefbest(prefs: np.ndarray, seed: int) -> Stepper:
    """Find the best five items with prefBest and simulated judgments."""
    policy = start("prefbest(k=5)", len(prefs), seed=seed)
    judges = stream(seed, "judges")
    while not policy.finished():
        pair = policy.select()
        policy.update(bool(judges.random() < prefs[pair]))
    return policy


def copy_places(inputs: Inputs) -> dict[str, list[float]]:
    """Return where the copy of the best item is.

    'copy in the final' is, for runs with one of the two in the last phase, whether both are in it. 'copy in
    the top five' is, for runs in which one of the two is a best item, whether the other is among the best
    five, as in section 5.2.
    """
    assert inputs.preferences is not None
    prefs = with_copy(inputs.preferences.matrix)
    both = [0, len(prefs) - 1]
    found: dict[str, list[float]] = {"copy in the final": [], "copy in the top five": []}
    for run in range(inputs.size.runs):
        policy = play_prefbest(prefs, run)
        scores = policy.scores()
        in_final = ~np.isnan(scores[both])
        if in_final.any():
            found["copy in the final"].append(float(in_final.all()))
        if (scores[both] == np.nanmax(scores)).any():
            found["copy in the top five"].append(float(set(both) <= set(policy.answers())))
    return found
