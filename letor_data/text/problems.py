"""Messages for the error codes of the tokenizer, with hints."""

from __future__ import annotations

from typing import NamedTuple

from rankduel.letor_data.errors import LetorFormatError
from rankduel.letor_data.text import tokenizer as t


class Problem(NamedTuple):
    message: str
    hint: str = ""


PROBLEMS = {
    t.BAD_LABEL: Problem(
        "expected a label: a whole number from 0 to {top_grade}",
        "each line is one document: <label> qid:<id> <feature>:<value> ... # comment",
    ),
    t.LABEL_MISSING: Problem(
        "expected a label before the query id",
        "each line is one document: <label> qid:<id> <feature>:<value> ...",
    ),
    t.LABEL_FRACTION: Problem(
        "the label is not a whole number",
        "choose label_round='nearest' or 'floor' (--label-round) to round labels",
    ),
    t.LABEL_NEGATIVE: Problem(
        "the label is negative, and must be a whole number from 0 to {top_grade}",
        "only -1 has a meaning, unjudged; grade_cuts (--grade-cuts) is for labels that are positions",
    ),
    t.LABEL_UNJUDGED: Problem(
        "the label is -1, which marks an unjudged document",
        "choose unjudged='drop' (--unjudged drop) to leave it out, or 'zero' to take it as irrelevant",
    ),
    t.LABEL_TOO_HIGH: Problem(
        "the label is above {top_grade}, the top grade of profile '{profile}'",
        "another profile may fit (--profile); labels that are positions need grade_cuts (--grade-cuts)",
    ),
    t.QID_MISSING: Problem(
        "expected qid:<id> after the label",
        "counts in {name}.query need profile 'lightgbm' (--profile), ids in the comments 'yandex'",
    ),
    t.QID_EMPTY: Problem("the query id is empty", "expected qid:<id>, such as qid:17, without a space"),
    t.BAD_INDEX: Problem("expected <feature>:<value>, the feature a whole number", "for example 3:0.25"),
    t.INDEX_NEGATIVE: Problem(
        "the feature number is negative, and must be a whole number from {index_base} on",
        "number the features from 1, or from 0 with index_base=0 (--index-base 0)",
    ),
    t.INDEX_ZERO: Problem(
        "the feature number is 0, and features are counted from {index_base}",
        "if this file counts them from 0, choose index_base=0 (--index-base 0)",
    ),
    t.INDEX_TOO_HIGH: Problem(
        "the feature number is above {max_index:,}: max_features is {max_features:,}",
        "if it is right, raise max_features (--max-features)",
    ),
    t.INDEX_TWICE: Problem(
        "this feature number occurs twice in the line", "keep one of the two values: they may differ"
    ),
    t.NO_COLON: Problem("expected <feature>:<value>", "a comment must start with #"),
    t.BAD_VALUE: Problem("the value is not a number", "expected <feature>:<value>, such as 3:0.25 or 3:1e-5"),
    t.VALUE_NONFINITE: Problem(
        "the value is not finite", "choose nonfinite='missing' (--nonfinite missing) to read it as missing"
    ),
    t.VALUE_NULL: Problem(
        "NULL is not a number in profile '{profile}'",
        "choose profile 'letor4' (--profile) to read it as missing, 'letor_agg' if small values are better",
    ),
    t.VALUE_OVERFLOW: Problem(
        "the number is too large for a double",
        "profile 'istella' (--profile) reads it as missing, like all values from 1e300 on",
    ),
    t.COMMENT_MISSING: Problem(
        "expected # and the query id: profile '{profile}' takes it from the comment",
        "if the lines hold qid:<id> instead, choose profile 'svmlight' (--profile)",
    ),
}

NOTES = {
    t.DECREASING: "feature numbers out of order",
    t.EXTENDED: "feature numbers above the {n_features} that profile '{profile}' declares",
}
_BEFORE, _AFTER = 40, 200  # bytes of the line around an error that the message may contain


def position(chunk: bytes, offset: int, first_line: int) -> tuple[int, int]:
    """Return line number and 1-based byte column of an offset in a chunk that starts at `first_line`."""
    line_start = chunk.rfind(b"\n", 0, offset) + 1
    return first_line + chunk.count(b"\n", 0, offset), offset - line_start + 1


def format_error(
    name: str, chunk: bytes, first_line: int, problem: Problem, start: int, stop: int
) -> LetorFormatError:
    """Return the error for ``chunk[start:stop]``, with the surrounding part of the line."""
    line, column = position(chunk, start, first_line)
    line_start = start - column + 1
    cut = max(line_start, start - _BEFORE)
    excerpt = "..." * (cut > line_start) + shown(chunk[cut : start + _AFTER].partition(b"\n")[0])
    token = shown(chunk[start:stop])
    return LetorFormatError(name, line, column, problem.message, token, problem.hint, excerpt)


def shown(raw: bytes) -> str:
    return raw.decode("utf-8", "backslashreplace")
