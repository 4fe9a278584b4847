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
    from rankduel.bandits.catalogue import policy as policy
    from rankduel.bandits.stepper import Stepper as Stepper
    from rankduel.bandits.stepper import restore as restore
    from rankduel.bandits.stepper import start as start
    from rankduel.base.errors import RankduelError as RankduelError
    from rankduel.base.watch import Watch as Watch
    from rankduel.clickmodels.catalogue import click_model as click_model
    from rankduel.experiments.arena import Arena as Arena
    from rankduel.experiments.arena import open_arena as open_arena
    from rankduel.experiments.cache_files import caches as caches
    from rankduel.experiments.catalogues import click_models as click_models
    from rankduel.experiments.catalogues import interleavers as interleavers
    from rankduel.experiments.catalogues import matrices as matrices
    from rankduel.experiments.catalogues import measures as measures
    from rankduel.experiments.catalogues import multileavers as multileavers
    from rankduel.experiments.catalogues import policies as policies
    from rankduel.experiments.duels import duel_odds as duel_odds
    from rankduel.experiments.duels import play_duels as play_duels
    from rankduel.experiments.evaluation import compare_rankers as compare_rankers
    from rankduel.experiments.evaluation import evaluate as evaluate
    from rankduel.experiments.judge.session import judge as judge
    from rankduel.experiments.matrix.matrix import build_matrix as build_matrix
    from rankduel.experiments.matrix.preferences import Preferences as Preferences
    from rankduel.experiments.matrix.preferences import read_preferences as read_preferences
    from rankduel.experiments.matrix.preferences import write_preferences as write_preferences
    from rankduel.experiments.multileaving import Multileaving as Multileaving
    from rankduel.experiments.multileaving import multileave as multileave
    from rankduel.experiments.report.plots import plot_accuracy as plot_accuracy
    from rankduel.experiments.report.plots import plot_comparison as plot_comparison
    from rankduel.experiments.report.plots import plot_matrix as plot_matrix
    from rankduel.experiments.report.plots import plot_regret as plot_regret
    from rankduel.experiments.report.report import Report as Report
    from rankduel.experiments.report.report import report as report
    from rankduel.experiments.runs.compare import Comparison as Comparison
    from rankduel.experiments.runs.compare import compare as compare
    from rankduel.experiments.runs.run import run as run
    from rankduel.experiments.runs.run_set import RunSet as RunSet
    from rankduel.experiments.runs.run_set import load_records as load_records
    from rankduel.experiments.studies.play import study as study
    from rankduel.experiments.winners.bounds import regret_bounds as regret_bounds
    from rankduel.experiments.winners.random_subsets import winner_subsets as winner_subsets
    from rankduel.experiments.winners.winners import winners as winners
    from rankduel.interleave.catalogue import interleaving as interleaving
    from rankduel.interleave.multileave.pages import multileaved_page as multileaved_page
    from rankduel.interleave.pages import interleaved_page as interleaved_page
    from rankduel.letor_data import rankers as rankers
    from rankduel.letor_data.evaluation.catalogue import measure as measure
    from rankduel.letor_data.letor import Letor as Letor
    from rankduel.letor_data.read import read_data as read_data
    from rankduel.letor_data.summary import describe_data as describe_data
    from rankduel.letor_data.synthetic.collection import synthetic_data as synthetic_data
    from rankduel.letor_data.synthetic.collection import write_synthetic_data as write_synthetic_data
    from rankduel.letor_data.write import write_data as write_data

# Module -> the public names that it defines; the imports above say the same to type checkers.
_EXPORTS = {
    "rankduel.experiments.catalogues": [
        "click_models",
        "interleavers",
        "matrices",
        "measures",
        "multileavers",
        "policies",
    ],
    "rankduel.experiments.studies.play": ["study"],
    "rankduel.bandits.catalogue": ["policy"],
    "rankduel.bandits.stepper": ["Stepper", "restore", "start"],
    "rankduel.base.errors": ["RankduelError"],
    "rankduel.base.watch": ["Watch"],
    "rankduel.clickmodels.catalogue": ["click_model"],
    "rankduel.experiments.arena": ["Arena", "open_arena"],
    "rankduel.experiments.cache_files": ["caches"],
    "rankduel.experiments.duels": ["duel_odds", "play_duels"],
    "rankduel.experiments.evaluation": ["compare_rankers", "evaluate"],
    "rankduel.experiments.judge.session": ["judge"],
    "rankduel.experiments.matrix.matrix": ["build_matrix"],
    "rankduel.experiments.matrix.preferences": ["Preferences", "read_preferences", "write_preferences"],
    "rankduel.experiments.multileaving": ["Multileaving", "multileave"],
    "rankduel.experiments.report.plots": ["plot_accuracy", "plot_comparison", "plot_matrix", "plot_regret"],
    "rankduel.experiments.report.report": ["Report", "report"],
    "rankduel.experiments.runs.compare": ["Comparison", "compare"],
    "rankduel.experiments.runs.run": ["run"],
    "rankduel.experiments.runs.run_set": ["RunSet", "load_records"],
    "rankduel.experiments.winners.bounds": ["regret_bounds"],
    "rankduel.experiments.winners.random_subsets": ["winner_subsets"],
    "rankduel.experiments.winners.winners": ["winners"],
    "rankduel.interleave.catalogue": ["interleaving"],
    "rankduel.interleave.multileave.pages": ["multileaved_page"],
    "rankduel.interleave.pages": ["interleaved_page"],
    "rankduel.letor_data.rankers": ["rankers"],
    "rankduel.letor_data.letor": ["Letor"],
    "rankduel.letor_data.evaluation.catalogue": ["measure"],
    "rankduel.letor_data.read": ["read_data"],
    "rankduel.letor_data.summary": ["describe_data"],
    "rankduel.letor_data.synthetic.collection": ["synthetic_data", "write_synthetic_data"],
    "rankduel.letor_data.write": ["write_data"],
}
_MODULES = {name: module for module, names in _EXPORTS.items() for name in names}
# Subpackages, which are attributes without an import of their own.
_PACKAGES = ("letor_data", "clickmodels", "interleave", "bandits", "experiments")

__all__ = sorted([*_MODULES, "__version__"])


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("rankduel")
    if name in _PACKAGES:
        return import_module(f"rankduel.{name}")
    if name not in _MODULES:
        raise AttributeError(f"module 'rankduel' has no attribute '{name}'")
    module = import_module(_MODULES[name])
    value = getattr(module, name, module)  # `rankers` is a module
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
