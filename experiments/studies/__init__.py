"""Published experiments by name: every file of published/ with a STUDY (study.py says how to add one)."""

from __future__ import annotations

import importlib
import pkgutil

from experiments.studies import published
from experiments.studies.study import Study


def all_studies() -> dict[str, Study]:
    """By id, in the order of the alphabet."""
    modules = (
        importlib.import_module(f"{published.__name__}.{found.name}")
        for found in pkgutil.iter_modules(published.__path__)
    )
    found = [module.STUDY for module in modules if hasattr(module, "STUDY")]
    return {study.id: study for study in sorted(found, key=lambda study: study.id)}
