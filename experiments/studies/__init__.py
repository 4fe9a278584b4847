"""Published experiments by id: the STUDY of every file in published/ that has one. See study.py."""

from __future__ import annotations

import importlib
import pkgutil

from rankduel.experiments.studies import published
from rankduel.experiments.studies.study import Study


def all_studies() -> dict[str, Study]:
    """Return all published studies by id, in alphabetical order."""
    modules = (
        importlib.import_module(f"{published.__name__}.{found.name}")
        for found in pkgutil.iter_modules(published.__path__)
    )
    found = [module.STUDY for module in modules if hasattr(module, "STUDY")]
    return {study.id: study for study in sorted(found, key=lambda study: study.id)}
