"""Stored JSON files: read back unchanged, or an error that says what to do."""

import json

import pytest

from rankduel.base.errors import MatrixError, RecordsError
from rankduel.base.stored import Kind, json_object, read_json, with_digest, without_digest, write_json

KIND = Kind("a list of arms", "make it again", most_bytes=2000, error=MatrixError)
CONTENT = {"arms": ["a", "b"], "seed": 3, "about": {"é": None}}


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "arms.json"
    write_json(path, KIND, CONTENT)
    return path


def test_content_is_read_back(path):
    assert read_json(path, KIND).content == CONTENT
    assert list(json.loads(path.read_text())) == ["format", *CONTENT, "digest"]


def test_every_changed_bit_is_refused_or_changes_nothing(path):
    whole = path.read_bytes()
    for bit in range(8 * len(whole)):
        changed = bytearray(whole)
        changed[bit // 8] ^= 1 << bit % 8
        path.write_bytes(changed)
        try:
            assert read_json(path, KIND).content == CONTENT
        except MatrixError as problem:
            assert str(path) in str(problem) and "make it again" in str(problem)


@pytest.mark.parametrize("found", [2, 0, True, 1.0, "1", None, ["x"]])
def test_another_format_is_refused(path, found):
    write_json(path, KIND, {"format": found})
    with pytest.raises(MatrixError, match="another version of rankduel, in format .*; expected 1; make it"):
        read_json(path, KIND)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "not a list of arms, or damaged: not JSON.* make it again"),
        (b"{}", "not a list of arms, or damaged: there is no digest in it; make it again"),
        (b'{"digest": "0"}', "damaged or edited: its content does not have the digest in it"),
        (b" " * 2001, "arms.json: more than 2,000 bytes"),
    ],
)
def test_foreign_files_are_refused(path, content, told):
    path.write_bytes(content)
    with pytest.raises(MatrixError, match=told):
        read_json(path, KIND)


def test_absent_files_and_folders(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_json(tmp_path / "none.json", KIND)
    with pytest.raises(MatrixError, match="cannot be read: Is a directory"):
        read_json(tmp_path, KIND)
    with pytest.raises(MatrixError, match="could not be written"):
        write_json(tmp_path, KIND, CONTENT)


def test_fields_are_read_with_their_types(path):
    fields = read_json(path, KIND)
    assert (fields.texts("arms"), fields.whole("seed", 0, 3)) == (["a", "b"], 3)
    for use, told in [
        (lambda: fields.text("seed"), "'seed' is 3; expected text; make it again"),
        (lambda: fields.whole("seed", 4), "'seed' is 3; expected a whole number from 4"),
        (lambda: fields.mapping("arms"), "'arms' is a list; expected an object"),
        (lambda: fields.flag("none"), "there is no 'none' in it; expected true or false"),
    ]:
        with pytest.raises(MatrixError, match=told):
            use()


def test_errors_are_those_of_records_unless_the_kind_has_others(path):
    with pytest.raises(RecordsError):
        read_json(path, Kind("x", "y", format=2))


def test_bytes_with_a_digest():
    whole = with_digest(b"sums")
    assert without_digest(whole) == b"sums" and without_digest(with_digest(b"")) == b""
    for place in range(len(whole)):
        assert without_digest(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]) is None
        assert without_digest(whole[:place]) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"{", "not JSON"),
        (b"\xff", "not text in UTF-8"),
        (b"[1]", "not a JSON object"),
        (b'{"a":' * 20_000, "nested too deep"),
        (b'{"a":' * 60 + b"1" + b"}" * 60, "nested too deep"),
        (b'{"a":' + b"[" * 60 + b"]" * 60 + b"}", "nested too deep"),
        (b'{"a": ' + b"9" * 5000 + b"}", "not JSON"),
    ],
)
def test_text_without_a_json_object_is_refused(text, message):
    with pytest.raises(ValueError, match=message):
        json_object(text)
