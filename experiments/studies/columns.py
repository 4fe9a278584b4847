"""Columns of records that a study uses; all others are released as soon as they are recorded."""

from __future__ import annotations

from rankduel.experiments.studies.study import WRONG, Computed, Curves, Study


def columns_used(study: Study, part: str) -> frozenset[str] | None:
    """Return the columns of the runs of `part` that checks and figures use, besides policy, run and step.

    None means all columns: the runs are an input of a computed part, whose function may use any of them.
    """
    if any(part in one.after for one in study.parts if isinstance(one, Computed)):
        return None
    lines = [line for one in study.figures if not isinstance(one, Curves) for line in one.lines.values()]
    measures = [measure for check in study.checks for measure in check.measures]
    measures += [measure for line in lines for measure in line.values()]
    curves = [one for one in study.figures if isinstance(one, Curves)]
    used = {measure.column for measure in measures if measure.part == part}
    used |= {curve.column for curve in curves if part in (curve.part, *curve.beside)}
    return frozenset({"correct"} | used - {WRONG})  # measures of wrong runs and of right runs need "correct"
