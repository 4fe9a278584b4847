"""Hostile studies and spreadsheets give data or one short error, at a second per megabyte or so."""

import time

import pytest
from support.own_study import TOML

from rankduel.base.errors import RankduelError, StudyError
from rankduel.experiments.judge.judgments import read_judgments, read_text
from rankduel.experiments.judge.session import start_session
from rankduel.experiments.studies.toml import read_study

LONGEST = 1000  # characters of a message
DEEP = "a" + ".a" * 50_000 + " = 1"
STUDIES = {
    "escaped quotes": 'a = "' + '\\"' * 400_000,
    "quotes": '"' * 10**6,
    "apostrophes": "'" * 999_999,
    "triple quotes": 'a = """' + '""\\"' * 200_000,
    "backslashes": 'a = "' + "\\\\" * 490_000 + "\\",
    "hash signs": "#" * 10**6 + "\nid",
    "equals signs": "=" * 10**6,
    "deep lists": "a = " + "[" * 100_000,
    "deep tables": "a = " + "{ a = " * 100_000,
    "deep key": DEEP,
    "deep key after an apostrophe in a comment": "# don't\n" + DEEP,
    "deep key after quotes in a comment": '# """\n' + DEEP,
    "deep key after text of several lines": 'x = """\n"\n"""\n' + DEEP,
    "deep key beside text of several lines": '[[t]]\nx = { y = """a\n""", ' + DEEP + " }",
    "deep key beside literal text": "x = { y = '''a\n''', " + DEEP + " }",
    "huge number": TOML.replace("horizon = 2000", "horizon = 0x" + "f" * 900_000, 1),
    "NUL": TOML.replace('"tiny"', '"ti\0ny"', 1),
    "same key twice": TOML + '\nid = "x"\n',
    "CR": TOML.replace("\n", "\r"),
    "UTF-16": TOML.encode("utf-16"),
    "path": TOML.replace('name = "easy"', 'name = "../../x"', 1),
    "formula": TOML.replace('name = "easy"', 'name = "=cmd()"', 1),
    "huge matrix": TOML.replace('problem = "cyclic"', 'problem = "btl(k=9223372036854775807)"', 1),
}


def timed(size, function, *arguments):
    """Return the result or the error of a function."""
    start = time.process_time()
    try:
        return function(*arguments)
    except RankduelError as problem:
        assert len(str(problem)) < LONGEST
        return problem
    finally:
        assert time.process_time() - start < 1 + 3 * size / 1e6  # three times, for a busy machine


@pytest.mark.parametrize("text", STUDIES.values(), ids=list(STUDIES))
def test_studies_are_refused(text, tmp_path):
    path = tmp_path / "hostile.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    found = timed(path.stat().st_size, read_study, path)
    assert isinstance(found, RankduelError) and "hostile.toml" in str(found)
    if isinstance(text, str) and DEEP in text:
        assert isinstance(found, StudyError) and "a key has more than 100 parts" in str(found)


@pytest.mark.parametrize("comment", [f"# don't {'.' * 200}\n", f'# "{"x." * 200}\n', f"# '''{'.' * 200}\n"])
def test_comments_and_line_ends_change_nothing(comment, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(TOML)
    study = read_study(path)
    mixed = TOML.replace("\n", "\r\n", 5)
    for text in (comment + TOML, "\ufeff" + TOML, TOML.replace("\n", "\r\n"), mixed):
        path.write_bytes(text.encode())
        assert read_study(path) == study


FILLED = "id,winner\n1,left\n"
READ = {
    "plain": FILLED,
    "byte order mark": "\ufeff" + FILLED,
    "CR": FILLED.replace("\n", "\r"),
    "CR LF": FILLED.replace("\n", "\r\n"),
    "mixed": FILLED.replace("\n", "\r", 1),
    "no end": FILLED.strip(),
    "spaces and capitals": "id,winner\n 1 , LEFT \n",
    "more cells": "id,winner\n1,left,x,y,z\n",
    "formula as assessor": "id,winner,assessor\n1,left,=1+2\n",
    "the same row often": FILLED + "1,left\n" * 50_000,
}
REFUSED = {
    "UTF-16": FILLED.encode("utf-16"),
    "NUL": FILLED.replace("left", "le\0ft"),
    "cell of a million": FILLED.replace("left", "x" * 10**6),
    "long winner": FILLED.replace("left", "left" * 30_000),
    "long side": "id,left,winner\n1," + "z" * 100_000 + ",left",
    "long id": "id,winner\n" + "1" * 100_000 + ",left",
    "many columns": ",".join(["x"] * 10**5),
    "commas": "," * 10**6,
    "quotes": '"' * 100_001,
    "semicolons": FILLED.replace(",", ";"),
    "formula as id": "id,winner\n=1,left",
    "fraction as id": "id,winner\n1.0,left",
    "other digits": "id,winner\n\u0661,left",
    "negative id": "id,winner\n-1,left",
    "contradiction": FILLED + "1,right\n",
    "empty": "",
}


def added(session, path):
    return session.add(read_judgments(read_text(path), path.name), path.name)


@pytest.mark.parametrize("name", [*READ, *REFUSED])
def test_spreadsheets(name, tmp_path):
    text, n = (READ | REFUSED)[name], int(name in READ)
    session = start_session(tmp_path / "session", ("a", "b", "c"), "prefbest(k=1,n=2,m=3)", 0, 10)
    path = tmp_path / "filled.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    found = timed(path.stat().st_size, added, session, path)
    assert found == 1 if n else isinstance(found, RankduelError)
    assert len(list((tmp_path / "session" / "judgments").iterdir())) == n
