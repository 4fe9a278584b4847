"""`rankduel policies`: what there is, from which paper, under which assumption, with which parameters."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer
from rich.markup import escape

from bandits import Configured, configure
from bandits.catalogue import FAMILIES, MULTI_POLICIES
from bandits.contract import MultiPolicy, Policy, Setting, written
from experiments.list_commands import AsJson, show_rows, title
from experiments.screen import screen
from experiments.specs import parse_policy

EXAMPLES = (
    "rucb",
    "merge_dts(alpha=0.262144,batch=16,c=4e6)",
    "merge_rucb(variant=paper)",
    "path/to/mine.py",
)


def policies(
    policy: Annotated[
        str | None,
        typer.Argument(help="One policy, as it is written; all of them if not given.", show_default=False),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Dueling-bandit policies: paper, assumption, whether the horizon must be known, parameters.

    [dim]Example:[/] rankduel policies "dts(alpha=0.6)"
    """
    if policy is not None:
        chosen = parse_policy(policy)
        _show_one(chosen, as_json)
    elif as_json:
        rows = [
            _as_data(configure(one)) | {"family": name} for name, all in families().items() for one in all
        ]
        typer.echo(json.dumps(rows, indent=1))
    else:
        _show_all()


def families() -> dict[str, list[Any]]:
    """All policies by the question they answer."""
    named = {name: [module.POLICY for module in family] for name, family in FAMILIES.items()}
    return named | {"Condorcet winner, whole sets of arms on a page": list(MULTI_POLICIES.values())}


def _as_data(chosen: Configured) -> dict[str, Any]:
    policy = chosen.policy
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
                "value": value,
                "default": getattr(policy.params(), name),
                "about": _setting(policy, name).about,
                "choices": list(_setting(policy, name).choices),
            }
            for name, value in chosen.params._asdict().items()
        },
        "variants": {name: dict(bundle) for name, bundle in policy.variants.items()},
    }


def _show_one(chosen: Configured, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(_as_data(chosen), indent=1))
        return
    policy = chosen.policy
    title(str(chosen))
    screen.print("\n".join(_facts(chosen)), highlight=False)
    title("\nParameters")
    show_rows(
        {
            f"{name} = {_value(policy, name, value)}": _setting(policy, name).about
            for name, value in chosen.params._asdict().items()
        }
        or {"none": ""}
    )
    if policy.variants:
        title("\nVariants", "variant=...")
        show_rows({name: _bundle(bundle) or "the defaults" for name, bundle in policy.variants.items()})


def _show_all() -> None:
    screen.print("[dim]rankduel policies NAME explains the parameters[/]")
    for name, family in families().items():
        title(f"\n{name}")
        show_rows({policy.name: _summary(configure(policy)) for policy in family}, gap=1)
    title("\nWritten as")
    for example in EXAMPLES:
        screen.print(example)


def _summary(chosen: Configured) -> str:
    policy = chosen.policy
    lines = _facts(chosen)
    defaults = ", ".join(
        f"{name}={_value(policy, name, value)}"
        for name, value in chosen.params._asdict().items()
        if name != "horizon"
    )
    lines += [f"[bold]{defaults}[/]"] if defaults else []
    bundles = {name: _bundle(bundle) for name, bundle in policy.variants.items()}
    lines += [f"variant={name}: {bundle}" for name, bundle in bundles.items() if bundle]
    return "\n".join(lines)


def _facts(chosen: Configured) -> list[str]:
    policy = chosen.policy
    assumes = f"assumes: {policy.assumes}" if policy.assumes else ""
    facts = [assumes, _horizon(chosen), _feedback(policy)]
    lines = [policy.about, f"[dim]{escape(policy.source)}[/]" if policy.source else ""]
    return [line for line in (*lines, "; ".join(filter(None, facts))) if line]


def _feedback(policy: Any) -> str:
    """When it hears of outcomes, if not after every duel."""
    if isinstance(policy, MultiPolicy):
        return "hears of pages"
    return "works in batches" if policy.plan else "takes late feedback" if policy.late else ""


def _horizon(chosen: Configured) -> str:
    if chosen.needs_horizon:
        return "must know the horizon"
    for name in chosen.policy.variants:
        if configure(chosen.policy, variant=name).needs_horizon:
            return "needs no horizon (some settings do)"
    return "needs no horizon"


def _value(policy: Policy, name: str, value: Any) -> str:
    """The value in force; of a switch also what else it could be."""
    others = [choice for choice in _setting(policy, name).choices if choice != value]
    return "|".join([written(value), *others])


def _bundle(bundle: Any) -> str:
    return ", ".join(f"{name}={written(value)}" for name, value in bundle.items())


def _setting(policy: Policy, name: str) -> Setting:
    return policy.settings.get(name, Setting(""))
