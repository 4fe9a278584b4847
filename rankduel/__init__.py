"""Simulate the online evaluation of rankers: judged data, interleaving, clicks, dueling bandits.

Names are loaded when they are first used, so that `import rankduel` is fast.

>>> import rankduel
>>> table = rankduel.run("arxiv6", ["rucb", "dts"], horizon=1000, runs=2)
>>> sorted(set(table["policy"]))
['dts', 'rucb']
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bandits.catalogue import policy
    from bandits.stepper import Stepper, restore, start
    from clickmodels.catalogue import click_model
    from experiments.arena import Arena, open_arena
    from experiments.matrix.preferences import Preferences, read_preferences, write_preferences
    from interleave.catalogue import interleaving
    from interleave.multileave.pages import multileaved_page
    from interleave.pages import interleave
    from letor_data import rankers
    from letor_data.letor import Letor
    from rankduel.api.cache_files import caches
    from rankduel.api.catalogues import click_models, interleavers, matrices, measures, multileavers, policies
    from rankduel.api.data import describe_data, read_data, synthetic_data, write_data
    from rankduel.api.duels import duel_odds, play_duels
    from rankduel.api.evaluation import compare_rankers, evaluate
    from rankduel.api.judging import judge
    from rankduel.api.matrices import build_matrix, regret_bounds, winner_subsets, winners
    from rankduel.api.plots import plot_accuracy, plot_comparison, plot_matrix, plot_regret
    from rankduel.api.runs import compare, load_records, multileave, report, run
    from rankduel.api.studies import study
    from rankduel.base.errors import RankduelError

# Public name -> the module that defines it.
_EXPORTS = {
    "Arena": "experiments.arena",
    "Letor": "letor_data.letor",
    "Preferences": "experiments.matrix.preferences",
    "RankduelError": "rankduel.base.errors",
    "Stepper": "bandits.stepper",
    "build_matrix": "rankduel.api.matrices",
    "caches": "rankduel.api.cache_files",
    "click_model": "clickmodels.catalogue",
    "click_models": "rankduel.api.catalogues",
    "compare": "rankduel.api.runs",
    "compare_rankers": "rankduel.api.evaluation",
    "describe_data": "rankduel.api.data",
    "duel_odds": "rankduel.api.duels",
    "evaluate": "rankduel.api.evaluation",
    "interleave": "interleave.pages",
    "interleavers": "rankduel.api.catalogues",
    "interleaving": "interleave.catalogue",
    "judge": "rankduel.api.judging",
    "load_records": "rankduel.api.runs",
    "matrices": "rankduel.api.catalogues",
    "measures": "rankduel.api.catalogues",
    "multileave": "rankduel.api.runs",
    "multileaved_page": "interleave.multileave.pages",
    "multileavers": "rankduel.api.catalogues",
    "open_arena": "experiments.arena",
    "play_duels": "rankduel.api.duels",
    "plot_accuracy": "rankduel.api.plots",
    "plot_comparison": "rankduel.api.plots",
    "plot_matrix": "rankduel.api.plots",
    "plot_regret": "rankduel.api.plots",
    "policies": "rankduel.api.catalogues",
    "policy": "bandits.catalogue",
    "rankers": "letor_data.rankers",
    "read_data": "rankduel.api.data",
    "read_preferences": "experiments.matrix.preferences",
    "regret_bounds": "rankduel.api.matrices",
    "report": "rankduel.api.runs",
    "restore": "bandits.stepper",
    "run": "rankduel.api.runs",
    "start": "bandits.stepper",
    "study": "rankduel.api.studies",
    "synthetic_data": "rankduel.api.data",
    "winner_subsets": "rankduel.api.matrices",
    "winners": "rankduel.api.matrices",
    "write_data": "rankduel.api.data",
    "write_preferences": "experiments.matrix.preferences",
}
_PACKAGES = ("letor_data", "clickmodels", "interleave", "bandits", "experiments")

__all__ = [
    "Arena",
    "Letor",
    "Preferences",
    "RankduelError",
    "Stepper",
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
    "interleave",
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
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("rankduel")
    if name not in _EXPORTS:
        raise AttributeError(f"module 'rankduel' has no attribute '{name}'")
    check_packages()
    module = import_module(_EXPORTS[name])
    value = module if _EXPORTS[name].rpartition(".")[2] == name else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__


def check_packages() -> None:
    """Raise ImportError if another folder of the same name hides one of rankduel's packages.

    Many projects have a folder `experiments`, which Python finds first under `python -c` and in notebooks.
    """
    root = Path(__file__).resolve().parents[1]
    for name in _PACKAGES:
        spec = find_spec(name)
        found = Path(spec.origin).resolve() if spec is not None and spec.origin else None
        if found is None or found.parent.parent != root:
            hidden = f"{found} hides" if found else "something hides"
            raise ImportError(
                f"{hidden} rankduel's own package '{name}' in {root}; rename that file or folder, "
                "or start Python in another folder"
            )
