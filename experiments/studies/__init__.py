"""Published experiments by id: the STUDY of every folder in published/. See study.py."""

from __future__ import annotations

import importlib
import pkgutil

from rankduel.experiments.studies import published
from rankduel.experiments.studies.study import Study


def all_studies() -> dict[str, Study]:
    """Return all published studies by id, in alphabetical order."""
    names = [found.name for found in pkgutil.iter_modules(published.__path__)]
    studies = [importlib.import_module(f"{published.__name__}.{name}").STUDY for name in names]
    return {study.id: study for study in sorted(studies, key=lambda study: study.id)}
