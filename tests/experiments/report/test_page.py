"""Reports: the content of the page, the escaping of text from records, and the command."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
import typer
from support.html_pages import ATTACKS, CONTROLS, Page
from support.run_set_samples import (
    made_up_multileave,
    made_up_study,
    of_all_kinds,
    ordered_preferences,
    write_run_set,
)
from typer.testing import CliRunner

from rankduel.base.errors import RecordsError
from rankduel.cli import report
from rankduel.cli.console import screen
from rankduel.experiments.matrix.preferences import Preferences, checked, preferences_of
from rankduel.experiments.report.charts.curves import DEFAULT
from rankduel.experiments.report.charts.heatmap import heatmap
from rankduel.experiments.report.charts.parts import printable
from rankduel.experiments.report.charts.styles import line_styles
from rankduel.experiments.report.files import save_chart
from rankduel.experiments.report.headlines import report_title, run_set_headline
from rankduel.experiments.report.html import CHOICES, plain_names
from rankduel.experiments.report.origin import origin_of
from rankduel.experiments.report.page import ENDINGS, write_report
from rankduel.experiments.report.pair import common_runs, pair_section, pairs
from rankduel.experiments.report.run_set import bound_slope, final_table, run_set_figures
from rankduel.experiments.runs.compare import compare_runs
from rankduel.experiments.runs.run_set import read_run_sets

HOSTILE = "</script><script>document.title='taken'</script><img src=x onerror=alert(1)>\"'&"


@pytest.fixture(scope="module")
def both():
    """Return a live and a proxy run set of one matrix, with markup in the names of a policy and a ranker."""
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
    kinds = ["regret", "accuracy", "final-regret", "ndcg", "clicks", "matrix"]
    assert ids[:7] == ["live-versus-proxy-1-difference", *(f"clicks-{kind}" for kind in kinds)]
    # The two run sets share a matrix, which is drawn once.
    assert [name.rpartition("-")[2] for name in ids[7:]] == ["regret", "accuracy", "regret"]
    assert set(json.loads(page.report)["charts"]) == set(ids)


def test_text_from_records_stays_text(page):
    assert [name for name, _ in page.elements if name == "img"] == []
    assert [name for name, _ in page.elements].count("script") == 3
    assert all(not key.startswith("on") for _, attributes in page.elements for key in attributes)
    assert page.text.count(" ".join(HOSTILE.split())) >= 4  # as text: run set, policy, setting, ranker
    assert any(attributes.get("value") == HOSTILE for _, attributes in page.elements)
    assert not set("<>&") & set(page.report)
    names = {param["name"]: param["value"] for param in _matrix_chart(page)["params"]}["names"]
    assert HOSTILE in names


def test_no_string_of_a_record_folder_becomes_an_element_or_an_attribute(tmp_path):
    attack = "".join(ATTACKS)
    plain, attacked = (_page_of(_from_files(of_all_kinds(text), tmp_path), tmp_path) for text in ("", attack))
    assert attacked.structure == plain.structure and attacked.policy == plain.policy
    for words in ("a note", "five in order", "navigational", "exact", "0.1.0", "the mean Weak", "rucb"):
        assert words + attack in attacked.text
    assert attack in json.dumps(json.loads(attacked.report), ensure_ascii=False).replace('\\"', '"')
    assert not set("<>&\u2028\u2029") & set(attacked.report)


def _from_files(run_sets, folder):
    """Return the run sets after writing them to files and reading them back."""
    records = folder / f"records-{len(run_sets[0].name)}"
    for run_set in run_sets:
        write_run_set(run_set, records / run_set.name.replace("/", ""))
    return read_run_sets(records)


def _page_of(run_sets, folder):
    write_report(run_sets, folder / "page.html")
    return Page(folder / "page.html")


def test_the_content_security_policy_allows_the_page_itself_and_nothing_else(page, tmp_path):
    save_chart(heatmap(ordered_preferences(3)), tmp_path / "chart.html")
    for one in (page, Page(tmp_path / "chart.html")):
        assert one.policy == one.own_policy and len(one.policy["script-src"]) == 2


def test_unprintable_characters_are_escaped(tmp_path):
    _, draws, pages = of_all_kinds(CONTROLS)
    draws.settings["note"] = "half a pair \ud800"  # a pandas table cannot contain a surrogate
    found = _page_of([replace(draws, name="draws\udc80"), pages], tmp_path)
    assert not set(CONTROLS) & set(found.source) and "\\u2028" not in found.report.replace("\\\\", "")
    shown = f"rucb{printable(CONTROLS)}"
    assert f"; {shown} found it at the least cost" in found.text
    assert "half a pair \\ud800" in found.text and "draws\\udc80" in found.text
    # The values of the checkboxes are the policies in the data of the charts.
    ticked = [attributes["value"] for _, attributes in found.elements if attributes.get("name") == "policy"]
    assert shown in ticked and json.dumps(shown)[1:-1] in found.report


def test_ids_differ_whatever_the_names_of_run_sets(tmp_path):
    names = ["a", "A", "a-e", "a-e-bin", "a-section", "a b", "a-b", "report", "clip0", "vega-embed-style"]
    made = [
        made_up_multileave(name, ["random"], ordered_preferences(3), horizon=1000 + place)
        for place, name in enumerate(names)  # different runs: the same ones would be drawn once
    ]
    found = _page_of(made, tmp_path)
    ids = [attributes["id"].lower() for _, attributes in found.elements if "id" in attributes]
    assert len(ids) == len(set(ids)) == 2 * len(names) + 2 and {"report", "vega-embed-style"} <= set(ids)
    assert set(json.loads(found.report)["charts"]) == set(found.ids("figure"))
    links = [attributes["href"][1:] for tag, attributes in found.elements if tag == "a"]
    assert links == found.ids("section")


def test_ids_have_endings_that_no_id_of_the_libraries_has(page):
    assert all(one.endswith(ENDINGS) for one in [*page.ids("section"), *page.ids("figure")])
    names = ["a", "A", "a-final", "a-regret", "a-final-regret", "live-versus-proxy-1"]
    ids = [f"{name}{ending}".lower() for name in plain_names(names, ENDINGS) for ending in ENDINGS]
    assert len(ids) == len(set(ids))


def test_an_unknown_mode_is_escaped(tmp_path):
    run_set = made_up_study("one")
    for mode, name in (("proxy", "plain.html"), (ATTACKS[0], "attacked.html")):
        write_report([replace(run_set, settings=run_set.settings | {"mode": mode})], tmp_path / name)
    assert Page(tmp_path / "attacked.html").structure == Page(tmp_path / "plain.html").structure


def _matrix_chart(page):
    return json.loads(page.report)["charts"]["clicks-matrix"]["charts"][""]


def test_the_default_view_of_a_page_is_that_of_papers():
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
        "documents on a page 10",
        "duels per run 1,000",
        "duels are decided by simulated clicks (live)",
        "matrix: how the probabilities were obtained exact",
        "rankduel 0.1.0",
    ):
        assert words in page.text
    assert "C* ln t with C* =" in page.text and "asymptotic lower bound" in page.text


def test_every_table_has_a_caption_and_every_chart_a_description(page):
    names = [name for name, _ in page.elements]
    assert (
        names.count("table") == names.count("caption") == 7
    )  # results, settings and versions of both run sets, and the table of the pair
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


# Titles and headlines


def _headline(run_set):
    return run_set_headline(run_set, line_styles(run_set.table["policy"]))


def _all_correct(run_set):
    return replace(run_set, rows=run_set.table.assign(correct=True))


def test_the_title_is_the_question():
    one, other = made_up_study("one"), made_up_study("other", "live")
    assert report_title([one], False) == (
        "Which policy finds the best of 5 rankers at least cost? five in order"
    )
    assert "and does the proxy agree? five in order" in report_title([one, other], True)
    pages = made_up_multileave("pages", ["random"], ordered_preferences(3))
    assert report_title([pages], False) == "How soon does multileaving order the 3 rankers of five in order?"


def test_headlines_name_the_best_ranker_and_policy_and_compare_intervals():
    study = _all_correct(made_up_study(policies=("rucb", "dts"), runs=8))
    text = _headline(study)
    assert text.startswith("Ranker 0 beats every other ranker; RUCB found it at the least cost: regret ")
    assert "after 1,000 duels; DTS is next with " in text and text.endswith("intervals do not overlap.")
    assert text.count(". ") == 0  # one sentence
    close = study.table.assign(
        regret=study.table["regret"] / study.table["policy"].map({"rucb": 1, "dts": 2})
    )
    assert "8 runs of each policy are too few to separate the two" in _headline(replace(study, rows=close))


def test_headlines_state_how_often_the_policy_recommended_the_winner():
    study = made_up_study(policies=("rucb", "dts"), runs=8)
    half = replace(study, rows=study.table.assign(correct=study.table["run"] % 2 == 0))
    assert "RUCB had the least regret, " in _headline(half) and "recommended it in 4 of 8 runs" in _headline(
        half
    )


def test_headlines_of_single_runs_and_single_policies():
    assert "a single run of each policy cannot show" in _headline(made_up_study(runs=1))
    assert "RUCB found it at a regret of" in _headline(_all_correct(made_up_study(policies=("rucb",))))


def test_headlines_without_a_winner_and_with_undecided_pairs():
    cycle = ordered_preferences(3).matrix.copy()
    cycle[0, 2], cycle[2, 0] = cycle[2, 0], cycle[0, 2]
    text = _headline(made_up_study(preferences=preferences_of(cycle)))
    assert text.startswith(
        "No ranker beats all others; ranker 0, ranker 1, ranker 2 each beat the most, 1 of 2 other rankers; "
    )
    decided = ordered_preferences(4)
    pairs = decided.pairs.assign(lo=decided.pairs["p"] - 0.15, hi=decided.pairs["p"] + 0.15)
    undecided = checked(decided.names, pairs, {}, "test")
    text = _headline(made_up_study(preferences=undecided))
    assert "but its lead over 1 of 3 is within the error of the matrix" in text


def test_headlines_leave_the_name_of_a_ranker_as_it_is():
    named = ordered_preferences(3, ["bm25", "dfr", "tf"])
    assert _headline(made_up_study(preferences=named)).startswith("Ranker bm25 beats every other ranker; ")


def test_headlines_say_how_sure_the_winner_is_over_other_queries():
    values = np.array([[0.9, 0.2, 0.8, 0.3, 0.75, 0.6]], np.float32)
    p = float(values.mean())
    known = preferences_of(np.array([[0.5, p], [1 - p, 0.5]]), ["bm25", "dfr"])
    text = _headline(made_up_study(preferences=Preferences(known.names, known.pairs, {}, values)))
    assert text.startswith("Ranker bm25 beats every other ranker; over queries like these it wins in ")
    assert " of 1,000 resamples of the 6 queries (dfr in " in text


def test_a_lead_within_the_joint_error_is_not_called_settled():
    """An interval that excludes 1/2 alone, and does not once all pairs are to be right at once."""
    sure = ordered_preferences(4)
    pairs = sure.pairs.assign(lo=sure.pairs["p"] - 0.09, hi=sure.pairs["p"] + 0.09)
    assert (pairs["lo"] > 0.5).all()
    text = _headline(made_up_study(preferences=checked(sure.names, pairs, {"alpha": 0.05}, "test")))
    assert "but its lead over 1 of 3 is within the error of the matrix" in text


def test_the_same_runs_are_drawn_once(tmp_path):
    """As 'run --live' and 'compare' keep them; other times and another command change nothing."""
    live, proxy = made_up_study("a-live", "live", seed=1), made_up_study("a-proxy", "proxy", seed=2)
    again = replace(
        live,
        name="again",
        rows=live.table.assign(seconds=9.0),
        settings={**live.settings, "command": "rankduel compare"},
    )
    found = _page_of([live, proxy, again], tmp_path)
    assert found.text.count("again has the same runs.") == 1
    assert found.text.count("Live versus proxy: ") == 2  # in the list and above the section
    other = replace(again, rows=again.table.assign(regret=again.table["regret"] + 1))
    assert _page_of([live, proxy, other], tmp_path).text.count("Live versus proxy: ") == 4


def test_the_lead_states_whether_live_and_proxy_agree(tmp_path):
    live, proxy = (
        _all_correct(made_up_study(mode, mode, seed=seed)) for seed, mode in ((1, "live"), (2, "proxy"))
    )
    found = _page_of([live, proxy], tmp_path)
    lead = found.text.partition("five in order Ranker 0 ")[2].partition(". ")[0]
    assert lead.startswith("beats every other ranker; RUCB found it at the least cost")
    assert "live and proxy runs agree: with 4 runs of each policy no difference is significant" in lead
    # The section of the live runs does not repeat the lead; that of the proxy runs has its own headline.
    assert found.text.count("RUCB found it at the least cost") == 2


def test_numbers_of_a_table_have_no_exponents():
    study = made_up_study(policies=("rucb",))
    large = replace(study, rows=study.table.assign(regret=study.table["regret"] * 1000))
    rows = final_table(large, line_styles(["rucb"])).rows
    assert not [cell for row in rows for cell in row if "e+" in cell] and "," in rows[0][3]


def test_the_table_names_policies_with_their_settings():
    study = made_up_study(policies=("rucb", "dts(alpha=0.6)"))
    shown = line_styles(study.table["policy"])
    assert shown["dts(alpha=0.6)"].label == "DTS"
    assert [row[0] for row in final_table(study, shown).rows] == ["RUCB", "DTS (alpha=0.6)"]


def test_settings_are_folded_and_listed_once(page):
    names = [name for name, _ in page.elements]
    assert names.count("details") == names.count("summary") == 2
    made = {"length": 10, "clicks": "perfect", "alpha": 0.05, "precision": None, "simulate": True}
    found = origin_of({"arena": {"length": 10, "clicks": "perfect"}, "matrix": made, "new": [1]})
    assert found.settings == [
        ("user (click model)", "perfect"),
        ("documents on a page", "10"),
        ("matrix: joint error probability of all intervals", "0.05"),
        ("matrix: requested half-width of intervals", "not set"),
        ("matrix: duels simulated one by one", "yes"),
        ("new", "[1]"),
    ]


def test_without_a_condorcet_winner_there_is_no_bound():
    cycle = ordered_preferences(3).matrix.copy()
    cycle[0, 2], cycle[2, 0] = cycle[2, 0], cycle[0, 2]
    study = made_up_study(preferences=preferences_of(cycle))
    assert bound_slope(study) is None
    captions = {shown.name: shown.caption for shown in run_set_figures("s", study)}
    assert "C*" not in captions["s-regret"] and "no Condorcet winner" in captions["s-matrix"]


def test_the_caption_of_a_large_matrix_states_which_rankers_are_shown():
    captions = [
        shown.caption for shown in run_set_figures("s", made_up_study(preferences=ordered_preferences(203)))
    ]
    assert "Shown: the 200 of 203 rankers that beat the most others." in captions[-1]


def test_the_cutoff_of_ndcg_is_the_length_of_pages():
    study = made_up_study(mode="live")
    study.settings["arena"] = {"length": 7}
    titles = {shown.name: shown.title for shown in run_set_figures("s", study)}
    assert titles["s-ndcg"] == "NDCG@7 of the pages" and list(titles).count("s-time") == 0


@pytest.mark.parametrize(
    "names, plain",
    [
        (["mslr", "yahoo.1"], ["mslr", "yahoo.1"]),
        (["a b", "a/b", "a-b"], ["a-b", "a-b-2", "a-b-3"]),
        (["..", "", "é"], ["study", "study-2", "study-3"]),
        (["a", "A", "a-2"], ["a", "A-2", "a-2-2"]),  # unique without case, as on some file systems
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
    section = pair_section("pair", live, proxy, line_styles(live.table["policy"]))
    verdict = compare_runs(*common_runs(live, proxy)).verdict
    assert section.headline == verdict.replace("rucb", "RUCB").replace("dts", "DTS") and "differ" in verdict
    rows = re.findall("<tr><td>(.*?)</td></tr>", section.body)
    cells = [row.split("</td><td>") for row in rows]
    assert [row[0] for row in cells] == ["RUCB", "DTS"]
    for policy, (_, *figures) in zip(("rucb", "dts"), cells):
        means = [float(text.partition(" ")[0]) for text in figures[:3]]
        for study, mean in zip((live, proxy), means):
            last = study.table[(study.table["step"] == 1000) & (study.table["policy"] == policy)]
            assert mean == pytest.approx(last["regret"].mean(), abs=0.1)
        assert means[2] == pytest.approx(means[0] - means[1], abs=0.2)


def test_a_pair_of_single_runs_claims_no_interval():
    pair = (made_up_study(mode, mode, ("rucb",), runs=1) for mode in ("live", "proxy"))
    row = re.search("<tr><td>RUCB</td>(.*?)</tr>", pair_section("pair", *pair, line_styles(["rucb"])).body)[1]
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
    assert "1 run set" in said and "4 charts as svg, 1 table as LaTeX" in said and page.as_uri() in said
    names = ("accuracy.svg", "final-regret.svg", "final.tex", "matrix.svg", "regret.svg")
    assert sorted(path.name for path in figures.iterdir()) == [f"five-{name}" for name in names]
    assert "Which policy finds the best of 5 rankers" in page.read_text("utf-8")


@pytest.mark.parametrize("make", [lambda path: None, lambda path: path.mkdir()], ids=["missing", "empty"])
def test_folders_without_records_are_refused(tmp_path, make):
    make(tmp_path / "records")
    answer = typed(tmp_path / "records", "-o", tmp_path / "out.html")
    assert isinstance(answer.exception, RecordsError) and "'rankduel run" in str(answer.exception)
    assert not (tmp_path / "out.html").exists()


def test_unknown_formats_are_refused(records):
    answer = typed(records, "--format", "gif")
    assert answer.exit_code == 2 and "pdf" in answer.output
