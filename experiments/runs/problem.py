"""A problem: the rankers, how their duels are decided, and the preferences that measure regret."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from rankduel.bandits import Trace
from rankduel.bandits.draws import LIVE, PROXY, draws_of
from rankduel.bandits.feedback import AT_ONCE, Feedback, check_feedback
from rankduel.bandits.loop import Duel, prepare_run, run_loop
from rankduel.bandits.matrix_duels import by_matrix
from rankduel.bandits.plain import CompiledPolicyError, uncompiled
from rankduel.bandits.regret import losses_by, usual_notion
from rankduel.bandits.sets_loop import Pages, SetsTrace, pages_by_matrix, prepare_sets_run, run_sets
from rankduel.base.compiling import Call
from rankduel.base.errors import MatrixError, PolicyError, UsageError, encodable
from rankduel.base.settings import Configured, find
from rankduel.base.streams import stream
from rankduel.base.text import counted
from rankduel.experiments.arena import Arena
from rankduel.experiments.matrix.preferences import Preferences
from rankduel.experiments.runs.columns import Played, table_of
from rankduel.interleave import (
    for_another_thread,
    go_live,
    live_duel_by,
    own_pages,
    shown_so_far,
    unmeasured_duel_by,
)
from rankduel.interleave.multileave import MULTILEAVERS, make_shared_world
from rankduel.interleave.multileave.live import go_live_together, live_comparison_by

MEASURES = {
    "page": "NDCG and clicks of the whole page",
    "none": "nothing: pages end where the user leaves, which is faster",
}
_MOST_REPLAYED = 200_000  # steps, which take plain Python some seconds


@dataclass(frozen=True, eq=False)
class Problem:
    """A proxy problem, whose duels are draws from `preferences`, or a live one, with pages from `arena`.

    In both modes `preferences` measure regret, by the notion `regret` of rankduel.bandits.regret or its
    default.
    """

    preferences: Preferences
    arena: Arena | None = None  # None for proxy duels
    regret: str = ""
    feedback: Feedback = AT_ONCE
    multileave: str = "sosm"  # multileaving method of policies that compare sets, in live mode
    measure: str = "page"  # one of MEASURES, in live mode

    def __post_init__(self) -> None:
        find(self.measure, MEASURES, "measure of live duels", UsageError)
        losses_by(self.notion, self.preferences.matrix)  # raises an error if the notion has no winner
        if self.arena is not None and self.arena.rankings.names != self.preferences.names:
            raise MatrixError(
                f"{other_rankers(self.preferences, self.arena)}; make the matrix from the same data and "
                "rankers"
            )

    @property
    def notion(self) -> str:
        """Notion of regret, one of rankduel.bandits.regret.NOTIONS."""
        return self.regret or usual_notion(self.preferences.matrix)

    @property
    def mode(self) -> str:
        return PROXY if self.arena is None else LIVE

    @property
    def settings(self) -> Mapping[str, Any]:
        """Settings that a run depends on, besides its policy, horizon and seed."""
        known = self.preferences.settings
        matrix = {"digest": self.preferences.digest, "about": how_known(self.preferences), **known}
        arena = {} if self.arena is None else {"arena": {**self.arena.settings, **self._arena_settings}}
        source = known.get("source") or known.get("data", "a matrix")
        problem = source if self.arena is None else self.arena.settings["data"]
        about = {"problem": problem, "mode": self.mode, "rankers": len(self.preferences)}
        played = {"regret": self.notion, "feedback": self.feedback._asdict()}
        return {**about, **played, "matrix": matrix, **arena}

    @property
    def _arena_settings(self) -> dict[str, str]:
        return {"multileave": self.multileave, "measure": self.measure}

    @property
    def _measures_pages(self) -> bool:
        return self.arena is not None and self.measure == "page"

    @cached_property
    def _names(self) -> np.ndarray:
        """(K + 1,) names of the arms; the last entry, None, is for the number -1, which means no arm."""
        return np.array([*map(encodable, self.preferences.names), None], object)

    @cached_property
    def _world(self) -> Any:
        return self.arena.world() if self.arena is not None else None

    @cached_property
    def _own_pages(self) -> np.ndarray:
        """Measures of each ranker's own list, shown when an arm duels itself; see `own_pages`."""
        return own_pages(self._world, stream(0, "own pages"))

    def play(
        self,
        configured: Configured,
        steps: np.ndarray,
        seed: int,
        run: int,
        progress: np.recarray | None = None,
    ) -> pd.DataFrame:
        """Play one run, and return one row per checkpoint.

        The result depends on the problem and the arguments only. The run writes its step to `progress`, a
        record of rankduel.bandits.loop.Progress, for other threads to read.
        """
        try:
            return self._play(configured, steps, seed, run, progress)
        except CompiledPolicyError as problem:
            # Plain Python fails at the same step, with a message that names the lines.
            if problem.step <= _MOST_REPLAYED:
                until = np.append(steps[steps < problem.step], max(problem.step, 1))
                self._play(uncompiled(configured), until, seed, run)
            advice = "without @numba.njit the error names the line"
            raise PolicyError(f"{problem} ({advice})") from problem

    def _play(
        self,
        configured: Configured,
        steps: np.ndarray,
        seed: int,
        run: int,
        progress: np.recarray | None = None,
    ) -> pd.DataFrame:
        matrix = self.preferences.matrix
        labels, rng, users = draws_of(configured, len(matrix), mode=self.mode, seed=seed, run=run)
        if configured.thing.sets:
            of_sets = run_sets(configured, self._pages(), labels, steps, rng, users)
            return self._table(of_sets, of_sets.alone)
        loss = losses_by(self.notion, matrix)
        draws = (labels, steps, rng, users)
        trace = run_loop(configured, self._duel(), loss, *draws, feedback=self.feedback, progress=progress)
        return self._table(trace, trace.selves)

    def check(self, configured: Configured) -> None:
        """Raise PolicyError if the policy cannot be played with the feedback of this problem."""
        if not configured.thing.sets:
            check_feedback(configured, self.feedback)
        elif self.feedback != AT_ONCE:
            raise PolicyError(f"{configured} compares sets of arms; expected feedback without delay")

    def first_step(self, configured: Configured) -> Call:
        """Return the call that plays one step, which compiles the kernels of longer runs."""
        matrix, steps = self.preferences.matrix, np.array([1])
        labels, rng, users = draws_of(configured, len(matrix), mode=self.mode, seed=0, run=0)
        if configured.thing.sets:
            return prepare_sets_run(configured, self._pages(), labels, steps, rng, users).call
        loss = losses_by(self.notion, matrix)
        return prepare_run(
            configured, self._duel(), loss, labels, steps, rng, users, feedback=self.feedback
        ).call

    def _duel(self) -> Duel:
        if self.arena is None:
            return by_matrix(np.array(self.preferences.matrix))
        name = self.arena.interleaving.name
        if not self._measures_pages:
            return Duel(unmeasured_duel_by(name), for_another_thread(self._world))
        live_duel = live_duel_by(name)
        live = go_live(self._world)
        return Duel(live_duel, live, shown_so_far, n_measured=len(live.shown))

    def _pages(self) -> Pages:
        """Return the comparison of sets of arms."""
        if self.arena is None:
            return pages_by_matrix(np.array(self.preferences.matrix))
        compare = live_comparison_by(MULTILEAVERS.parsed(self.multileave).name)
        live = go_live_together(self._shared)
        return Pages(compare, live, shown_so_far, n_measured=len(live.shown))

    @cached_property
    def _shared(self) -> Any:
        """World for pages with any number of rankers; `_world` is for two."""
        arena = self.arena
        assert arena is not None
        method = MULTILEAVERS.parsed(self.multileave)
        world = (arena.model, method, arena.length, arena.ties, arena.queries)
        return make_shared_world(arena.rankings, arena.labels, *world, unjudged=arena.unjudged)

    def _table(self, trace: Trace | SetsTrace, alone: np.ndarray) -> pd.DataFrame:
        """Return the record of a run; `alone` counts pages that show one arm's own list."""
        pages = self._page_measures(alone, trace.measured)
        return table_of(Played(trace, self.preferences.matrix, self.notion, self._names, pages))

    def _page_measures(self, alone: np.ndarray, measured: np.ndarray) -> np.ndarray:
        """Return NDCG and clicks per page since the previous checkpoint; no column if they are not measured.

        If some documents are unjudged, their number per page is returned too. `measured` holds the sums over
        pages of several arms, see `rankduel.interleave.live.Live`.
        """
        if not self._measures_pages:
            return np.empty((len(measured), 0))
        own = alone @ self._own_pages
        pages = measured[:, 0] + alone.sum(axis=1)
        sums = np.column_stack([pages, measured[:, 1 : 1 + own.shape[1]] + own])
        new = np.diff(sums, axis=0, prepend=0.0)
        return new[:, 1:] / new[:, :1]


def how_known(preferences: Preferences) -> str:
    """Return "exact", "given", or "estimated" with the largest half-width of an interval."""
    methods = set(preferences.pairs["method"])
    if methods <= {"exact"}:
        return "exact"
    if "given" in methods:
        return "given"
    half_width = (preferences.pairs["hi"] - preferences.pairs["lo"]).max() / 2
    return f"estimated, largest half-width {half_width:.2g}"


def other_rankers(preferences: Preferences, arena: Arena) -> str:
    """Return the message that the rankers of `preferences` are not those of `arena`."""
    here = arena.rankings.names
    return (
        f"the matrix is for {counted(len(preferences), 'ranker')}, {few_names(preferences.names)}, and the "
        f"data are ranked by {len(here)}, {few_names(here)}"
    )


def few_names(names: tuple[str, ...]) -> str:
    return ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
