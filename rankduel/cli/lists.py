"""`rankduel policies`, `interleavers`, `clickmodels`, `measures`: what there is, sources and defaults."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from rankduel.cli.options import AsJson, refuse_typed


def clickmodels(
    context: typer.Context,
    model: Annotated[
        str | None,
        typer.Argument(help="One user, as it is written; all of them if not given.", show_default=False),
    ] = None,
    grades: Annotated[int, typer.Option(help="For data with so many relevance grades.")] = 5,
    as_json: AsJson = False,
) -> None:
    """Simulated users: their probabilities per grade, when they leave, where they look.

    [dim]Example:[/] rankduel clickmodels "navigational(stop=any)" --grades 3
    """
    from experiments.specs import parse_model
    from rankduel.cli.shown import lists as shown

    if model is None:
        refuse_typed(context, ["grades"], "is for one user: name it, as in 'clickmodels navigational'")
    if model is not None:
        shown.show_model(parse_model(model, grades), as_json)
    elif as_json:
        typer.echo(json.dumps(shown.click_models_as_data(), indent=1))
    else:
        shown.show_click_models()


def interleavers(as_json: AsJson = False) -> None:
    """Interleaving methods with their settings, and the presets of published experiments.

    [dim]Example:[/] rankduel interleavers
    """
    from rankduel.cli.shown import lists as shown

    if as_json:
        typer.echo(json.dumps(shown.interleavers_as_data(), indent=1))
    else:
        shown.show_interleavers()


def measures(as_json: AsJson = False) -> None:
    """Measures of rankers with their settings.

    [dim]Example:[/] rankduel measures
    """
    from rankduel.cli.shown import lists as shown

    if as_json:
        typer.echo(json.dumps(shown.measures_as_data(), indent=1))
    else:
        shown.show_measures()


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
    from experiments.specs import parse_policy
    from rankduel.cli.shown import lists as shown

    if policy is not None:
        shown.show_policy(parse_policy(policy, trust=True), as_json)
    elif as_json:
        typer.echo(json.dumps(shown.policies_as_data(), indent=1))
    else:
        shown.show_policies()
