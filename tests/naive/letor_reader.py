"""A reader of LETOR text, line by line."""

import math
import re


class BadLine(Exception):
    """Error in a line; its arguments are line number and byte column."""


def read_letor(
    text, query_by="qid", index_base=1, max_features=100_000, top_grade=127, null=False, huge=False,
    nonfinite="refuse", unjudged="refuse", label_round="refuse", cuts=(),
):  # fmt: skip
    """Return (label, query id or None, {index: value}, comment or None, record number) of each document.

    A missing value is NaN. BadLine is raised for the first invalid line.
    """
    if text.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise BadLine(1, 1)
    text = text.removeprefix(b"\xef\xbb\xbf")
    documents, record = [], 0
    for number, line in enumerate(re.split(b"\r\n|\r|\n", text), start=1):
        if b"\0" in line:
            raise BadLine(number, line.index(b"\0") + 1)
        data, mark, comment = line.partition(b"#")
        end = len(data) + 1 if mark else len(line) + 1
        words = [(match.start() + 1, match.group()) for match in re.finditer(rb"[^ \t]+", data)]
        if not words:
            continue
        column, label = words.pop(0)
        try:
            grade = _letor_grade(label, top_grade, unjudged, label_round, cuts)
        except ValueError:
            raise BadLine(number, column) from None
        column, query = words[0] if words else (end, b"")
        if query_by == "comment" or (query_by == "side file" and not query.startswith(b"qid:")):
            query = None
        elif query.startswith(b"qid:") and query != b"qid:":
            words.pop(0)
        else:
            raise BadLine(number, column)
        row = {}
        for place, word in words:
            try:
                index, value = _letor_pair(word, null, huge, nonfinite)
            except ValueError:
                raise BadLine(number, place) from None
            if not index_base <= index < index_base + max_features or index in row:
                raise BadLine(number, place)
            row[index] = value
        if query_by == "comment":
            query = comment.strip(b" \t")
            if not query:
                raise BadLine(number, end)
            query = _utf8_or_latin1(query)
        elif query is not None:
            try:
                query = query.removeprefix(b"qid:").decode()
            except UnicodeDecodeError:
                if grade is not None:
                    raise BadLine(number, column + 4) from None
        if grade is not None:
            documents.append((grade, query, row, _utf8_or_latin1(comment) if mark else None, record))
        record += 1
    return documents


def letor_float(word):
    """Return float(word); raise ValueError for underscores, spaces, and words such as 'inf'."""
    if set(word) - set(b"0123456789+-.eE"):
        raise ValueError(word)
    return float(word)


def _letor_grade(word, top_grade, unjudged, label_round, cuts):
    label = letor_float(word)
    if abs(label) < 5e-308 and word.lower().partition(b"e")[0].strip(b"+-.0"):
        raise ValueError(
            label
        )  # subnormal: the kernel leaves such numbers to float(), and does not accept them as labels
    if label == -1 and unjudged != "refuse":
        return None if unjudged == "drop" else 0
    if label < 0:
        raise ValueError(label)
    if cuts:
        return sum(label >= cut for cut in cuts)
    whole = label if label == math.inf else math.floor(label)
    if label != whole and label_round == "refuse":
        raise ValueError(label)
    if label_round == "nearest" and label - whole >= 0.5:
        whole += 1
    if whole > top_grade:
        raise ValueError(label)
    return whole


def _letor_pair(word, null, huge, nonfinite):
    index, _, value = word.partition(b":")
    if not index or set(index) - set(b"0123456789"):
        raise ValueError(word)
    if value == b"NULL" and null:
        return int(index), math.nan
    if value.lower().lstrip(b"+-") in (b"nan", b"inf", b"infinity") and nonfinite == "missing":
        float(value)  # refuses '+-inf'
        return int(index), math.nan
    number = letor_float(value)
    if huge and abs(number) >= 1e300:
        return int(index), math.nan
    if math.isinf(number):
        raise ValueError(word)
    return int(index), number


def _utf8_or_latin1(raw):
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")
