"""Print the lists of policies, interleaving methods, multileaving methods, click models and measures."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from enum import IntEnum
from typing import Any

import numpy as np
from rich.markup import escape

from rankduel.bandits import configure
from rankduel.bandits.catalogue import FAMILIES
from rankduel.base.settings import Configured, Setting, Thing, settings_of, written
from rankduel.cli.console import plain_table, screen, show_legend, show_rows, title
from rankduel.clickmodels import ATTENTIONS, STOP_RULES, USERS, ClickModel, expected_clicks
from rankduel.clickmodels.position_based import Attention
from rankduel.clickmodels.rows import row_text
from rankduel.experiments.specs import spec_of
from rankduel.interleave import METHODS, PRESETS, Method, preset
from rankduel.interleave.multileave import MULTILEAVERS, Multileaver
from rankduel.letor_data.evaluation.catalogue import MEASURES
from rankduel.letor_data.evaluation.contract import Measure

MODEL_EXAMPLES = (
    "navigational",
    "navigational(stop=any,attention=reciprocal:1)",
    "navigational(grade_map=0/1/3/4)",
    "custom(p_click=0/0.2/0.4/0.8/1,p_stop=0/0/0/0/0)",
)
METHOD_EXAMPLES = ("team_draft", "probabilistic(credit=assignment,tau=2)")
MEASURE_EXAMPLES = ("ndcg@10", "ndcg(gain=linear,no_relevant=skip)@10", "map(rel=2)", "rbp(p=0.95)")
MULTILEAVER_EXAMPLES = ("sosm", "probabilistic(credit=expected,tau=2)")

PAGE = 10


def click_models_as_data() -> dict[str, Any]:
    users = [
        {
            "name": user.name,
            "about": user.about,
            "source": user.source,
            "tables": {n: {"p_click": click, "p_stop": stop} for n, (click, stop) in user.tables.items()},
        }
        for user in USERS.values()
    ]
    attention = [
        {"name": a.name, "about": a.about, "takes": a.takes, "source": a.source} for a in ATTENTIONS.values()
    ]
    return {"users": users, "stop_rules": STOP_RULES, "attention": attention}


def click_model_rows() -> list[dict[str, Any]]:
    """Return a row for every user and number of grades."""
    return [
        {"name": user["name"], "grades": grades, **table, "about": user["about"], "source": user["source"]}
        for user in click_models_as_data()["users"]
        for grades, table in user["tables"].items()
    ]


def interleavers_as_data() -> dict[str, Any]:
    methods = [_method_as_data(method) for method in METHODS.values()]
    presets = {name: preset(name) | {"interleaving": str(preset(name)["interleaving"])} for name in PRESETS}
    return {"methods": methods, "presets": presets}


def _method_as_data(method: Method | Multileaver | Measure) -> dict[str, Any]:
    about = {"name": method.name, "about": method.about, "source": method.source}
    return about | {"settings": settings_as_data(method)}


def setting_rows(methods: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return a row for every setting of the methods; one for a method that has none."""
    return [
        {"name": method["name"], "setting": setting, **about, "source": method["source"]}
        for method in methods
        for setting, about in (method["settings"] or {"": {"about": method["about"]}}).items()
    ]


def settings_as_data(thing: Thing) -> dict[str, dict[str, Any]]:
    """Return default, meaning and range of each setting, for a choice also its values."""
    usual: Any = thing.params()
    return {
        name: {"default": _plain(getattr(usual, name)), "about": setting.about}
        | _range_as_data(setting)
        | ({"choices": list(setting.choices)} if setting.choices else {})
        for name, setting in settings_of(thing).items()
    }


def _range_as_data(setting: Setting) -> dict[str, float]:
    """Return the finite limits of a number: 'from' and 'to' are inclusive, 'above' is exclusive."""
    limits = {"from": setting.at_least, "above": setting.above, "to": setting.at_most}
    return {name: limit for name, limit in limits.items() if math.isfinite(limit)}


def _plain(value: Any) -> Any:
    return written(value) if isinstance(value, IntEnum) else value


def model_as_data(model: ClickModel) -> dict[str, Any]:
    """Return a click model as parsed, with its expected clicks on a page of ten documents of one grade."""
    clicks = [float(expected_clicks(model, np.full(PAGE, grade))) for grade in range(len(model.p_click))]
    rows = {"p_click": model.p_click.tolist(), "p_stop": model.p_stop.tolist(), "expected_clicks": clicks}
    return {"written": spec_of(model)} | rows


def grade_rows(facts: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return a row for every grade of a user, from what `model_as_data` returns."""
    names = ("p_click", "p_stop", "expected_clicks")
    columns = zip(*(facts[name] for name in names))
    return [{"grade": grade} | dict(zip(names, values)) for grade, values in enumerate(columns)]


def show_model(model: ClickModel) -> None:
    facts = model_as_data(model)
    title(escape(facts["written"]))
    table = plain_table()
    for heading in ("grade", "p_click", "p_stop", f"clicks on {PAGE} documents of this grade"):
        table.add_column(heading, header_style="dim", justify="right")
    for row in grade_rows(facts):
        values = (f"{row['p_click']:g}", f"{row['p_stop']:g}", f"{row['expected_clicks']:.3f}")
        table.add_row(str(row["grade"]), *values)
    screen.print(table)
    show_legend(_PROBABILITIES)


_PROBABILITIES = {
    "p_click": "probability of a click on a document that the user examines",
    "p_stop": "probability of leaving the page after it",
}


def show_click_models() -> None:
    title("Users")
    show_rows({user.name: user.about for user in USERS.values()})
    title("\nProbabilities", "one value per relevance grade, from grade 0 upwards")
    _show_probabilities()
    show_legend(_PROBABILITIES)
    title("\nWhen a user leaves", "stop=...")
    show_rows(STOP_RULES)
    title("\nProbability of examining a rank", "attention=...")
    show_rows({_form(a): a.about for a in ATTENTIONS.values()})
    title("\nSources")
    show_rows(_sources())
    title("\nExamples")
    for example in MODEL_EXAMPLES:
        screen.print(example)
    screen.print("mine.toml  [dim](p_click and p_stop as lists of numbers; optional: stop, attention)[/]")


def _sources() -> dict[str, str]:
    """Return the source of each click model; models with the same source share a line."""
    names: dict[str, list[str]] = {}
    for user in USERS.values():
        names.setdefault(user.source, []).append(user.name)
    users = {"all users" if len(names) == 1 else ", ".join(some): source for source, some in names.items()}
    return users | {a.name: a.source for a in ATTENTIONS.values() if a.source}


def _form(attention: Attention) -> str:
    return f"{attention.name}:{attention.takes.upper()}" if attention.takes else attention.name


def _show_probabilities() -> None:
    table = plain_table()
    for heading in ("", "grades", "p_click", "p_stop"):
        table.add_column(heading, header_style="dim", no_wrap=True)
    for user in USERS.values():
        for i, (grades, (click, stop)) in enumerate(user.tables.items()):
            table.add_row("" if i else f"[cyan]{user.name}[/]", str(grades), row_text(click), row_text(stop))
    screen.print(table)


def show_interleavers() -> None:
    title("Methods", "the first value of a setting is its default")
    show_rows({method.name: _about_method(method) for method in METHODS.values()}, gap=1)
    title("\nPresets")
    show_rows({name: _about_preset(preset(name)) for name in PRESETS})
    title("\nExamples")
    for example in METHOD_EXAMPLES:
        screen.print(example)


def multileavers_as_data() -> dict[str, Any]:
    return {"methods": [_method_as_data(method) for method in MULTILEAVERS.values()]}


def show_multileavers() -> None:
    title("Methods", "the first value of a setting is its default")
    show_rows({method.name: _about_method(method) for method in MULTILEAVERS.values()}, gap=1)
    title("\nExamples")
    for example in MULTILEAVER_EXAMPLES:
        screen.print(example)


def measures_as_data() -> dict[str, Any]:
    return {"measures": [_method_as_data(measure) for measure in MEASURES.values()]}


def show_measures() -> None:
    title("Measures", "the first value of a setting is its default; k is written @k, 0 means all ranks")
    show_rows({measure.name: _about_method(measure) for measure in MEASURES.values()}, gap=1)
    title("\nExamples")
    for example in MEASURE_EXAMPLES:
        screen.print(example)


def _about_method(method: Method | Multileaver | Measure) -> str:
    """Return the description of a method, its source, and its settings with the default first."""
    usual: Any = method.params()
    values = {name: _value(method, name, getattr(usual, name), " | ") for name in settings_of(method)}
    lines = [f"{name} = [bold]{value}[/]" for name, value in values.items()]
    return "\n".join([method.about, f"[dim]{method.source}[/]", *lines])


def _about_preset(chosen: dict[str, Any]) -> str:
    return f"{chosen['interleaving']}\n[dim]ties = {chosen['ties']}, tied_duels = {chosen['tied_duels']}[/]"


EXAMPLES = (
    "rucb",
    "merge_dts(alpha=0.262144,batch=16,c=4e6)",
    "merge_rucb(variant=paper)",
    "path/to/mine.py",
)


def policies_as_data() -> list[dict[str, Any]]:
    """Return name, source, assumption and parameters of every policy, family by family."""
    return [
        policy_as_data(configure(policy)) | {"family": name}
        for name, family in FAMILIES.items()
        for policy in family.values()
    ]


def policy_rows() -> list[dict[str, Any]]:
    """Return a row per policy; its parameters as text in the form that commands accept."""
    return [
        {**facts, "parameters": _defaults(facts), "variants": ", ".join(facts["variants"])}
        for facts in policies_as_data()
    ]


def _defaults(facts: Mapping[str, Any]) -> str:
    return ",".join(f"{name}={written(about['default'])}" for name, about in facts["parameters"].items())


def parameter_rows(facts: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return a row for every parameter of a policy, from what `policy_as_data` returns."""
    return [
        {"policy": facts["name"], "parameter": name} | about for name, about in facts["parameters"].items()
    ]


def policy_as_data(chosen: Configured) -> dict[str, Any]:
    policy = chosen.thing
    usual = Configured(policy, policy.params())
    return {
        "name": policy.name,
        "written": str(chosen),
        "about": policy.about,
        "source": policy.source,
        "assumes": policy.assumes,
        "needs_horizon": chosen.needs_horizon,
        "feedback": _feedback(policy),
        "parameters": {
            name: {
                "value": chosen.get(name),
                "default": usual.get(name),
                "about": _setting(policy, name).about,
                "choices": list(_setting(policy, name).choices),
            }
            | _range_as_data(_setting(policy, name))
            for name in chosen.params._fields
        },
        "variants": {name: dict(settings) for name, settings in policy.variants.items()},
    }


def show_policy(chosen: Configured) -> None:
    policy = chosen.thing
    title(escape(str(chosen)))
    screen.print("\n".join(_facts(chosen)), highlight=False)
    title("\nParameters")
    show_rows(
        {
            escape(f"{name} = {_value(policy, name, value)}"): escape(_setting(policy, name).about)
            for name, value in chosen.params._asdict().items()
        }
        or {"none": ""}
    )
    if policy.variants:
        title("\nVariants", "variant=...")
        show_rows(
            {
                escape(name): escape(_settings_text(settings)) or "the defaults"
                for name, settings in policy.variants.items()
            }
        )


def show_policies() -> None:
    screen.print("[dim]'rankduel policies NAME' explains the parameters of a policy[/]")
    for name, family in FAMILIES.items():
        title(f"\n{name}")
        show_rows({policy.name: _summary(configure(policy)) for policy in family.values()}, gap=1)
    title("\nExamples")
    for example in EXAMPLES:
        screen.print(example)


def _summary(chosen: Configured) -> str:
    policy = chosen.thing
    lines = _facts(chosen)
    defaults = ", ".join(
        f"{name}={_value(policy, name, value)}"
        for name, value in chosen.params._asdict().items()
        if name != "horizon"
    )
    lines += [f"[bold]{defaults}[/]"] if defaults else []
    variants = {name: _settings_text(settings) for name, settings in policy.variants.items()}
    lines += [f"variant={name}: {text}" for name, text in variants.items() if text]
    return "\n".join(lines)


def _facts(chosen: Configured) -> list[str]:
    policy = chosen.thing
    assumes = f"assumes: {escape(policy.assumes)}" if policy.assumes else ""
    facts = [assumes, _horizon(chosen), _feedback(policy)]
    lines = [escape(policy.about), f"[dim]{escape(policy.source)}[/]" if policy.source else ""]
    return [line for line in (*lines, "; ".join(filter(None, facts))) if line]


def _feedback(policy: Any) -> str:
    """Return when the policy receives outcomes, if not always after every duel."""
    if policy.sets:
        return "compares sets of arms"
    return "works in batches" if policy.plan else "accepts late feedback" if policy.late_feedback else ""


def _horizon(chosen: Configured) -> str:
    if chosen.needs_horizon:
        return "needs the horizon"
    for name in chosen.thing.variants:
        if configure(chosen.thing, variant=name).needs_horizon:
            return "needs no horizon (except for some settings)"
    return "needs no horizon"


def _value(thing: Thing, name: str, value: Any, between: str = "|") -> str:
    """Return the current value, for a choice followed by the other values."""
    text = written(value)
    others = [choice for choice in _setting(thing, name).choices if choice != text]
    return between.join([text, *others])


def _settings_text(settings: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={written(value)}" for name, value in settings.items())


def _setting(thing: Thing, name: str) -> Setting:
    return settings_of(thing).get(name, Setting(""))
