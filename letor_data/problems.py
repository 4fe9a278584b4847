"""What the tokenizer can object to, in words: the problem, and what to do about it."""

from __future__ import annotations

from typing import NamedTuple

from letor_data import tokenizer as t
from letor_data.errors import LetorFormatError


class Problem(NamedTuple):
    says: str
    hint: str = ""


PROBLEMS = {
    t.BAD_LABEL: Problem("the label must be a whole number"),
    t.LABEL_MISSING: Problem("the line starts with its qid; a label must come first"),
    t.LABEL_FRACTION: Problem(
        "the label is not a whole number", "choose label_round='nearest' or 'floor' (--label-round)"
    ),
    t.LABEL_NEGATIVE: Problem("the label is negative"),
    t.LABEL_UNJUDGED: Problem(
        "the label is -1, which marks an unjudged document",
        "choose unjudged='drop' or 'zero' (--unjudged)",
    ),
    t.LABEL_TOO_HIGH: Problem(
        "the label is above the top grade of {top_grade} that profile '{profile}' declares",
        "another profile may fit (--profile); labels that are positions need grade_cuts (--grade-cuts)",
    ),
    t.QID_MISSING: Problem(
        "expected qid:<id> after the label",
        "counts in a file {name}.query, or profile 'yandex' for ids in the comment, can take its place",
    ),
    t.QID_EMPTY: Problem("the query id is empty"),
    t.BAD_INDEX: Problem("expected <feature>:<value> with a whole feature number"),
    t.INDEX_NEGATIVE: Problem("the feature number is negative"),
    t.INDEX_ZERO: Problem(
        "feature number below {index_base}", "if features are counted from 0: index_base=0 (--index-base 0)"
    ),
    t.INDEX_TOO_HIGH: Problem(
        "the feature number is above the limit of {max_features:,}",
        "if it is right, raise max_features (--max-features)",
    ),
    t.INDEX_TWICE: Problem("this feature number stands twice in the line"),
    t.NO_COLON: Problem("expected <feature>:<value>"),
    t.BAD_VALUE: Problem("the value is not a number"),
    t.VALUE_NONFINITE: Problem(
        "the value is not finite", "nonfinite='missing' (--nonfinite missing) reads it as missing"
    ),
    t.VALUE_NULL: Problem(
        "NULL is not a number in profile '{profile}'",
        "profile 'letor4' reads it as missing; 'letor_agg' too, with small values (positions) better",
    ),
    t.VALUE_OVERFLOW: Problem(
        "the number is too large for a double",
        "profile 'istella' reads huge values as missing",
    ),
    t.COMMENT_MISSING: Problem("profile '{profile}' takes the query id from the comment, and there is none"),
}

NOTES = {
    t.DECREASING: "feature numbers out of order",
    t.EXTENDED: "feature numbers above the {n_features} that profile '{profile}' declares",
}


def position(chunk: bytes, offset: int, first_line: int) -> tuple[int, int]:
    """Line number and 1-based byte column of an offset in a chunk that starts at `first_line`."""
    line_start = chunk.rfind(b"\n", 0, offset) + 1
    return first_line + chunk.count(b"\n", 0, offset), offset - line_start + 1


def format_error(
    name: str, chunk: bytes, first_line: int, start: int, stop: int, problem: Problem
) -> LetorFormatError:
    """The error to raise for chunk[start:stop]."""
    line, column = position(chunk, start, first_line)
    line_start, line_stop = start - column + 1, chunk.find(b"\n", start)
    text = chunk[line_start : line_stop if line_stop >= 0 else len(chunk)]
    return LetorFormatError(
        name, line, column, problem.says, _decoded(chunk[start:stop]), problem.hint, _decoded(text)
    )


def _decoded(raw: bytes) -> str:
    return raw.decode("utf-8", "backslashreplace")
