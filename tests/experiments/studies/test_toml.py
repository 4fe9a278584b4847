"""Studies in TOML: valid files are read, and each invalid field gives one clear error."""

import pytest
from support.own_study import TOML

from rankduel.base.errors import RankduelError, StudyError
from rankduel.experiments.studies.study import Curves, Measure, Order, Size
from rankduel.experiments.studies.toml import read_study


@pytest.fixture
def tiny(tmp_path):
    path = tmp_path / "tiny.toml"
    path.write_text(TOML)
    return path


def test_a_valid_study_is_read(tiny):
    study = read_study(tiny)
    assert study.parts[0].sizes["quick"] == Size(2000, 4)
    assert study.checks[0].test == Order(Measure("easy", "savage"), Measure("easy", "random_pair"), 3)
    assert study.figures[0] == Curves("regret", "Regret", "easy")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('id = "tiny"', "", "'id' is missing"),
        ('id = "tiny"', 'id = "tiny"\nyear = 1', "no field 'year'"),
        ('problem = "cyclic"', 'problem = "cyclik"', "did you mean 'cyclic'"),
        ('problem = "cyclic"', 'problem = "cyclic(lex=3)"', "'cyclic\\(lex=3\\)': expected"),
        ('"savage", "random_pair"', '"savag", "random_pair"', "did you mean 'savage'"),
        ('less = { part = "easy"', 'less = { part = "esay"', "no part named 'esay'; did you mean 'easy'"),
        (
            "quick = { horizon = 2000, runs = 4 }",
            "quik = { horizon = 2000, runs = 4 }",
            "did you mean 'quick'",
        ),
        ("quick = { horizon = 2000, runs = 4 }", "quick = { horizon = 2000 }", "'runs' is missing"),
        ('policy = "savage", at = 4000', 'policy = "rucb"', "'rucb' is not a policy of part 'easy'"),
        ("[checks.order]", "[checks.ordr]", "checks 1: no field 'ordr'; did you mean 'order'"),
        ("[checks.order]", "[checks.z]\n[checks.order]", "checks 1: no field 'z'"),
        (
            "high = 1e9 }",
            "high = 1e9 }\nreport = { value = { part = 'easy', policy = 'savage' } }",
            "2 tests",
        ),
        ("between = { value", "# between = { value", "check 'long' has 0 tests; expected exactly one"),
        (
            'policy = "savage", at',
            'policy = "savage", statistic = "mode", at',
            "statistic is the text 'mode'",
        ),
        ('id = "other_way"', 'id = "long"', "two checks are named 'long'"),
        ("[[checks]]", "[[checks]", "not TOML"),
        ('id = "tiny"', 'id = "../../esc"', r"the id is '../../esc'; it is the name of a file"),
        ('id = "tiny"', 'id = "/tmp/esc"', "the id is '/tmp/esc'"),
        ('id = "tiny"', 'id = ".hidden"', "the id is '.hidden'"),
        ('id = "tiny"', 'id = ""', "the id is ''"),
        ('id = "tiny"', "id = 7", "tiny.toml: id is 7; expected text"),
        ('id = "tiny"', f'id = "{"x" * 101}"', "at most 100 letters"),
        ('name = "regret"', 'name = "PUBLIC"', "two figures or tables are named 'public', ignoring case"),
        ('name = "public"\nproblem', 'name = "Easy"\nproblem', "are named 'Easy', ignoring case"),
        ('name = "public"\nproblem', 'name = "figures"\nproblem', "are named 'figures'"),
        ('name = "regret"', 'name = "x-stand-in"', "ends in '-stand-in'"),
        ('title = "SAVAGE learns"', "title = 5", "title is 5; expected text"),
        ('title = "SAVAGE learns"', r'title = "a\u001bb"', "the text 'a.b'; expected text without control"),
        ('data = "built in"', "data = 1979-05-27", "data is a date or a time; expected text"),
        ('data = "built in"', 'data = "x"\nseed = -1', "seed is -1; expected a whole number at least 0"),
        ('data = "built in"', 'data = "x"\nseed = 1.5', "seed is 1.5; expected a whole number"),
        ('data = "built in"', 'data = "x"\nminutes = 3', "minutes is 3; expected a table"),
        ('data = "built in"', 'data = "x"\nminutes = { quick = "3" }', "minutes.quick is the text '3'"),
        ('data = "built in"', 'data = "x"\ntables = [1]', "no field 'tables'; expected id, title"),
        ('name = "easy"', "name = 5", "runs 1: name is 5; expected text"),
        ('problem = "cyclic"', f'problem = "{"x" * 300}.npy"', "expected at most 200 characters"),
        ('problem = "cyclic"', 'problem = ""', "part 'easy': '': expected a name, found the end"),
        ('problem = "cyclic"', "problem = 5", "runs 1: problem is 5; expected text"),
        (
            'problem = "cyclic"',
            'problem = "cyclic(random=2,seed=1,users=all)"',
            "no problem named '-perfect'",
        ),
        ('problem = "cyclic"', 'problem = "cyclic"\nregret = "bord"', "did you mean 'borda'"),
        ('policies = ["random_pair"]', "policies = 5", "runs 2: policies is 5; expected a list"),
        ('policies = ["random_pair"]', 'policies = "rucb"', "policies is the text 'rucb'; expected a list"),
        ('policies = ["random_pair"]', "policies = [5]", "policies 1 is 5; expected text"),
        ('policies = ["random_pair"]', "policies = []", "part 'public': no policies"),
        ('"savage", "random_pair"', '"savage", "savage", "random_pair"', "'savage' is listed twice"),
        ('"savage", "random_pair"', '"savage(name=2)", "random_pair"', "no setting of savage named 'name'"),
        ("sizes = { quick = { horizon = 100, runs = 2 } }", "sizes = {}", "part 'public': expected sizes"),
        ("horizon = 2000, runs = 4", 'horizon = 2000, runs = "4"', "sizes.quick: runs is the text '4'"),
        (
            "horizon = 2000, runs = 4",
            "horizon = 2000, runs = 0",
            "runs is 0; expected a whole number at least 1",
        ),
        ("horizon = 2000, runs = 4", "horizon = 2000, runs = 1e9", "at most 1e\\+06"),
        ("horizon = 2000, runs = 4", "horizon = 1e13, runs = 4", "at least 1 and at most 1e\\+12"),
        ("horizon = 2000, runs = 4", f"horizon = 1{'0' * 400}, runs = 4", "horizon is a huge number"),
        ("horizon = 2000, runs = 4", "horizon = nan, runs = 4", "horizon is nan; expected a number"),
        ("horizon = 2000, runs = 4", "horizon = true, runs = 4", "horizon is true; expected a number"),
        ("at = 4000", 'at = "4000"', "checks 3, between, value: at is the text '4000'; expected a number"),
        ("at = 4000", 'column = "regrets"', "check 'long': no column named 'regrets'; did you mean 'regret'"),
        ("at = 4000", 'only = "wrong"', "only is the text 'wrong'; expected all or right"),
        ("high = 1e9", 'low = "x"', "between: low is the text 'x'; expected a number"),
        ("high = 1e9", "low = nan", "between: low is nan; expected a number"),
        ("more = { part", "more = 5 # ", "order: more is 5; expected a table"),
        (
            'part = "public"\n',
            'part = "publik"\n',
            "curves 'public': no part with runs named 'publik'; did you",
        ),
        ('part = "public"\n', 'part = "easy"\nbeside = ["esay"]\n', "did you mean 'easy'"),
        (
            'part = "public"\n',
            'part = "easy"\nbeside = "easy"\n',
            "beside is the text 'easy'; expected a list",
        ),
        (
            'part = "public"\n',
            'part = "easy"\ncolumn = "regre"\n',
            "column is the text 'regre'.*mean 'regret'",
        ),
        ('part = "public"\n', 'part = "easy"\nband = "eror"\n', "band is the text 'eror'.*mean 'error'"),
        (
            'part = "public"\n',
            'part = "easy"\nx = "lin"\n',
            "curves 2: x is the text 'lin'; expected linear or log",
        ),
        ('part = "public"\n', 'part = "easy"\ny = 2\n', "y is 2; expected linear or log"),
        ("[[curves]]", "[curves]", "not TOML"),
        ('id = "tiny"', f"id = {'[' * 20_000}", "nested too deeply"),
        ('id = "tiny"', f"id = {'9' * 5000}", "not TOML"),
        ('id = "tiny"', r'id = "a\\b"', "the id is"),
        (
            'name = "public"\nproblem',
            'name = "../esc"\nproblem',
            "name of a part, a figure or a table is '../esc'",
        ),
        ('name = "regret"', 'name = "/tmp/esc"', "name of a part, a figure or a table is '/tmp/esc'"),
        ('name = "regret"', 'name = "re gret"', "is 're gret'"),
    ],
)
def test_invalid_studies_are_refused(tiny, old, new, message):
    assert old in TOML
    tiny.write_text(TOML.replace(old, new, 1))
    with pytest.raises(RankduelError, match=message) as refused:
        read_study(tiny)
    assert str(refused.value).startswith(f"{tiny}: ") or str(refused.value).startswith(f"{tiny}, ")


def test_unreadable_files_are_refused(tmp_path):
    for content, message in ((b"\xff", "not UTF-8 text"), (b"", "'id' is missing"), (b"\0", "not TOML")):
        (tmp_path / "s.toml").write_bytes(content)
        with pytest.raises(StudyError, match=message):
            read_study(tmp_path / "s.toml")
    with pytest.raises(StudyError, match="cannot be read"):
        read_study(tmp_path)


def test_a_byte_order_mark_is_ignored(tiny):
    tiny.write_bytes(b"\xef\xbb\xbf" + TOML.encode())
    assert read_study(tiny).id == "tiny"


def test_whole_numbers_may_be_written_with_an_exponent(tiny):
    tiny.write_text(TOML.replace("horizon = 100, runs = 2", "horizon = 1e2, runs = 2e0"))
    size = read_study(tiny).parts[1].sizes["quick"]
    assert size == Size(100, 2) and isinstance(size.runs, int)
