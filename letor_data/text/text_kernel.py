"""Kernels of the text writer: conversion of numbers and strings to bytes.

A value that equals m / 10^6 for an integer m is written as its shortest decimal. The division is correctly
rounded, so a correct parser returns the same double. Any other value is "hard": the caller supplies its text.
"""

import math
from typing import NamedTuple

import numpy as np

from rankduel.base.compiling import entry

_SCALE = 1e6  # the kernel writes up to six decimals
_MAX_WHOLE = 2.0**53  # integers below this are exact in a double
_MAX_SCALED = 2.0**50  # far enough below 2^53 that rounding value * 10^6 gives m
LONGEST_NUMBER = 24  # bytes: '-1.7976931348623157e+308', the longest repr of a double

# Unsigned like the numbers they divide: signed division takes twice the time, and mixed types give floats.
_TEN = np.uint64(10)
_MILLION = np.uint64(1_000_000)
_ZERO = np.uint64(ord("0"))
_SPACE, _HASH, _MINUS, _POINT, _NEWLINE = (ord(c) for c in " #-.\n")


class Strings(NamedTuple):
    """Concatenated byte strings; string i is ``data[starts[i]:starts[i + 1]]``."""

    data: np.ndarray  # uint8
    starts: np.ndarray  # (n + 1,) int64


class Rows(NamedTuple):
    """Documents to write: numbers, and the strings between them."""

    values: np.ndarray  # (n_docs, n_features) float64, NaN = missing
    labels: np.ndarray  # (n_docs,) uint64
    query: np.ndarray  # (n_docs,) int64, number in `heads`
    heads: Strings  # per query ' qid:ID'
    indices: Strings  # per feature ' 7:'
    hard: Strings  # texts of the hard values, row by row
    missing: Strings  # one string, for NaN
    comments: Strings  # per document, without the '#'; empty comments are not written


@entry
def hard_values(values):
    """Return the values, except NaN, whose text `format_rows` needs in `Rows.hard`, row by row."""
    n = 0
    for value in values.flat:
        n += _is_hard(value)
    found = np.empty(n, np.float64)
    n = 0
    for value in values.flat:
        if _is_hard(value):
            found[n] = value
            n += 1
    return found


@entry
def format_rows(rows, sparse, out, ends):
    """Write one line per document into `out`, and the end of each line into `ends`."""
    at, n_hard = 0, 0
    n_docs, n_features = rows.values.shape
    for doc in range(n_docs):
        at = _put_whole(out, at, rows.labels[doc])
        at = _put_string(out, at, rows.heads, rows.query[doc])
        for feature in range(n_features):
            value = rows.values[doc, feature]
            if sparse and value == 0.0 and math.copysign(1.0, value) > 0.0:
                continue
            at = _put_string(out, at, rows.indices, feature)
            if _is_hard(value):
                at = _put_string(out, at, rows.hard, n_hard)
                n_hard += 1
            elif math.isnan(value):
                at = _put_string(out, at, rows.missing, 0)
            else:
                at = _put_number(out, at, value)
        at = _put_comment(out, at, rows.comments, doc)
        out[at] = _NEWLINE
        at += 1
        ends[doc] = at


@entry
def _is_hard(value):
    """Return whether a value is neither missing, nor an integer below 2^53, nor exactly m / 10^6."""
    if math.isnan(value) or (value == math.floor(value) and abs(value) < _MAX_WHOLE):
        return False
    scaled = np.rint(value * _SCALE)
    return not (abs(scaled) < _MAX_SCALED and scaled / _SCALE == value)


@entry
def _put_number(out, at, value):
    """Write a value that is not hard, such as '-0', '12' or '0.25'; return the end."""
    if math.copysign(1.0, value) < 0.0:
        out[at] = _MINUS
        at += 1
        value = -value
    if value == math.floor(value):
        return _put_whole(out, at, np.uint64(value))
    scaled = np.uint64(np.rint(value * _SCALE))
    at = _put_whole(out, at, scaled // _MILLION)
    out[at] = _POINT
    end = _put_digits(out, at + 1, 6, scaled % _MILLION)
    while out[end - 1] == _ZERO:
        end -= 1
    return end


@entry
def _put_whole(out, at, number):
    n_digits = 1
    rest = number // _TEN
    while rest > 0:
        rest //= _TEN
        n_digits += 1
    return _put_digits(out, at, n_digits, number)


@entry
def _put_digits(out, at, n_digits, number):
    for place in range(at + n_digits - 1, at - 1, -1):
        out[place] = _ZERO + number % _TEN
        number //= _TEN
    return at + n_digits


@entry
def _put_string(out, at, strings, i):
    start, stop = strings.starts[i], strings.starts[i + 1]
    for k in range(start, stop):
        out[at + k - start] = strings.data[k]
    return at + stop - start


@entry
def _put_comment(out, at, comments, doc):
    if comments.starts[doc] == comments.starts[doc + 1]:
        return at
    out[at], out[at + 1] = _SPACE, _HASH
    return _put_string(out, at + 2, comments, doc)
