"""Directives that list what the catalogues of the code hold, with settings and docstrings.

policy-table          one line per policy, with links
policies QUESTION     the policies of a family, in full
things CATALOGUE      interleavers, multileavers or measures, in full
click-models          users, when they leave, where they look
matrices, studies     those built in
presets               bundles of settings for interleaving
kinds-of-errors NAME  the classes that derive from an error, or from Warning
record-columns        the columns of the records of runs
docstring-of MODULE   the docstring of a module, without its first line
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from docutils import nodes
from pieces import CodeDirective, code, docstring, facts, inline, paragraph, table
from sphinx.application import Sphinx

import rankduel
from rankduel.bandits.catalogue import FAMILIES, configure
from rankduel.base import errors
from rankduel.base.settings import Setting, range_text, settings_of, variants_of, written
from rankduel.base.text import counted
from rankduel.clickmodels.catalogue import CLICK_MODELS, USERS
from rankduel.clickmodels.position_based import ATTENTIONS
from rankduel.clickmodels.rows import row_text
from rankduel.clickmodels.tables import STOP_RULES
from rankduel.experiments.matrix import builtin, families
from rankduel.experiments.matrix.builtin import MATRICES
from rankduel.experiments.runs.columns import COLUMNS
from rankduel.experiments.studies import all_studies
from rankduel.experiments.studies.study import TIERS, Runs, Study
from rankduel.interleave import methods as interleaving_methods
from rankduel.interleave.catalogue import METHODS, PRESETS
from rankduel.interleave.multileave import methods as multileaving_methods
from rankduel.interleave.multileave.catalogue import MULTILEAVERS
from rankduel.letor_data.evaluation import measures
from rankduel.letor_data.evaluation.catalogue import MEASURES

ROOT = Path(__file__).parents[2]

# Name of a catalogue -> its things, and the package whose modules they are.
_THINGS: dict[str, tuple[Mapping[str, Any], ModuleType]] = {
    "interleavers": (METHODS, interleaving_methods),
    "multileavers": (MULTILEAVERS, multileaving_methods),
    "measures": (MEASURES, measures),
    "matrix": (builtin.FAMILIES, families),
}


def settings_table(thing: Any) -> list[nodes.Node]:
    """Return a table of the settings of a thing; a sentence if it has none."""
    usual = thing.params()
    if not usual._fields:
        return [paragraph("It has no settings.")]
    rows = []
    for name in usual._fields:
        setting = settings_of(thing).get(name, Setting(""))
        default = setting.write(getattr(usual, name)) if setting.write else written(getattr(usual, name))
        rows.append([code(name), code(default), _range(setting), setting.about])
    return [table(["setting", "default", "values", "meaning"], rows)]


def _range(setting: Setting) -> list[nodes.Node]:
    words = [node for choice in setting.choices for node in (*code(choice), nodes.Text(", "))]
    return words[:-1] or inline(range_text(setting))


def variants_table(thing: Any) -> list[nodes.Node]:
    """Return a table of the named bundles of settings of a thing; nothing if it has none."""
    rows = []
    for name, bundle in variants_of(thing).items():
        values = ",".join(f"{key}={written(value)}" for key, value in bundle.items())
        rows.append([code(f"variant={name}"), code(values) or "the defaults"])
    return [table(["variant", "settings"], rows)] if rows else []


def _without_first_line(text: str) -> str:
    return text.strip().partition("\n")[2]


def _source_file(module: ModuleType) -> str:
    """Return the path of a module's file in the repository."""
    return str(Path(module.__file__ or "").resolve().relative_to(ROOT))


class PolicyTable(CodeDirective):
    def content_nodes(self) -> list[nodes.Node]:
        rows = [
            [self.link(f"policy-{one.name}", one.name), one.about, one.assumes]
            for family in FAMILIES.values()
            for one in family.values()
        ]
        return [table(["policy", "what it does", "assumes"], rows)]


class Policies(CodeDirective):
    required_arguments = 1
    final_argument_whitespace = True

    def content_nodes(self) -> list[nodes.Node]:
        return [self._policy(one) for one in FAMILIES[self.arguments[0]].values()]

    def _policy(self, one: Any) -> nodes.section:
        module = sys.modules[one.init.__module__]
        known = facts(
            [
                ("Written", code(one.name)),
                ("Source", one.source),
                ("Assumes", one.assumes),
                ("Horizon", "must be known" if configure(one).needs_horizon else "need not be known"),
                ("Feedback", _feedback(one)),
                ("Code", code(_source_file(module))),
            ]
        )
        about = paragraph(f"{one.about.rstrip('.')}.")
        details = docstring(_without_first_line(module.__doc__ or ""))
        settings = [*settings_table(one), *variants_table(one)]
        heading = one.title if one.title == one.name else f"{one.title} ({one.name})"
        return self.section(heading, f"policy-{one.name}", about, known, *settings, *details)


def _feedback(one: Any) -> str:
    if one.sets:
        return "after every page, for all pairs of arms on it"
    if one.plan:
        return "after a batch of duels"
    return "after every duel, or later" if one.late_feedback else "after every duel"


class Things(CodeDirective):
    required_arguments = 1

    def content_nodes(self) -> list[nodes.Node]:
        things, package = _THINGS[self.arguments[0]]
        return [self._thing(one, package) for one in things.values()]

    def _thing(self, one: Any, package: ModuleType) -> nodes.section:
        module = _module_of(one, package)
        known = facts(
            [
                ("Written", code(one.name)),
                ("Formula", code(getattr(one, "formula", ""))),
                ("Source", one.source),
                ("Code", code(_source_file(module))),
            ]
        )
        about = paragraph(f"{one.about[:1].upper()}{one.about[1:].rstrip('.')}.")
        details = docstring(module.__doc__ or "")
        label = f"{self.arguments[0].rstrip('s')}-{one.name}"
        return self.section(one.name, label, about, known, *settings_table(one), *details)


def _module_of(thing: Any, package: ModuleType) -> ModuleType:
    """Return the module of a package that defines a thing."""
    for found in pkgutil.iter_modules(package.__path__):
        module = importlib.import_module(f"{package.__name__}.{found.name}")
        if thing in [getattr(module, name, None) for name in ("METHOD", "MEASURE", "FAMILY")]:
            return module
    raise LookupError(f"{thing.name}: no module of {package.__name__} defines it")


class Presets(CodeDirective):
    def content_nodes(self) -> list[nodes.Node]:
        rows = []
        for name, preset in PRESETS.items():
            method, changes = preset["interleaving"]
            values = ",".join(f"{key}={value}" for key, value in changes.items())
            spec = f"{method}({values})" if values else method
            rows.append([code(name), code(spec), code(preset["ties"]), code(preset["tied_duels"])])
        return [table(["preset", "interleaving", "ties", "tied_duels"], rows)]


class ClickModels(CodeDirective):
    def content_nodes(self) -> list[nodes.Node]:
        users = [self._user(one) for one in CLICK_MODELS.values()]
        stops = table(["stop", "meaning"], [[code(name), about] for name, about in STOP_RULES.items()])
        looks = [
            [code(f"{a.name}:{a.takes.upper()}" if a.takes else a.name), a.about, a.source]
            for a in ATTENTIONS.values()
        ]
        return [
            *users,
            self.section("When users leave", "click-model-stop", stops),
            self.section(
                "Where users look", "click-model-attention", table(["attention", "meaning", "source"], looks)
            ),
        ]

    def _user(self, one: Any) -> nodes.section:
        about = paragraph(f"{one.about[:1].upper()}{one.about[1:].rstrip('.')}.")
        tables = []
        if one.name in USERS:
            rows = [
                [str(grades), code(row_text(click)), code(row_text(stop))]
                for grades, (click, stop) in one.tables.items()
            ]
            tables = [table(["grades", "p_click, from grade 0 up", "p_stop"], rows)]
        known = facts([("Written", code(one.name)), ("Source", getattr(one, "source", ""))])
        return self.section(one.name, f"click-model-{one.name}", about, known, *tables, *settings_table(one))


class Matrices(CodeDirective):
    def content_nodes(self) -> list[nodes.Node]:
        rows = [[code(one.name), str(len(one.make())), one.about, one.source] for one in MATRICES.values()]
        return [table(["matrix", "arms", "what it is", "source"], rows)]


class Studies(CodeDirective):
    def content_nodes(self) -> list[nodes.Node]:
        return [self._study(one) for one in all_studies().values()]

    def _study(self, one: Study) -> nodes.section:
        minutes = ", ".join(f"{tier}: {_time(one.minutes[tier])}" for tier in TIERS if tier in one.minutes)
        known = facts(
            [
                ("Written", code(one.id)),
                ("Source", one.source),
                ("Data", one.data),
                ("Claims", str(len(one.checks))),
                ("Time on one core", minutes),
            ]
        )
        runs = [_runs(part) for part in one.parts if isinstance(part, Runs)]
        parts = [nodes.rubric("", "Runs"), nodes.bullet_list("", *runs)] if runs else []
        return self.section(one.title, f"study-{one.id}", paragraph(one.question), known, *parts)


def _runs(part: Runs) -> nodes.list_item:
    """Return the name and the problem of a part, its policies, and how long each tier plays them."""
    head = nodes.paragraph("", "", *code(part.name), nodes.Text(" on "), *code(part.problem))
    policies = nodes.paragraph("", "", *_mixed_code(part.policies))
    sizes = [
        f"{tier}: {counted(int(size.runs), 'run')} of {size.horizon:,.0f} duels"
        for tier, size in part.sizes.items()
    ]
    return nodes.list_item("", head, policies, paragraph("; ".join(sizes)))


def _mixed_code(texts: Iterable[str]) -> list[nodes.Node]:
    return [node for text in texts for node in (*code(text), nodes.Text(", "))][:-1]


def _time(minutes: float) -> str:
    return f"{minutes / 60:,.0f} h" if minutes >= 120 else f"{max(minutes, 1):.0f} min"


class Kinds(CodeDirective):
    """The classes that derive from a class of `rankduel.base.errors`, and where each is defined."""

    required_arguments = 1

    def content_nodes(self) -> list[nodes.Node]:
        base = getattr(errors, self.arguments[0], Warning)
        kinds = _kinds(base)
        rows = [
            [code(kind.__name__), code(kind.__mro__[1].__name__), (kind.__doc__ or "").partition("\n")[0]]
            for kind in kinds
        ]
        return [table(["class", "derives from", "raised for"], rows)]


def _kinds(base: type) -> list[type]:
    """Return a class and all that derive from it and are ours, in the order of their definition."""
    for found in pkgutil.walk_packages(rankduel.__path__, "rankduel."):
        if not found.name.endswith(".__main__"):
            importlib.import_module(found.name)
    return [kind for kind in _derived(base) if kind.__module__.startswith("rankduel.")]


def _derived(base: type) -> list[type]:
    return [base, *(kind for one in base.__subclasses__() for kind in _derived(one))]


class DocstringOf(CodeDirective):
    required_arguments = 1

    def content_nodes(self) -> list[nodes.Node]:
        module = importlib.import_module(self.arguments[0])
        return docstring(_without_first_line(module.__doc__ or ""))


class RecordColumns(CodeDirective):
    def content_nodes(self) -> list[nodes.Node]:
        rows = [
            [code(one.name), one.type, inline(one.meaning), one.covers, inline(one.runs or "all")]
            for one in COLUMNS
        ]
        return [table(["column", "type", "meaning", "covers", "runs"], rows)]


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("policy-table", PolicyTable)
    app.add_directive("policies", Policies)
    app.add_directive("things", Things)
    app.add_directive("presets", Presets)
    app.add_directive("click-models", ClickModels)
    app.add_directive("matrices", Matrices)
    app.add_directive("studies", Studies)
    app.add_directive("kinds-of-errors", Kinds)
    app.add_directive("docstring-of", DocstringOf)
    app.add_directive("record-columns", RecordColumns)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
