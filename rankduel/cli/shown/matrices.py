"""Print the built-in matrices and the families of matrices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.markup import escape

from rankduel.base.settings import Configured, settings_of, written
from rankduel.cli.console import screen, show_rows, title
from rankduel.cli.shown.lists import settings_as_data
from rankduel.experiments.matrix.builtin import FAMILIES, MATRICES, make_matrix
from rankduel.experiments.matrix.contract import Family

EXAMPLES = (
    "cycle",
    "btl(k=100,spread=0.5)",
    "linear(utilities=0.3/0.25/0.1/0)",
    "gaps(gap=0.01/0.02/0.05,rest=additive)",
    "mallows(k=20,phi=0.8)",
    "mixture(orders=0>1>2/1>2>0/2>0>1)",
    "mixture(k=30,users=5,orders=random,seed=3)",
)


def matrices_as_data() -> dict[str, Any]:
    matrices = [
        {"name": one.name, "arms": len(one.make()), "about": one.about, "source": one.source}
        for one in MATRICES.values()
    ]
    return {"matrices": matrices, "families": [_family_as_data(family) for family in FAMILIES.values()]}


def _family_as_data(family: Family) -> dict[str, Any]:
    about = {name: getattr(family, name) for name in ("name", "about", "formula", "source")}
    return about | {"settings": settings_as_data(family)}


def matrix_rows() -> list[dict[str, Any]]:
    """Return a row for every matrix and family; settings as text in the form that commands accept."""
    found = matrices_as_data()
    fixed = [one | {"formula": "", "settings": ""} for one in found["matrices"]]
    return fixed + [one | {"arms": None, "settings": _defaults(one["settings"])} for one in found["families"]]


def _defaults(settings: Mapping[str, Mapping[str, Any]]) -> str:
    return ",".join(f"{name}={written(about['default'])}" for name, about in settings.items())


def matrix_as_data(chosen: Configured) -> dict[str, Any]:
    """Return a matrix with its settings; an error if they contradict each other."""
    facts = {"written": str(chosen), "arms": len(make_matrix(chosen))}
    if chosen.name in MATRICES:
        return facts | {"about": chosen.thing.about, "source": chosen.thing.source, "settings": {}}
    about = _family_as_data(chosen.thing)
    settings = {name: {"value": chosen.get(name)} | one for name, one in about["settings"].items()}
    return facts | about | {"settings": settings}


def setting_rows(facts: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return a row for every setting of a matrix, from what `matrix_as_data` returns."""
    return [{"matrix": facts["written"], "setting": name} | one for name, one in facts["settings"].items()]


def show_matrix(chosen: Configured) -> None:
    facts = matrix_as_data(chosen)
    title(escape(facts["written"]), f"{facts['arms']} arms")
    lines = [facts["about"], facts.get("formula", ""), f"[dim]{escape(facts['source'])}[/]"]
    screen.print("\n".join(filter(None, lines)), highlight=False)
    if facts["settings"]:
        title("\nSettings")
        rows = facts["settings"].items()
        show_rows({escape(f"{name} = {written(one['value'])}"): escape(one["about"]) for name, one in rows})


def show_matrices() -> None:
    title("Matrices")
    show_rows({one.name: f"{one.about}\n[dim]{escape(one.source)}[/]" for one in MATRICES.values()}, gap=1)
    title("\nFamilies", "'rankduel matrices NAME' explains the settings of a family")
    show_rows({family.name: _about(family) for family in FAMILIES.values()}, gap=1)
    title("\nExamples")
    for example in EXAMPLES:
        screen.print(example, highlight=False)


def _about(family: Family) -> str:
    usual = zip(settings_of(family), family.params())
    settings = ", ".join(f"{name}={written(value)}" for name, value in usual)
    source = f"[dim]{escape(family.source)}[/]"
    return f"{escape(family.about)}\n{escape(family.formula)}\n{source}\n[bold]{escape(settings)}[/]"
