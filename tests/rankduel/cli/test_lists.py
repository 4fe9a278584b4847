"""Test the commands `rankduel clickmodels`, `rankduel interleavers` and `rankduel matrices`."""

import json

import pytest
from support.helpers import words

from rankduel.base.errors import ClickModelError, InterleaveError, UsageError
from rankduel.base.settings import parse_spec, settings_of
from rankduel.cli.shown import lists, matrices
from rankduel.clickmodels import ATTENTIONS, STOP_RULES, USERS
from rankduel.experiments.matrix.builtin import FAMILIES, MATRICES
from rankduel.experiments.specs import parse_model, spec_of
from rankduel.interleave import METHODS, PRESETS, interleaving


@pytest.mark.parametrize("command", ["clickmodels", "interleavers", "matrices"])
@pytest.mark.parametrize("more", [[], ["--help"]])
def test_output_fits_eighty_columns(rankduel, command, more):
    code, out, err = rankduel(command, *more)
    assert (code, err) == (0, "") and max(map(len, out.splitlines())) <= 80
    assert "…" not in out and "[/" not in out


def test_table_of_click_models(rankduel):
    out = words(rankduel("clickmodels")[1])
    for user in USERS.values():
        assert f"{user.name} {user.about}" in out and user.source in out
    assert "navigational 2 0.05/0.95 0.2/0.9 3 0.05/0.5/0.95 0.2/0.5/0.9 5 0.05/0.3/0.5/0.7/0.95" in out
    for name, about in STOP_RULES.items():
        assert f"{name} {about}" in out
    assert "reciprocal:ETA 1 / t^eta" in out and "measured public OnlineLambdaMart" in out


def test_json_of_click_models(rankduel):
    output = json.loads(rankduel("clickmodels", "--json")[1])
    assert [user["name"] for user in output["users"]] == list(USERS)
    for user in output["users"]:
        mine = USERS[user["name"]]
        assert (user["about"], user["source"]) == (mine.about, mine.source)
        assert user["tables"] == {
            str(grades): {"p_click": list(click), "p_stop": list(stop)}
            for grades, (click, stop) in mine.tables.items()
        }
    assert output["stop_rules"] == STOP_RULES
    assert [(a["name"], a["takes"]) for a in output["attention"]] == [
        (a.name, a.takes) for a in ATTENTIONS.values()
    ]


def test_table_of_interleavers(rankduel):
    out = words(rankduel("interleavers")[1])
    for method in METHODS.values():
        assert f"{method.name} {method.about} {method.source}" in out
    assert "credit = marginal_sign | assignment | marginal_bernoulli | marginal_sampled tau = 3" in out
    assert (
        "repo_multileave probabilistic(credit=marginal_sampled) ties = random_run, tied_duels = coin" in out
    )


def test_json_of_interleavers(rankduel):
    output = json.loads(rankduel("interleavers", "--json")[1])
    assert [method["name"] for method in output["methods"]] == list(METHODS)
    for method in output["methods"]:
        defaults = {name: setting["default"] for name, setting in method["settings"].items()}
        usual = interleaving(method["name"])
        assert defaults == {name: usual.get(name) for name in usual.params._fields}
        choices = {name: s["choices"] for name, s in method["settings"].items() if "choices" in s}
        declared = settings_of(METHODS[method["name"]])
        assert choices == {name: list(s.choices) for name, s in declared.items() if s.choices}
    assert output["presets"].keys() == PRESETS.keys()
    assert output["presets"]["repo_multileave"] == {
        "interleaving": "probabilistic(credit=marginal_sampled)",
        "ties": "random_run",
        "tied_duels": "coin",
    }


def test_printed_examples_work(rankduel):
    models, methods = rankduel("clickmodels")[1], rankduel("interleavers")[1]
    for example in lists.MODEL_EXAMPLES:
        assert example in models
        assert spec_of(parse_model(example, 4 if "grade_map" in example else 5)) in (example, "perfect")
    for example in lists.METHOD_EXAMPLES:
        name, settings = parse_spec(example)
        assert example in methods and str(interleaving(name, **settings)) == example


@pytest.mark.parametrize("problem", [ClickModelError, InterleaveError, UsageError])
def test_bad_input_is_one_message_and_exit_code_2(rankduel, monkeypatch, problem):
    def refuse():
        raise problem("no such [thing]")

    monkeypatch.setattr(lists, "show_click_models", refuse)
    assert rankduel("clickmodels") == (2, "", "error: no such [thing]\n")


def test_one_click_model_with_its_settings(rankduel, tmp_path):
    code, out, err = rankduel("clickmodels", "custom(p_click=0/1,p_stop=0/0.5)", "--grades", "2")
    assert (code, err) == (0, "") and out.startswith("custom(p_click=0/1,p_stop=0/0.5)")
    # Ten relevant documents: a click each until the user leaves, 1 + 1/2 + 1/4 + ... of them.
    assert words("1 1 0.5 1.998") in words(out) and words("0 0 0 0.000") in words(out)
    (tmp_path / "mine.toml").write_text("p_click = [0, 1]\np_stop = [0, 0.5]\n")
    output = json.loads(rankduel("clickmodels", str(tmp_path / "mine.toml"), "--grades", "2", "--json")[1])
    assert output["written"] == "custom(p_click=0/1,p_stop=0/0.5)" and output["p_click"] == [0, 1]
    assert output["expected_clicks"] == [0, pytest.approx(2 - 2**-9)]


@pytest.mark.parametrize(
    "more, says",
    [
        (["navigationall"], "did you mean 'navigational'?"),
        (["navigational", "--grades", "4"], "grades"),
        (["custom(p_click=0/2,p_stop=0/0)", "--grades", "2"], "between 0 and 1"),
        (["absent.toml"], "absent.toml"),
    ],
)
def test_a_wrong_click_model_is_one_message(rankduel, more, says):
    code, out, err = rankduel("clickmodels", *more)
    assert (code, out) == (2, "") and says in err


def test_table_of_matrices(rankduel):
    out = words(rankduel("matrices")[1])
    for one in (*MATRICES.values(), *FAMILIES.values()):
        assert f"{one.name} {one.about} {getattr(one, 'formula', '')}".rstrip() in out and one.source in out
    for example in matrices.EXAMPLES:
        assert example in out
        code, shown, err = rankduel("matrices", example)
        assert (code, err) == (0, "") and shown.startswith(example)


def test_one_family(rankduel):
    out = words(rankduel("matrices", "btl(k=5,spread=0.5)")[1])
    assert "btl(k=5,spread=0.5) (5 arms)" in out and "P(i beats j) = w_i / (w_i + w_j)" in out
    assert "spread = 0.5 factor of the utilities" in out
    facts = json.loads(rankduel("matrices", "btl(k=5,spread=0.5)", "--json")[1])
    assert facts["arms"] == 5 and facts["settings"]["spread"]["value"] == 0.5
    assert facts["settings"]["k"] | {"about": ""} == {
        "value": 5,
        "default": 0,
        "about": "",
        "from": 0,
        "to": 2000,
    }
    code, _, err = rankduel("matrices", "btl(k=5,strengths=1/2)")
    assert code == 2 and "leave k out" in err


def test_json_and_csv_of_matrices(rankduel):
    output = json.loads(rankduel("matrices", "--json")[1])
    assert [one["name"] for one in output["matrices"]] == list(MATRICES)
    assert [one["name"] for one in output["families"]] == list(FAMILIES)
    assert {one["name"]: one["arms"] for one in output["matrices"]}["cycle"] == 20
    lines = rankduel("matrices", "--csv")[1].splitlines()
    assert len(lines) == 1 + len(MATRICES) + len(FAMILIES) and '"k=10,phi=0.5"' in "".join(lines)
