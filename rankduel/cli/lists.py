"""`rankduel policies`, `interleavers`, `clickmodels`, `measures`, `matrices`: what there is, with sources."""

from __future__ import annotations

from typing import Annotated

import typer

from rankduel.cli import completion
from rankduel.cli.console import print_table
from rankduel.cli.options import AsCsv, AsJson, refuse_typed


def clickmodels(
    context: typer.Context,
    model: Annotated[
        str | None,
        typer.Argument(
            help="A click model and its settings; by default all models are listed.",
            show_default=False,
            autocompletion=completion.users,
        ),
    ] = None,
    grades: Annotated[int, typer.Option(help="Number of relevance grades of the data.")] = 5,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """List click models: probabilities per grade, when users leave, which ranks they examine.

    [dim]Example:[/] rankduel clickmodels "navigational(stop=any)" --grades 3
    """
    from rankduel.cli.shown import lists as shown
    from rankduel.experiments.specs import parse_model

    if model is None:
        refuse_typed(context, ["grades"], "is for one model: name it, as in 'clickmodels navigational'")
    if model is not None:
        chosen = parse_model(model, grades)
        facts = shown.model_as_data(chosen)
        if not print_table(as_json, as_csv, lambda: shown.grade_rows(facts), lambda: facts):
            shown.show_model(chosen)
    elif not print_table(as_json, as_csv, shown.click_model_rows, shown.click_models_as_data):
        shown.show_click_models()


def interleavers(as_json: AsJson = False, as_csv: AsCsv = False) -> None:
    """List interleaving methods with their settings, and the presets of published experiments.

    [dim]Example:[/] rankduel interleavers
    """
    from rankduel.cli.shown import lists as shown

    everything = shown.interleavers_as_data
    if not print_table(as_json, as_csv, lambda: shown.setting_rows(everything()["methods"]), everything):
        shown.show_interleavers()


def matrices(
    matrix: Annotated[
        str | None,
        typer.Argument(
            help="A family and its settings; by default all matrices and families are listed.",
            show_default=False,
            autocompletion=completion.built_in_matrices,
        ),
    ] = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """List built-in preference matrices, and families whose settings determine a matrix.

    [dim]Example:[/] rankduel matrices "btl(k=20,spread=0.5)"
    """
    from rankduel.cli.shown import matrices as shown
    from rankduel.experiments.matrix.builtin import parse_matrix

    if matrix is not None:
        chosen = parse_matrix(matrix)
        facts = shown.matrix_as_data(chosen)
        if not print_table(as_json, as_csv, lambda: shown.setting_rows(facts), lambda: facts):
            shown.show_matrix(chosen)
    elif not print_table(as_json, as_csv, shown.matrix_rows, shown.matrices_as_data):
        shown.show_matrices()


def measures(as_json: AsJson = False, as_csv: AsCsv = False) -> None:
    """List measures of rankers with their settings.

    [dim]Example:[/] rankduel measures
    """
    from rankduel.cli.shown import lists as shown

    everything = shown.measures_as_data
    if not print_table(as_json, as_csv, lambda: shown.setting_rows(everything()["measures"]), everything):
        shown.show_measures()


def policies(
    policy: Annotated[
        str | None,
        typer.Argument(
            help="A policy and its parameters; by default all policies are listed.",
            show_default=False,
            autocompletion=completion.policies,
        ),
    ] = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """List dueling-bandit policies: paper, assumption, parameters, whether they need the horizon.

    [dim]Example:[/] rankduel policies "dts(alpha=0.6)"
    """
    from rankduel.cli.shown import lists as shown
    from rankduel.experiments.specs import parse_policy

    if policy is not None:
        chosen = parse_policy(policy, trust=True)
        facts = shown.policy_as_data(chosen)
        if not print_table(as_json, as_csv, lambda: shown.parameter_rows(facts), lambda: facts):
            shown.show_policy(chosen)
    elif not print_table(as_json, as_csv, shown.policy_rows, shown.policies_as_data):
        shown.show_policies()
