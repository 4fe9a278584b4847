"""`build_matrix`: preference matrices from judged data, by pages of two rankers or of all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from rankduel.base.arguments import check_type
from rankduel.base.errors import UsageError
from rankduel.base.settings import Configured
from rankduel.base.unused import refuse_unused
from rankduel.base.watch import SILENT, Watch
from rankduel.clickmodels.tables import ClickModel
from rankduel.experiments.arena import Arena, open_arena
from rankduel.experiments.cluster import workers_of
from rankduel.experiments.matrix.build import build_matrix as build_in_arena
from rankduel.experiments.matrix.build import write_matrix
from rankduel.experiments.matrix.preferences import Preferences
from rankduel.experiments.matrix.shared_pages import infer_matrix, write_inferred
from rankduel.interleave.multileave import MULTILEAVERS
from rankduel.letor_data.letor import Letor
from rankduel.letor_data.read import read_data

TieMode = Literal[
    "random_impression", "random_impression_redraw", "random_run", "random_run_shared", "stable"
]
Prior = Literal["none", "lerot"]
USUAL_IMPRESSIONS = 100_000


def build_matrix(
    data: Arena | Letor | str | Path,
    *,
    rankers: str | Sequence[object] | Mapping[str, object] = "",
    interleave: str | None = None,
    clicks: str | ClickModel | Configured = "navigational",
    length: int = 10,
    preset: Literal["paper", "lerot", "repo_multileave"] | None = None,
    ties: TieMode | None = None,
    tied_duels: Literal["coin", "drop"] | None = None,
    duels: int | None = None,
    precision: float | None = None,
    decide: float | None = None,
    simulate: bool = False,
    alpha: float = 0.05,
    prior: Prior = "none",
    multileave: str | None = None,
    impressions: float | None = None,
    output: str | Path | None = None,
    seed: int = 0,
    jobs: int = -1,
    scheduler: str | None = None,
    watch: Watch = SILENT,
) -> Preferences:
    """Estimate the probability that one ranker beats another when interleaved, for every pair of rankers.

    For each query the two rankings are interleaved into one page, a simulated user clicks on it, and the
    ranker with more credit wins. Queries have equal weight. A pair is computed exactly if the interleaving
    method has a closed form and no tie between documents matters. Otherwise pages or ties are drawn, and the
    exact odds given each draw are averaged; with `simulate`, or if a method has no odds, duels are played.
    With `multileave` all rankers share every page instead, and preferences are inferred for all pairs at
    once.

    Parameters
    ----------
    data : Arena, Letor, str or Path
        Judged documents, or a file, folder or archive of them. Or an arena, which has its own settings; the
        parameters from `rankers` to `tied_duels` must then be omitted.
    rankers : str, sequence or mapping, default ""
        Rankers to compare: feature numbers such as ``"1-5,110"``; or a sequence of rankers, or a mapping of
        names to rankers, as `open_arena` accepts them: texts, functions, estimators, scores or runs. By
        default, every feature is a ranker.
    interleave : str, optional
        Interleaving method and its settings, such as ``"team_draft"``; `interleavers` lists them. The default
        is that of `preset`; without a preset, it is ``"team_draft"`` if a ranker lists fewer documents than a
        query has (see `open_arena`).
    clicks : str, ClickModel or Configured, default "navigational"
        Click model and its settings, or a value of `click_model`; `click_models` lists them. For a name,
        the probabilities for the number of grades of the data are used.
    length : int, default 10
        Number of documents on a page.
    preset : {"paper", "lerot", "repo_multileave"}, optional
        Values of `interleave`, `ties` and `tied_duels` where these are not given. The default is "paper", but
        for `interleave` where lists end.
    ties : TieMode, optional
        Order of documents with equal scores: random for every impression ("random_impression"; with
        "_redraw", again for the credit), random once per run ("random_run"; with "_shared", the same for all
        rankers), or as in the data ("stable"). The default is that of `preset`.
    tied_duels : {"coin", "drop"}, optional
        Whether a duel without a winner counts half for either ranker, or not at all. The default is that of
        `preset`.
    duels : int, optional
        Pages or duels per pair, rounded up to whole passes over the queries; with `precision` or `decide`,
        the maximum. The default is 20 per query, or 400,000 with `precision` or `decide`. Ignored for exact
        pairs.
    precision : float, optional
        Stop a pair when its interval is at most twice as wide as this value, which is between 0 and 0.5.
    decide : float, optional
        Stop a pair when its interval excludes 1/2. The intervals of all pairs hold at all times with
        probability at least ``1 - decide``.
    simulate : bool, default False
        Play duels even if odds can be computed.
    alpha : float, default 0.05
        One minus the confidence level of each interval. Ignored if `decide` is given.
    prior : {"none", "lerot"}, default "none"
        "lerot" adds one win to either side of every pair that is not exact.
    multileave : str, optional
        Multileaving method by which all rankers share a page; `multileavers` lists them. The parameters from
        `duels` to `simulate`, and `prior`, must then be omitted.
    impressions : float, optional
        Number of pages with `multileave`. The default is 100,000.
    output : str or Path, optional
        File to write: ``NAME.prefs.parquet``, or ``.npy`` or ``.txt`` for the probabilities alone. After an
        interruption, the same call resumes and writes the same bytes.
    seed : int, default 0
        Seed of all random numbers. The result depends neither on `jobs` nor on interruptions.
    jobs : int, default -1
        Number of threads; -1 uses all cores.
    scheduler : str, optional
        Address of a Dask scheduler whose workers share the work, or ``"local:N"`` for N worker processes on
        this machine.
    watch : Watch, optional
        Receives the status of the matrix after every block of queries; with `multileave`, the number of pages
        since the last call.

    Returns
    -------
    Preferences
        ``matrix[i, j]`` is the probability that ranker ``i`` beats ranker ``j``; its interval is ``lower[i,
        j]`` to ``upper[i, j]``. ``pairs`` is a DataFrame with one row per pair: wins, ties, losses,
        probability, interval, and method ("exact", "rao-blackwell" or "simulated"). ``by_query`` has the
        probability of each pair for each query, or for groups of neighbouring queries if there are very many;
        `winners` resamples them.

    Raises
    ------
    RankduelError
        If the data cannot be read, a name is unknown, a value is out of range, or fewer than two rankers are
        chosen. The message states what was found and what is expected.

    See Also
    --------
    read_preferences : Read a matrix from a file, or a built-in one.

    Notes
    -----
    The time is proportional to the number of pairs times the number of queries. All pairs of a block of
    queries share one stream of random numbers, so the estimate of a pair depends on which rankers are
    compared. Exact values do not.

    The method "rao-blackwell" draws a page, or the order of tied documents, and averages the exact
    probabilities given each draw. Its variance is below that of simulated duels.

    Examples
    --------
    Two queries with three documents each; ``bm25`` ranks by relevance, and ``length`` in reverse:

    >>> import pandas as pd
    >>> frame = pd.DataFrame(
    ...     {
    ...         "qid": [1, 1, 1, 2, 2, 2],
    ...         "label": [2, 1, 0, 2, 0, 1],
    ...         "bm25": [3.0, 2.0, 1.0, 9.0, 4.0, 5.0],
    ...         "length": [7.0, 8.0, 9.0, 1.0, 3.0, 2.0],
    ...     }
    ... )
    >>> data = rankduel.Letor.from_pandas(frame)
    >>> duel = {"interleave": "team_draft", "clicks": "navigational", "length": 2}
    >>> preferences = rankduel.build_matrix(data, **duel)
    >>> preferences.names
    ('bm25', 'length')
    >>> preferences.matrix.round(3)
    array([[0.5  , 0.958],
           [0.042, 0.5  ]])
    >>> preferences.pairs["method"].tolist()
    ['exact']

    Played duels estimate the same probability, with an interval:

    >>> played = rankduel.build_matrix(data, **duel, simulate=True, duels=10_000, seed=1)
    >>> played.pairs[["p", "lo", "hi", "method"]].round(3)
           p     lo     hi     method
    0  0.958  0.955  0.961  simulated
    """
    duel: dict[str, Any] = {
        "rankers": rankers,
        "interleave": interleave,
        "clicks": clicks,
        "length": length,
        "preset": preset,
        "ties": ties,
        "tied_duels": tied_duels,
    }
    arena = _arena(data, duel, watch)
    pairwise: dict[str, Any] = {
        "duels": duels,
        "precision": precision,
        "decide": decide,
        "simulate": simulate,
        "prior": prior,
    }
    common: dict[str, Any] = {"alpha": alpha, "seed": seed}
    if multileave is None:
        if impressions is not None:
            raise UsageError(
                "impressions=... counts pages that all rankers share: give multileave=... too, or use "
                "duels=...",
                parameter="impressions",
            )
        options = pairwise | common | {"progress": watch.matrix}
        with workers_of(jobs, scheduler) as workers:
            if output is None:
                return build_in_arena(arena, jobs=workers, **options)
            return write_matrix(arena, output, jobs=workers, **options)
    refuse_unused(
        pairwise, {"prior": "none"}, f"pages of two rankers; leave it out, or multileave='{multileave}'"
    )
    way = MULTILEAVERS.parsed(multileave)
    pages = {"impressions": USUAL_IMPRESSIONS if impressions is None else impressions}
    options = common | pages | {"done": watch.runs}
    with workers_of(jobs, scheduler) as workers:
        if output is None:
            return infer_matrix(arena, way, jobs=workers, **options)
        return write_inferred(arena, way, output, jobs=workers, **options)


def _arena(data: Arena | Letor | str | Path, duel: dict[str, Any], watch: Watch) -> Arena:
    check_type("data", data, (Arena, Letor, str, Path), "judged data, a file of them, or an arena")
    if not isinstance(data, Arena):
        letor = data if isinstance(data, Letor) else read_data(data, watch=watch)
        return open_arena(letor, **duel, watch=watch)
    usual = {"rankers": "", "clicks": "navigational", "length": 10}
    refuse_unused(duel, usual, "data; an arena has settings of its own: leave it out")
    return data
