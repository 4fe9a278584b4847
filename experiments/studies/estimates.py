"""Estimate how long a tier of a study will take, from the durations of runs in an output folder.

The recorded runs of the same part and policy, in this tier or else in the nearest shorter tier, give the
duration of a run in proportion to the number of duels. Most policies take less time per duel later in a run,
so an estimate from a shorter tier tends to be too long.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rankduel.base.errors import StudyError
from rankduel.base.files import path_inside
from rankduel.experiments.runs.records import read_seconds, run_seconds
from rankduel.experiments.studies.data.problems import stand_in_for
from rankduel.experiments.studies.play import folder_of, has_values, parts_to_play, seconds_file
from rankduel.experiments.studies.study import STAND_IN, TIERS, Computed, Part, Runs, Size, Study, size_in


class Estimate(NamedTuple):
    """The runs of a policy that a part still has to play, or the values that it has to compute."""

    study: str
    part: str
    policy: str  # "" for a computed part
    horizon: float
    runs: int  # without those that are recorded
    seconds: float  # per run on one core; NaN without a recorded run
    tier: str  # of the recorded runs


def estimates(study: Study, tier: str, out: Path, *, data: Path | None, real: bool) -> list[Estimate]:
    """Return an estimate for every policy of every part of a tier, and for every part that is computed."""
    found: list[Estimate] = []
    for part, size in parts_to_play(study, tier, data, real):
        policies = [str(study.policy(policy)) for policy in part.policies] if isinstance(part, Runs) else [""]
        if isinstance(part, Runs) or part.cached:  # other computed values follow from records at once
            found += [_estimate(study, part, size, policy, tier, out, data) for policy in policies]
    return found


def _estimate(
    study: Study, part: Part, size: Size, policy: str, tier: str, out: Path, data: Path | None
) -> Estimate:
    seconds, source = math.nan, ""
    for shorter in list(TIERS)[: list(TIERS).index(tier) + 1]:
        there = size_in(part, shorter)
        taken = _seconds(part, policy, _path(study, part, shorter, out, data))
        if taken and there is not None:
            scale = size.horizon / there.horizon * (1 if policy else size.runs / there.runs)
            seconds, source = float(np.mean(taken)) * scale, shorter
    here = _path(study, part, tier, out, data)
    if isinstance(part, Computed):
        missing = 0 if has_values(part, size, here) else 1
    else:
        missing = max(size.runs - len(run_seconds(here, policy)), 0)
    return Estimate(study.id, part.name, policy, size.horizon, missing, seconds, source)


def _path(study: Study, part: Part, tier: str, out: Path, data: Path | None) -> Path:
    """Return the folder of a part in a tier, which is also the beginning of the names of its files."""
    stand_in = STAND_IN if part.problem and stand_in_for(part.problem, data) else ""
    return path_inside(folder_of(study, tier, out), part.name + stand_in, StudyError)


def _seconds(part: Part, policy: str, path: Path) -> list[float]:
    """Return the known durations of the runs of a policy, or of computing the values of a part."""
    taken = run_seconds(path, policy) if isinstance(part, Runs) else read_seconds(seconds_file(path), 1)
    return [one for one in taken if math.isfinite(one)]
