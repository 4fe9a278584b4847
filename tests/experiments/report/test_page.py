"""Reports: what is on the page, that nothing from records can break out of its place, and the command."""

import json
import re

import pytest
import typer
from support.html_pages import ATTACKS, CONTROLS, Page
from support.run_set_samples import (
    made_up_multileave,
    made_up_study,
    made_up_table,
    of_all_kinds,
    ordered_preferences,
    write_run_set,
)
from typer.testing import CliRunner

from experiments.matrix.preferences import preferences_of
from experiments.report.charts.curves import DEFAULT
from experiments.report.charts.matrix_and_final import heatmap
from experiments.report.charts.parts import printable
from experiments.report.files import save_chart
from experiments.report.html import CHOICES, plain_names
from experiments.report.page import (
    ENDINGS,
    bound_slope,
    run_set_figures,
    run_set_headline,
    write_figures,
    write_report,
)
from experiments.report.pair import of_both, pair_section, pairs
from experiments.runs.compare import compare_runs
from experiments.runs.records import read_run_sets
from rankduel.base.errors import RecordsError
from rankduel.cli import report
from rankduel.cli.console import screen

HOSTILE = "</script><script>document.title='taken'</script><img src=x onerror=alert(1)>\"'&"


@pytest.fixture(scope="module")
def both():
    """A live and a proxy study of one matrix, with a policy that wants to break out."""
    preferences = ordered_preferences(5, ["a", "b", "c", "d", HOSTILE])
    policies = ("rucb", "dts", HOSTILE)
    live = made_up_study("clicks", "live", policies, preferences, seed=1)
    live.settings["arena"] = {"clicks": HOSTILE, "length": 10}
    proxy = made_up_study(HOSTILE, "proxy", policies, preferences, seed=2)
    return [live, proxy]


@pytest.fixture(scope="module")
def page(both, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    write_report(both, path)
    return Page(path)


def test_the_page_has_every_section_and_chart(page):
    assert len(page.ids("section")) == 3
    ids = page.ids("figure")
    assert len(ids) == len(set(ids))
    kinds = ["regret", "accuracy", "final-regret", "time", "ndcg", "clicks", "matrix"]
    assert ids[:7] == [f"clicks-{kind}" for kind in kinds]
    assert [name.rpartition("-")[2] for name in ids[7:]] == [
        "regret",
        "accuracy",
        "regret",
        "time",
        "matrix",
        "regret",
    ]
    assert set(json.loads(page.report)["charts"]) == set(ids)


def test_text_from_records_stays_text(page):
    assert [name for name, _ in page.elements if name == "img"] == []
    assert [name for name, _ in page.elements].count("script") == 3
    assert all(not key.startswith("on") for _, attributes in page.elements for key in attributes)
    assert page.text.count(" ".join(HOSTILE.split())) >= 4  # shown as it is: name, policy, setting, ranker
    assert any(attributes.get("value") == HOSTILE for _, attributes in page.elements)
    assert not set("<>&") & set(page.report)
    names = {param["name"]: param["value"] for param in _matrix_chart(page)["params"]}["names"]
    assert HOSTILE in names


def test_no_string_of_a_record_folder_becomes_an_element_or_an_attribute(tmp_path):
    attack = "".join(ATTACKS)
    plain, attacked = (_page_of(_from_files(of_all_kinds(text), tmp_path), tmp_path) for text in ("", attack))
    assert attacked.structure == plain.structure and attacked.policy == plain.policy
    for words in ("a note", "five in order", "navigational", "exact", "0.1.0", "the mean weak", "rucb"):
        assert words + attack in attacked.text
    assert attack in json.dumps(json.loads(attacked.report), ensure_ascii=False).replace('\\"', '"')
    assert not set("<>&\u2028\u2029") & set(attacked.report)


def _from_files(run_sets, folder):
    """The run sets after they were written and read again."""
    records = folder / f"records-{len(run_sets[0].name)}"
    for run_set in run_sets:
        write_run_set(run_set, records / run_set.name.replace("/", ""))
    return read_run_sets(records)


def _page_of(run_sets, folder):
    write_report(run_sets, folder / "page.html")
    return Page(folder / "page.html")


def test_the_policy_allows_the_page_itself_and_nothing_else(page, tmp_path):
    save_chart(heatmap(ordered_preferences(3)), tmp_path / "chart.html")
    for one in (page, Page(tmp_path / "chart.html")):
        assert one.policy == one.own_policy and len(one.policy["script-src"]) == 2


def test_characters_that_are_not_text_are_shown_as_escapes(tmp_path):
    _, draws, pages = of_all_kinds(CONTROLS)
    draws.settings["note"] = "half a pair \ud800"  # which a table of pandas cannot hold
    found = _page_of([draws._replace(name="draws\udc80"), pages], tmp_path)
    assert not set(CONTROLS) & set(found.source) and "\\u2028" not in found.report.replace("\\\\", "")
    shown = f"rucb{printable(CONTROLS)}"
    assert f"{shown} had a mean regret" in found.text
    assert "half a pair \\ud800" in found.text and "draws\\udc80" in found.text
    # What a reader ticks is what the charts have.
    ticked = [attributes["value"] for _, attributes in found.elements if attributes.get("name") == "policy"]
    assert shown in ticked and json.dumps(shown)[1:-1] in found.report


def test_ids_differ_whatever_the_names_of_run_sets(tmp_path):
    names = ["a", "A", "a-e", "a-e-bin", "a-section", "a b", "a-b", "report", "clip0", "vega-embed-style"]
    found = _page_of(
        [made_up_multileave(name, ["random"], ordered_preferences(3)) for name in names], tmp_path
    )
    ids = [attributes["id"].lower() for _, attributes in found.elements if "id" in attributes]
    assert len(ids) == len(set(ids)) == 2 * len(names) + 2 and {"report", "vega-embed-style"} <= set(ids)
    assert set(json.loads(found.report)["charts"]) == set(found.ids("figure"))
    links = [attributes["href"][1:] for tag, attributes in found.elements if tag == "a"]
    assert links == found.ids("section")


def test_ids_end_as_no_id_of_the_libraries_does(page):
    assert all(one.endswith(ENDINGS) for one in [*page.ids("section"), *page.ids("figure")])
    names = ["a", "A", "a-final", "a-regret", "a-final-regret", "live-versus-proxy-1"]
    ids = [f"{name}{ending}".lower() for name in plain_names(names, ENDINGS) for ending in ENDINGS]
    assert len(ids) == len(set(ids))


def test_an_unknown_mode_is_text_too(tmp_path):
    run_set = made_up_study("one")
    for mode, name in (("proxy", "plain.html"), (ATTACKS[0], "attacked.html")):
        write_report([run_set._replace(settings=run_set.settings | {"mode": mode})], tmp_path / name)
    assert Page(tmp_path / "attacked.html").structure == Page(tmp_path / "plain.html").structure


def _matrix_chart(page):
    return json.loads(page.report)["charts"]["clicks-matrix"]["charts"][""]


def test_a_page_opens_with_what_goes_into_papers():
    assert tuple(options[0] for options in CHOICES.values()) == DEFAULT and tuple(CHOICES) == DEFAULT._fields


def test_the_page_refers_to_nothing_outside(page):
    for _, attributes in page.elements:
        for key in ("src", "href", "action", "srcset"):
            assert attributes.get(key, "#").startswith(("#", "data:"))
    policy = next(a["content"] for _, a in page.elements if a.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none';") and "http" not in policy


def test_the_page_has_settings_versions_and_commands(page):
    for words in (
        "rankduel run five.txt --horizon 1000",
        "arena.length 10",
        "matrix.about exact",
        "rankduel 0.1.0",
    ):
        assert words in page.text
    assert "C* ln t with C* =" in page.text and "not a floor" in page.text


def test_every_table_has_a_caption_and_every_chart_a_description(page):
    names = [name for name, _ in page.elements]
    assert names.count("table") == names.count("caption") == 7  # results, settings, versions; the pair's one
    for entry in json.loads(page.report)["charts"].values():
        assert all(chart["description"] for chart in entry["charts"].values())


def test_every_combination_of_choices_has_a_chart(page):
    for entry in json.loads(page.report)["charts"].values():
        expected = 1
        for control in entry["controls"]:
            expected *= len(CHOICES[control])
        assert len(entry["charts"]) == expected
        names = {name for chart in entry["charts"].values() for name in chart["datasets"]}
        assert names <= set(json.loads(page.report)["datasets"])


@pytest.mark.slow
def test_the_same_records_give_the_same_bytes(tmp_path):
    for name in ("one.html", "two.html"):
        write_report([made_up_study(policies=("rucb",), runs=2)], tmp_path / name)
    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "two.html").read_bytes()


def test_a_large_study_stays_a_small_page(tmp_path):
    policies = [f"policy_{i}(alpha=0.123456)" for i in range(6)]
    study = made_up_study("large", "live", policies, ordered_preferences(136), horizon=10**6, runs=10)
    assert len(study.table) > 60_000
    write_report([study], tmp_path / "large.html")
    page = (tmp_path / "large.html").read_text("utf-8")
    libraries = max(re.findall(r"<script>.*?</script>", page, re.DOTALL), key=len)
    assert len(page) - len(libraries) < 1_500_000


# Words


def test_headlines_name_the_best_and_say_whether_that_is_settled():
    study = made_up_study(policies=("rucb", "dts"), runs=8)
    text = run_set_headline(study)
    assert text.startswith("rucb had a mean regret of ") and "the least of 2 policies" in text
    assert "Next is dts with" in text and text.endswith("intervals do not overlap.")
    close = study.table.assign(
        regret=study.table["regret"] / study.table["policy"].map({"rucb": 1, "dts": 2})
    )
    assert "do not settle which of the two is better" in run_set_headline(study._replace(table=close))


def test_headlines_of_single_runs_and_single_policies():
    assert "Single runs do not tell" in run_set_headline(made_up_study(runs=1))
    assert "the least" not in run_set_headline(made_up_study(policies=("rucb",)))


def test_the_bound_is_left_out_where_there_is_none():
    circle = ordered_preferences(3).matrix.copy()
    circle[0, 2], circle[2, 0] = circle[2, 0], circle[0, 2]
    study = made_up_study(preferences=preferences_of(circle))
    assert bound_slope(study) is None
    captions = {shown.name: shown.caption for shown in run_set_figures("s", study)}
    assert "C*" not in captions["s-regret"] and "no Condorcet winner" in captions["s-matrix"]


def test_large_matrices_say_that_they_are_cut():
    captions = [
        shown.caption for shown in run_set_figures("s", made_up_study(preferences=ordered_preferences(203)))
    ]
    assert "These are the 200 strongest of 203 rankers." in captions[-1]


def test_a_missing_time_leaves_out_the_chart_of_times():
    study = made_up_study()
    untimed = study._replace(table=study.table.assign(seconds=float("nan")))
    assert "s-time" not in [shown.name for shown in run_set_figures("s", untimed)]


@pytest.mark.parametrize(
    "names, plain",
    [
        (["mslr", "yahoo.1"], ["mslr", "yahoo.1"]),
        (["a b", "a/b", "a-b"], ["a-b", "a-b-2", "a-b-3"]),
        (["..", "", "é"], ["study", "study-2", "study-3"]),
        (["a", "A", "a-2"], ["a", "A-2", "a-2-2"]),  # of files, where case does not count
    ],
)
def test_names_for_files(names, plain):
    assert plain_names(names) == plain


# Live against proxy


def test_pairs_share_matrix_and_horizon():
    live, proxy = made_up_study("live", "live"), made_up_study("proxy", "proxy")
    assert pairs([proxy, live]) == [(live, proxy)]
    other_matrix = made_up_study("other", "proxy", preferences=ordered_preferences(6))
    other_horizon = made_up_study("longer", "proxy", horizon=2000)
    other_policies = made_up_study("rcs", "proxy", policies=("rcs",))
    assert pairs([live, other_matrix, other_horizon, other_policies]) == []


def test_a_pair_is_compared_policy_by_policy():
    live = made_up_study("live", "live", ("rucb", "dts", "rcs"), seed=1, runs=6)
    proxy = made_up_study("proxy", "proxy", ("dts", "rucb"), seed=2, runs=6)  # rucb is the worse one here
    section = pair_section("pair", live, proxy)
    assert section.headline == compare_runs(*of_both(live, proxy)).verdict and "differ" in section.headline
    rows = re.findall("<tr><td>(.*?)</td></tr>", section.body)
    cells = [row.split("</td><td>") for row in rows]
    assert [row[0] for row in cells] == ["rucb", "dts"]
    for policy, *figures in cells:
        means = [float(text.partition(" ")[0]) for text in figures[:3]]
        for study, mean in zip((live, proxy), means):
            last = study.table[(study.table["step"] == 1000) & (study.table["policy"] == policy)]
            assert mean == pytest.approx(last["regret"].mean(), abs=0.1)
        assert means[2] == pytest.approx(means[0] - means[1], abs=0.2)


def test_a_pair_of_single_runs_claims_no_interval():
    pair = (made_up_study(mode, mode, ("rucb",), runs=1) for mode in ("live", "proxy"))
    row = re.search("<tr><td>rucb</td>(.*?)</tr>", pair_section("pair", *pair).body)[1]
    assert "[" not in row and row.endswith("<td></td><td></td>")


# The command


@pytest.fixture
def records(tmp_path):
    write_run_set(made_up_study("five", runs=2), tmp_path / "records" / "five")
    return tmp_path / "records"


def typed(*words):
    app = typer.Typer()
    app.command()(report.report)
    return CliRunner().invoke(app, [str(word) for word in words])


def test_the_command_writes_a_page_and_figures(records, tmp_path, monkeypatch):
    monkeypatch.setattr(screen, "width", 80)
    page, figures = tmp_path / "out.html", tmp_path / "figures"
    said = typed(records, "-o", page, "--figures", figures, "--format", "svg").output
    assert "1 run set" in said and "5 charts as svg" in said and page.as_uri() in said
    kinds = ("accuracy", "final-regret", "matrix", "regret", "time")
    assert sorted(path.name for path in figures.iterdir()) == [f"five-{kind}.svg" for kind in kinds]
    assert "Dueling bandits: five" in page.read_text("utf-8")


@pytest.mark.parametrize("make", [lambda path: None, lambda path: path.mkdir()], ids=["missing", "empty"])
def test_folders_without_records_are_refused(tmp_path, make):
    make(tmp_path / "records")
    answer = typed(tmp_path / "records", "-o", tmp_path / "out.html")
    assert isinstance(answer.exception, RecordsError) and "'rankduel run" in str(answer.exception)
    assert not (tmp_path / "out.html").exists()


def test_unknown_formats_are_refused(records):
    answer = typed(records, "--format", "gif")
    assert answer.exit_code == 2 and "pdf" in answer.output


@pytest.mark.slow
def test_figures_of_a_pair_are_written_too(both, tmp_path):
    studies = [
        study._replace(table=made_up_table(("rucb",), live=study.settings["mode"] == "live"))
        for study in both
    ]
    paths = write_figures(studies, tmp_path, "svg")
    assert paths[-1].name == "live-versus-proxy-1-regret.svg" and all(path.exists() for path in paths)
    assert len(paths) == 7 + 5 + 1
