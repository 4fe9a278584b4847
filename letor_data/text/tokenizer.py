"""Tokenizer kernels: from bytes of svmlight/LETOR text to labels and (index, value) tokens.

A chunk of whole lines is read in one pass, without the GIL. Positions are byte offsets in the chunk; line and
column are computed only for messages.

Numbers are correctly rounded, as by Python's float(). Up to 19 digits are collected in an integer w, so that
the number is w * 10^q. Then, in this order:
  1. w <= 2^53 and |q| <= 22: one exact multiplication or division (Clinger 1990);
  2. a 128-bit product with a tabulated power of five decides the rounding (Lemire, "Number parsing at a
     gigabyte per second", 2021); a number with more than 19 digits is bracketed by w and w + 1;
  3. undecided numbers (subnormals, near-ties) are listed for float().
"""

from typing import NamedTuple

import numpy as np

from rankduel.base.compiling import entry, kernel

# Outcomes of reading one number. SLOW: float() has to read it.
VALUE, SLOW, OVERFLOW, NONFINITE, NULL, BAD = range(6)

# Errors in a line (keys of problems.PROBLEMS).
(
    NO_ERROR, BAD_LABEL, LABEL_MISSING, LABEL_FRACTION, LABEL_NEGATIVE, LABEL_UNJUDGED, LABEL_TOO_HIGH,
    QID_MISSING, QID_EMPTY, BAD_INDEX, INDEX_NEGATIVE, INDEX_ZERO, INDEX_TOO_HIGH, INDEX_TWICE,
    NO_COLON, BAD_VALUE, VALUE_NONFINITE, VALUE_NULL, VALUE_OVERFLOW, COMMENT_MISSING,
) = range(20)  # fmt: skip

# Treatment of labels that are not whole, and of unjudged documents (label -1).
REFUSE, NEAREST, FLOOR = 0, 1, 2
DROP, ZERO = 1, 2

# Places of the query id.
BY_QID, BY_COMMENT, BY_SIDE_FILE = range(3)


class Rules(NamedTuple):
    """Limits and options of tokenising, by the profile and the user's options."""

    query_by: int
    index_base: int
    max_index: int
    n_features: int  # indices above this are noted; 0 = any
    top_grade: int
    label_round: int  # REFUSE, NEAREST, FLOOR
    unjudged: int  # REFUSE, DROP, ZERO
    refusals: np.ndarray  # (6,) int64, error of each outcome of reading a value; NO_ERROR = accepted
    huge_is_missing: bool
    grade_cuts: np.ndarray  # (n,) float64 ascending; grade = number of cuts <= label; empty: the label


class Tokens(NamedTuple):
    """Tokens of one chunk. Arrays have spare entries; their used lengths are in `found`."""

    labels: np.ndarray  # int8 per row
    row_ptr: np.ndarray  # int64, row r owns values row_ptr[r]:row_ptr[r + 1]
    records: np.ndarray  # int64, number of the record within the chunk (dropped ones count)
    comments: np.ndarray  # (rows, 2) int64, start and stop of the comment; start -1 = none
    group_rows: np.ndarray  # int64, first row of a query
    group_ids: np.ndarray  # (groups, 2) int64, start and stop of its id
    indices: np.ndarray  # int32 per value
    values: np.ndarray  # float64 per value
    slow: np.ndarray  # (n_slow, 3) int64: value number (-1 = dropped), start and stop, for float()
    found: np.ndarray  # int64, counts and positions


# Entries of `Tokens.found`.
(
    ROWS, VALUES, GROUPS, SLOWS, RECORDS, ERROR, START, STOP,
    DECREASING, DECREASING_AT, EXTENDED, EXTENDED_AT,
) = range(12)  # fmt: skip

_SPACE, _TAB, _LF, _HASH, _COLON, _DOT, _PLUS, _MINUS = 32, 9, 10, 35, 58, 46, 43, 45
HUGE = 1e300
_EXACT_TENS = np.array([10.0**k for k in range(23)])
_MAX_DIGITS = 19
# Unsigned, because uint64 and int64 would give float64.
_NONE = np.uint64(0)
_ONE = np.uint64(1)
_TWO_53 = np.uint64(2**53)
_LOWEST_TEN, _HIGHEST_TEN = -342, 308
_OPEN = -1.0
_NULL, _NAN, _INF, _INFINITY = b"NULL", b"nan", b"inf", b"infinity"


def _powers_of_five() -> np.ndarray:
    """Return the top 128 bits of 5^q, q = -342..308, (651, 2) uint64: truncated, reciprocals rounded up."""
    table = np.empty((_HIGHEST_TEN - _LOWEST_TEN + 1, 2), np.uint64)
    for q in range(_LOWEST_TEN, _HIGHEST_TEN + 1):
        if q < 0:
            five = 5**-q
            bits = five.bit_length() + 127 if q >= -27 else 2 * five.bit_length() + 128
            power = 2**bits // five + 1
        else:
            power = 5**q << 128
        power >>= power.bit_length() - 128
        table[q - _LOWEST_TEN] = power >> 64, power & (2**64 - 1)
    return table


_FIVES = _powers_of_five()


@entry
def count_marks(chunk):
    """Count line feeds and colons, which bound the number of tokens, and NUL bytes, which are an error."""
    lines, colons, nuls = 0, 0, 0
    for byte in chunk:
        lines += byte == _LF
        colons += byte == _COLON
        nuls += byte == 0
    return lines, colons, nuls


def tokenize(chunk: np.ndarray, rules: Rules) -> Tokens:
    """Return the tokens of a uint8 chunk of whole lines (the last byte is a line feed)."""
    lines, colons, _ = count_marks(chunk)
    tokens = Tokens(
        labels=np.empty(lines, np.int8),
        row_ptr=np.zeros(lines + 1, np.int64),
        records=np.empty(lines, np.int64),
        comments=np.empty((lines, 2), np.int64),
        group_rows=np.empty(lines, np.int64),
        group_ids=np.empty((lines, 2), np.int64),
        indices=np.empty(colons, np.int32),
        values=np.empty(colons, np.float64),
        slow=np.empty((colons, 3), np.int64),
        found=np.zeros(12, np.int64),
    )
    _tokenize(chunk, rules, tokens, np.full(rules.max_index + 1, -1, np.int64))
    return tokens


@entry
def _tokenize(chunk, rules, tokens, seen_in):
    """Read lines up to the end or the first error; ``seen_in[index]`` is the last record with an index."""
    at, found = 0, tokens.found
    while at < len(chunk):
        at = _skip_blank(chunk, at)
        if chunk[at] != _LF and chunk[at] != _HASH:
            error, at = _record(chunk, at, rules, tokens, seen_in)
            if error != NO_ERROR:
                found[ERROR], found[START], found[STOP] = error, at, _token_end(chunk, at)
                return
        while chunk[at] != _LF:
            at += 1
        at += 1


@entry
def _ends_token(chunk, at):
    """Return whether there is a space, tab, line feed or '#' at `at`."""
    byte = chunk[at]
    return byte == _SPACE or byte == _LF or byte == _TAB or byte == _HASH


@entry
def _skip_blank(chunk, at):
    while chunk[at] == _SPACE or chunk[at] == _TAB:
        at += 1
    return at


@entry
def _token_end(chunk, at):
    while not _ends_token(chunk, at):
        at += 1
    return at


@entry
def _record(chunk, at, rules, tokens, seen_in):
    """Read one document; return (error, start of token) or (NO_ERROR, start of the comment or line end)."""
    found, by_comment = tokens.found, rules.query_by == BY_COMMENT
    kind, label, end = read_number(chunk, at)
    if kind != VALUE or not _ends_token(chunk, end):  # SLOW numbers are not labels
        return (LABEL_MISSING if _query_id(chunk, at)[0] >= 0 else BAD_LABEL), at
    error, grade = _grade(label, rules)
    if error != NO_ERROR:
        return error, at
    at = _skip_blank(chunk, end)
    id_start, id_stop = _query_id(chunk, at)
    if by_comment or (id_stop < 0 and rules.query_by == BY_SIDE_FILE):
        id_start, id_stop = -1, -1
    elif id_start == id_stop:
        return (QID_MISSING if id_stop < 0 else QID_EMPTY), at
    else:
        at = _skip_blank(chunk, id_stop)
    first_value, first_slow = found[VALUES], found[SLOWS]
    found[RECORDS] += 1
    error, at = _values(chunk, at, rules, tokens, seen_in)
    if error != NO_ERROR:
        return error, at
    start, stop = _comment(chunk, at)
    if by_comment:
        id_start, id_stop = _stripped(chunk, start, stop)
        if id_start == id_stop:
            return COMMENT_MISSING, at
    if grade < 0:  # an unjudged document that is dropped
        found[VALUES] = first_value
        for i in range(first_slow, found[SLOWS]):
            tokens.slow[i, 0] = -1
    else:
        _add_row(chunk, tokens, grade, (start, stop), (id_start, id_stop))
    return NO_ERROR, at


@entry
def _add_row(chunk, tokens, grade, comment, query_id):
    """Add a row with the values read last."""
    found, row, group = tokens.found, tokens.found[ROWS], tokens.found[GROUPS]
    tokens.labels[row] = grade
    tokens.records[row] = found[RECORDS] - 1
    tokens.comments[row, 0], tokens.comments[row, 1] = comment
    tokens.row_ptr[row + 1] = found[VALUES]
    found[ROWS] += 1
    if group == 0 or not _same_bytes(chunk, tokens.group_ids[group - 1], query_id):
        tokens.group_rows[group] = row
        tokens.group_ids[group, 0], tokens.group_ids[group, 1] = query_id
        found[GROUPS] += 1


@entry
def _query_id(chunk, at):
    """Return start and stop of the id in a 'qid:' token; (-1, -1) if there is none.

    The chunk ends in a line feed, so the comparison stops before its end.
    """
    if chunk[at] == 113 and chunk[at + 1] == 105 and chunk[at + 2] == 100 and chunk[at + 3] == _COLON:
        return at + 4, _token_end(chunk, at + 4)
    return -1, -1


@entry
def _grade(label, rules):
    """Return (error, grade) of a label; the grade -1 is an unjudged document to be dropped."""
    if label == -1.0 and rules.unjudged != REFUSE:
        return NO_ERROR, (-1 if rules.unjudged == DROP else 0)
    if label < 0.0:
        return (LABEL_UNJUDGED if label == -1.0 else LABEL_NEGATIVE), 0
    if len(rules.grade_cuts) > 0:
        grade = 0
        for cut in rules.grade_cuts:
            grade += label >= cut
        return NO_ERROR, grade
    whole = np.floor(label)
    if label != whole and rules.label_round == REFUSE:
        return LABEL_FRACTION, 0
    if label - whole >= 0.5 and rules.label_round == NEAREST:
        whole += 1.0
    if whole > rules.top_grade:
        return LABEL_TOO_HIGH, 0
    return NO_ERROR, int(whole)


@entry
def _values(chunk, at, rules, tokens, seen_in):
    """Read the 'index:value' tokens of a line; return (error, start of the token) or (NO_ERROR, their end).

    Most of the time is spent here. Helpers get scalars and one array, because Numba counts references to
    every array of a NamedTuple on every call.
    """
    found, indices, values, slow = tokens.found, tokens.indices, tokens.values, tokens.slow
    index_base, max_index, huge_is_missing = rules.index_base, rules.max_index, rules.huge_is_missing
    last_expected = index_base + rules.n_features - 1 if rules.n_features > 0 else max_index
    record, first, slot = found[RECORDS], found[VALUES], found[VALUES]
    last_index, in_order = -1, True
    while not (chunk[at] == _LF or chunk[at] == _HASH):
        token = at
        error, index, at = _index(chunk, at, index_base, max_index)
        if error != NO_ERROR:
            return error, token
        if index <= last_index or not in_order:
            if in_order:  # unsorted lines are rare, so indices are recorded only from the first one on
                in_order = False
                for v in range(first, slot):
                    seen_in[indices[v]] = record
            if seen_in[index] == record:
                return INDEX_TWICE, token
            seen_in[index] = record
            _note(found, DECREASING, token, index < last_index)
        _note(found, EXTENDED, token, index > last_expected)
        last_index = index
        start = at
        kind, value, at = read_number(chunk, at)
        if not _ends_token(chunk, at):
            kind = BAD
        if kind != VALUE:
            if rules.refusals[kind] != NO_ERROR:
                return rules.refusals[kind], token
            if kind == SLOW:
                slow[found[SLOWS], 0], slow[found[SLOWS], 1], slow[found[SLOWS], 2] = slot, start, at
                found[SLOWS] += 1
            value = np.nan
        elif huge_is_missing and abs(value) >= HUGE:
            value = np.nan
        indices[slot] = index
        values[slot] = value
        slot += 1
        at = _skip_blank(chunk, at)
    found[VALUES] = slot
    return NO_ERROR, at


@kernel
def _note(found, kind, token, noted):
    """Count an occurrence of `kind` if `noted`, and store the position of the first in the next entry."""
    if noted:
        if found[kind] == 0:
            found[kind + 1] = token
        found[kind] += 1


@kernel
def _index(chunk, at, index_base, max_index):
    """Return (error, index, start of the value)."""
    index, start = 0, at
    while 48 <= chunk[at] <= 57:
        if index <= max_index:  # a larger index is an error; stop before it overflows
            index = index * 10 + (chunk[at] - 48)
        at += 1
    error = NO_ERROR
    if chunk[at] != _COLON or at == start:
        if chunk[at] == _MINUS and at == start and 48 <= chunk[at + 1] <= 57:
            error = INDEX_NEGATIVE
        else:
            error = NO_COLON if _ends_token(chunk, at) else BAD_INDEX
    elif index > max_index:
        error = INDEX_TOO_HIGH
    elif index < index_base:
        error = INDEX_ZERO
    return error, index, at + 1


@entry
def _comment(chunk, at):
    """Return start and stop of the text after '#'; (-1, -1) if there is none."""
    if chunk[at] != _HASH:
        return -1, -1
    start = stop = at + 1
    while chunk[stop] != _LF:
        stop += 1
    return start, stop


@entry
def _stripped(chunk, start, stop):
    while start < stop and (chunk[start] == _SPACE or chunk[start] == _TAB):
        start += 1
    while stop > start and (chunk[stop - 1] == _SPACE or chunk[stop - 1] == _TAB):
        stop -= 1
    return start, stop


@entry
def _same_bytes(chunk, span, other):
    if span[1] - span[0] != other[1] - other[0]:
        return False
    for i in range(span[1] - span[0]):
        if chunk[span[0] + i] != chunk[other[0] + i]:
            return False
    return True


@entry
def read_number(chunk, at):
    """Return (kind, value, end) of the longest number that starts at `at`."""
    start, negative = at, chunk[at] == _MINUS
    if negative or chunk[at] == _PLUS:
        at += 1
    dropped, w, q, seen, at = _digits(chunk, at)
    if not seen:
        kind, at = _word(chunk, start)
        return kind, np.nan, at
    if chunk[at] == 101 or chunk[at] == 69:  # e, E
        exponent, at = _exponent(chunk, at + 1)
        q += exponent
    if w == _NONE:
        value = 0.0
    elif not dropped and w <= _TWO_53 and -22 <= q <= 22:
        value = w / _EXACT_TENS[-q] if q < 0 else w * _EXACT_TENS[q]
    else:
        value = _round_product(w, q)
        if dropped and value != _round_product(w + _ONE, q):
            value = _OPEN
        if value == _OPEN or value == np.inf:
            return (SLOW if value == _OPEN else OVERFLOW), np.nan, at
    return VALUE, -value if negative else value, at


@kernel
def _digits(chunk, at):
    """Read digits with at most one point as w * 10^q, which is exact unless nonzero digits were dropped."""
    w, q, n_digits, dropped, seen, after_point = _NONE, 0, 0, False, False, False
    while True:
        byte = chunk[at]
        if 48 <= byte <= 57:
            seen = True
            if n_digits < _MAX_DIGITS:
                w = w * np.uint64(10) + np.uint64(byte - 48)
                n_digits += w != _NONE
                q -= after_point
            else:
                dropped = dropped or byte != 48
                q += not after_point
        elif byte == _DOT and not after_point:
            after_point = True
        else:
            return dropped, w, q, seen, at
        at += 1


@entry
def _exponent(chunk, at):
    """Return (exponent, end), with the exponent limited: larger ones overflow or underflow anyway.

    Without digits, the end is that of the mantissa, where the 'e' does not end the token: an error.
    """
    start, negative = at, chunk[at] == _MINUS
    if negative or chunk[at] == _PLUS:
        at += 1
    exponent, first_digit = 0, at
    while 48 <= chunk[at] <= 57:
        if exponent < 1_000_000_000:
            exponent = exponent * 10 + (chunk[at] - 48)
        at += 1
    if at == first_digit:
        return 0, start - 1
    return (-exponent if negative else exponent), at


@entry
def _word(chunk, at):
    """Return (kind, end) of a token without digits: NULL, or a spelling of nan or inf that float() reads."""
    end = _token_end(chunk, at)
    if _is_word(chunk, at, end, _NULL, 0):
        return NULL, end
    if chunk[at] == _MINUS or chunk[at] == _PLUS:
        at += 1
    for word in (_NAN, _INF, _INFINITY):
        if _is_word(chunk, at, end, word, 32):
            return NONFINITE, end
    return BAD, end


@entry
def _is_word(chunk, at, end, word, fold):
    """Return whether ``chunk[at:end]`` is `word`; with `fold` 32, ignoring case, for a lower-case word."""
    if end - at != len(word):
        return False
    for i in range(len(word)):
        if chunk[at + i] | fold != word[i]:
            return False
    return True


@entry
def _round_product(w, q):
    """Return w * 10^q, w > 0, rounded to nearest even; _OPEN if 128 bits do not decide it."""
    if q < _LOWEST_TEN:
        return _OPEN
    if q > _HIGHEST_TEN:
        return np.inf
    shift = _leading_zeros(w)
    w <<= np.uint64(shift)
    five_high, five_low = _FIVES[q - _LOWEST_TEN, 0], _FIVES[q - _LOWEST_TEN, 1]
    high, low = _multiply(w, five_high)
    if high & np.uint64(0x1FF) == np.uint64(0x1FF):  # a carry from the low half of the power could matter
        more, _ = _multiply(w, five_low)
        low += more
        high += np.uint64(low < more)
    if low == np.uint64(0xFFFFFFFFFFFFFFFF):
        return _OPEN
    top = high >> np.uint64(63)
    mantissa = high >> (top + np.uint64(9))
    if low <= _ONE and mantissa & np.uint64(3) == _ONE and mantissa << (top + np.uint64(9)) == high:
        return _OPEN  # half way between two doubles, as far as these bits show
    mantissa = (mantissa + (mantissa & _ONE)) >> _ONE
    # 10^q = 5^q * 2^q, and floor(log2(5^q)) + q = (217706 q) >> 16 over this range.
    exponent = ((217706 * q) >> 16) + 63 + np.int64(top) - shift - 52
    if exponent <= -1074:  # subnormal, or nearly
        return _OPEN
    return np.ldexp(np.float64(mantissa), exponent)


@entry
def _leading_zeros(w):
    n = 0
    for step in (32, 16, 8, 4, 2, 1):
        if w >> np.uint64(64 - step) == _NONE:
            w <<= np.uint64(step)
            n += step
    return n


@entry
def _multiply(a, b):
    """Return the high and low half of the 128-bit product."""
    mask = np.uint64(0xFFFFFFFF)
    half = np.uint64(32)
    a_low, a_high, b_low, b_high = a & mask, a >> half, b & mask, b >> half
    low, middle, cross = a_low * b_low, a_high * b_low, a_low * b_high
    carry = (low >> half) + (middle & mask) + (cross & mask)
    high = a_high * b_high + (middle >> half) + (cross >> half) + (carry >> half)
    return high, (low & mask) | (carry << half)
