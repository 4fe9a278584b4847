"""Simulate the online evaluation of rankers: judged data, interleaving, clicks, dueling bandits.

Names are loaded when they are first used, so that `import rankduel` is fast.

>>> import rankduel
>>> table = rankduel.run("arxiv6", ["rucb", "dts"], horizon=1000, runs=2)
>>> sorted(set(table["policy"]))
['dts', 'rucb']
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rankduel.api.catalogues import click_models, interleavers, matrices, measures, multileavers, policies
    from rankduel.api.studies import study
    from rankduel.bandits.catalogue import policy
    from rankduel.bandits.stepper import Stepper, restore, start
    from rankduel.base.errors import RankduelError
    from rankduel.base.watch import Watch
    from rankduel.clickmodels.catalogue import click_model
    from rankduel.experiments.arena import Arena, open_arena
    from rankduel.experiments.cache_files import caches
    from rankduel.experiments.duels import duel_odds, play_duels
    from rankduel.experiments.evaluation import compare_rankers, evaluate
    from rankduel.experiments.judge.session import judge
    from rankduel.experiments.matrix.matrix import build_matrix
    from rankduel.experiments.matrix.preferences import Preferences, read_preferences, write_preferences
    from rankduel.experiments.multileaving import Multileaving, multileave
    from rankduel.experiments.report.plots import plot_accuracy, plot_comparison, plot_matrix, plot_regret
    from rankduel.experiments.report.report import Report, report
    from rankduel.experiments.runs.compare import Comparison, compare
    from rankduel.experiments.runs.run import run
    from rankduel.experiments.runs.run_set import RunSet, load_records
    from rankduel.experiments.winners.bounds import regret_bounds
    from rankduel.experiments.winners.random_subsets import winner_subsets
    from rankduel.experiments.winners.winners import winners
    from rankduel.interleave.catalogue import interleaving
    from rankduel.interleave.multileave.pages import multileaved_page
    from rankduel.interleave.pages import interleaved_page
    from rankduel.letor_data import rankers
    from rankduel.letor_data.letor import Letor
    from rankduel.letor_data.read import read_data
    from rankduel.letor_data.summary import describe_data
    from rankduel.letor_data.synthetic.collection import synthetic_data, write_synthetic_data
    from rankduel.letor_data.write import write_data

# Public name -> the module that defines it.
_EXPORTS = {
    "Arena": "rankduel.experiments.arena",
    "Comparison": "rankduel.experiments.runs.compare",
    "Letor": "rankduel.letor_data.letor",
    "Multileaving": "rankduel.experiments.multileaving",
    "Preferences": "rankduel.experiments.matrix.preferences",
    "RankduelError": "rankduel.base.errors",
    "Report": "rankduel.experiments.report.report",
    "RunSet": "rankduel.experiments.runs.run_set",
    "Stepper": "rankduel.bandits.stepper",
    "Watch": "rankduel.base.watch",
    "build_matrix": "rankduel.experiments.matrix.matrix",
    "caches": "rankduel.experiments.cache_files",
    "click_model": "rankduel.clickmodels.catalogue",
    "click_models": "rankduel.api.catalogues",
    "compare": "rankduel.experiments.runs.compare",
    "compare_rankers": "rankduel.experiments.evaluation",
    "describe_data": "rankduel.letor_data.summary",
    "duel_odds": "rankduel.experiments.duels",
    "evaluate": "rankduel.experiments.evaluation",
    "interleaved_page": "rankduel.interleave.pages",
    "interleavers": "rankduel.api.catalogues",
    "interleaving": "rankduel.interleave.catalogue",
    "judge": "rankduel.experiments.judge.session",
    "load_records": "rankduel.experiments.runs.run_set",
    "matrices": "rankduel.api.catalogues",
    "measures": "rankduel.api.catalogues",
    "multileave": "rankduel.experiments.multileaving",
    "multileaved_page": "rankduel.interleave.multileave.pages",
    "multileavers": "rankduel.api.catalogues",
    "open_arena": "rankduel.experiments.arena",
    "play_duels": "rankduel.experiments.duels",
    "plot_accuracy": "rankduel.experiments.report.plots",
    "plot_comparison": "rankduel.experiments.report.plots",
    "plot_matrix": "rankduel.experiments.report.plots",
    "plot_regret": "rankduel.experiments.report.plots",
    "policies": "rankduel.api.catalogues",
    "policy": "rankduel.bandits.catalogue",
    "rankers": "rankduel.letor_data.rankers",
    "read_data": "rankduel.letor_data.read",
    "read_preferences": "rankduel.experiments.matrix.preferences",
    "regret_bounds": "rankduel.experiments.winners.bounds",
    "report": "rankduel.experiments.report.report",
    "restore": "rankduel.bandits.stepper",
    "run": "rankduel.experiments.runs.run",
    "start": "rankduel.bandits.stepper",
    "study": "rankduel.api.studies",
    "synthetic_data": "rankduel.letor_data.synthetic.collection",
    "winner_subsets": "rankduel.experiments.winners.random_subsets",
    "winners": "rankduel.experiments.winners.winners",
    "write_data": "rankduel.letor_data.write",
    "write_synthetic_data": "rankduel.letor_data.synthetic.collection",
    "write_preferences": "rankduel.experiments.matrix.preferences",
}
# Subpackages, which are attributes without an import of their own.
_PACKAGES = ("letor_data", "clickmodels", "interleave", "bandits", "experiments")

__all__ = [
    "Arena",
    "Comparison",
    "Letor",
    "Multileaving",
    "Preferences",
    "RankduelError",
    "Report",
    "RunSet",
    "Stepper",
    "Watch",
    "__version__",
    "build_matrix",
    "caches",
    "click_model",
    "click_models",
    "compare",
    "compare_rankers",
    "describe_data",
    "duel_odds",
    "evaluate",
    "interleaved_page",
    "interleavers",
    "interleaving",
    "judge",
    "load_records",
    "matrices",
    "measures",
    "multileave",
    "multileaved_page",
    "multileavers",
    "open_arena",
    "play_duels",
    "plot_accuracy",
    "plot_comparison",
    "plot_matrix",
    "plot_regret",
    "policies",
    "policy",
    "rankers",
    "read_data",
    "read_preferences",
    "regret_bounds",
    "report",
    "restore",
    "run",
    "start",
    "study",
    "synthetic_data",
    "winner_subsets",
    "winners",
    "write_data",
    "write_preferences",
    "write_synthetic_data",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("rankduel")
    if name in _PACKAGES:
        return import_module(f"rankduel.{name}")
    if name not in _EXPORTS:
        raise AttributeError(f"module 'rankduel' has no attribute '{name}'")
    module = import_module(_EXPORTS[name])
    value = getattr(module, name, module)  # `rankers` is a module
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
