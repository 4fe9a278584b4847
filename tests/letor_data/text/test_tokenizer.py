"""Numbers are read exactly as by float(), in every branch of the kernel."""

import math
import struct

import naive
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rankduel.letor_data.catalogue import PROFILES
from rankduel.letor_data.text import tokenizer as t
from rankduel.letor_data.text.chunks import parse_block
from rankduel.letor_data.text.parse import ReadOptions, _rules
from rankduel.letor_data.text.problems import PROBLEMS

pytestmark = pytest.mark.kernel

RULES = _rules(PROFILES["svmlight"], ReadOptions(max_features=3))


def digest(numbers, rules=RULES):
    """Return the block of a file in which feature 1 has these values."""
    text = "".join(f"0 qid:1 1:{number}\n" for number in numbers).encode()
    return parse_block(text, rules, PROBLEMS, 10**9, "test")


def read(numbers):
    block = digest(numbers)
    assert block.error is None, block.error
    return block.columns[1].astype(np.float64)


def bits(values):
    return np.asarray(values, np.float64).view(np.uint64)


def assert_exact(numbers):
    expected = bits([float(number) for number in numbers])
    wrong = np.flatnonzero(bits(read(numbers)) != expected)
    assert not len(wrong), [numbers[i] for i in wrong[:5]]


def paths_taken(numbers):
    """Return the share of numbers that the kernel leaves to float()."""
    text = "".join(f"0 qid:1 1:{number}\n" for number in numbers).encode()
    tokens = t.tokenize(np.frombuffer(text, np.uint8), RULES)
    assert tokens.found[t.ROWS] == len(numbers)
    return tokens.found[t.SLOWS] / len(numbers)


digits = st.text("0123456789", min_size=1, max_size=40)
signs = st.sampled_from(["", "", "-", "+"])


@st.composite
def decimal_numbers(draw):
    """Generate numbers that the grammar allows and that are not too large for a double."""
    whole, fraction = draw(digits), draw(digits)
    shape = draw(st.sampled_from(["{0}", "{0}.{1}", ".{1}", "{0}."]))
    exponent = draw(st.sampled_from("eE")) + draw(signs) + str(draw(st.integers(0, 260)))
    return draw(signs) + shape.format(whole, fraction) + draw(st.sampled_from(["", exponent]))


@st.composite
def halfway_numbers(draw):
    """Generate exact decimals half way between two doubles, or close to that."""
    exponent = draw(st.integers(-1100, 950))
    mantissa = 2 * draw(st.integers(2**52, 2**53 - 1)) + 1
    if exponent >= 0:
        text = str(mantissa << exponent)
    else:
        scaled = mantissa * 5**-exponent  # / 10^-exponent
        text = f"{scaled}e{exponent}"
    hair = draw(st.sampled_from(["", "+", "-"]))
    whole, e, power = text.partition("e")
    far = draw(st.integers(1, 30))
    if hair == "+":
        whole, power = whole + "0" * (far - 1) + "1", int(power or 0) - far
        return f"{whole}e{power}"
    if hair == "-":
        return f"{int(whole) * 10**far - 1}e{int(power or 0) - far}"
    return text


@given(st.lists(decimal_numbers(), min_size=1, max_size=30))
@example(["0", "-0", "0.0", "-0.0", "00", "000.000", "0e5", "-0e-999999999999", "0.0e400"])
@example([".5", "5.", "1e5", "1E+05", "1e-05", "+3", "007", "1." + "0" * 400, "0." + "0" * 400 + "1e401"])
@example(["1e-400", "1e-99999999999", "4.9e-324", "2.4703282292062327e-324", "2.4703282292062328e-324"])
@example(["2.2250738585072014e-308", "2.2250738585072011e-308"])
@example(["1.7976931348623157e308", "-1.7976931348623158e308", "8.98846567431158e307", "8.988465674311e307"])
def test_decimal_numbers_are_what_float_reads(numbers):
    assert_exact(numbers)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=30))
def test_shortest_texts_come_back(values):
    assert_exact([repr(value) for value in values])
    assert_exact([f"{value:.25e}" for value in values])


@given(st.lists(st.integers(0, 2**52 - 1), min_size=1, max_size=30), signs)
def test_subnormal_numbers(patterns, sign):
    assert_exact([sign + repr(struct.unpack("<d", struct.pack("<Q", pattern))[0]) for pattern in patterns])


@given(st.lists(halfway_numbers(), min_size=1, max_size=10))
@example(["9007199254740993", "9007199254740992." + "9" * 20, "9007199254740993." + "0" * 20 + "1"])
def test_ties_go_to_even_and_near_ties_to_their_side(numbers):
    assert_exact(numbers)


@pytest.mark.parametrize("middle", [2**53, 2**54, 2**63, 2**64, 10**19, 10**20, 18446744073709551615 * 10])
def test_whole_numbers_around_the_kernels_limits(middle):
    near = [middle + k for k in range(-40, 41)]
    assert_exact([str(n) for n in near] + [f"{n}.0" for n in near] + [f"{n}e-3" for n in near])


def test_powers_of_ten_and_their_neighbours():
    for digits in ("1", "3", "9007199254740991", "1844674407370955161", "9999999999999999999"):
        numbers = [f"{digits}e{q}" for q in range(-365, 309)]
        assert_exact([number for number in numbers if not math.isinf(float(number))])


LIMIT = 2**1024 - 2**970  # half way between the largest double and 2^1024


@pytest.mark.parametrize(
    "number", [f"{LIMIT - 1}", f"-{LIMIT - 1}.9", f"{LIMIT * 10 - 1}e-1", repr(2.0**1023)]
)
def test_the_largest_numbers(number):
    assert_exact([number])


@pytest.mark.parametrize(
    "number", [f"{LIMIT}", f"-{LIMIT}.0", f"{LIMIT}.1", f"{LIMIT + 1}", "2e308", "1e309", "9e9999"]
)
def test_numbers_that_are_too_large(number):
    assert math.isinf(float(number))
    error = (PROBLEMS[t.VALUE_OVERFLOW], 8, 10 + len(number))
    assert digest([number]).error == error
    istella = _rules(PROFILES["istella"], ReadOptions(max_features=3))
    assert np.isnan(digest([number], istella).columns[1]).all()


def random_numbers(rng, n):
    """Return n random doubles with 17 digits, n short decimals, and n long or unusual strings of digits."""
    patterns = rng.integers(0, 2**64, n, np.uint64)
    doubles = patterns.view(np.float64)
    numbers = [repr(float(x)) for x in doubles[np.isfinite(doubles)]]
    exponents = rng.integers(-330, 290, n).tolist()
    numbers += [f"{m}e{q}" for m, q in zip(rng.integers(0, 2**63, n).tolist(), exponents)]
    numbers += [f"{m / 10**6:.6f}" for m in rng.integers(0, 10**9, n).tolist()]
    numbers += [f"{a}.{b}{c}" for a, b, c in rng.integers(0, 10**10, (n, 3)).tolist()]
    return numbers


def test_many_random_numbers_in_one_text():
    assert_exact(random_numbers(np.random.default_rng(7), 5_000))


@pytest.mark.slow
def test_a_million_random_numbers_in_one_text():
    assert_exact(random_numbers(np.random.default_rng(8), 250_000))


def test_few_numbers_are_left_to_float():
    rng = np.random.default_rng(9)
    values = np.concatenate([rng.random(5_000), rng.lognormal(0, 20, 5_000)]).tolist()
    assert paths_taken([repr(value) for value in values]) == 0
    assert paths_taken([f"{value:.25f}" for value in values]) < 0.01  # more than 19 digits
    doubles = rng.integers(0, 2**64, 10_000, np.uint64).view(np.float64)
    assert paths_taken([repr(float(x)) for x in doubles if np.isfinite(x)]) < 0.005
    assert paths_taken(["1e-320", "9007199254740993"]) == 1


def test_the_marker_of_missing_values_is_not_left_to_float():
    rules = _rules(PROFILES["istella"], ReadOptions())
    text = b"0 qid:1 1:1.79769313486232e+308 2:1.79769313486e+308 3:-1e999999999999 4:1e300\n"
    tokens = t.tokenize(np.frombuffer(text, np.uint8), rules)
    assert (tokens.found[t.VALUES], tokens.found[t.SLOWS]) == (4, 0)
    assert np.isnan(tokens.values[:4]).all()


NUMBERS = "0 7 -7 +7 007 1.5 .5 5. -.5 +5. 1e5 1E5 1e+05 1e-05 .5e1 5.e1 -0 0e0 1e-400".split()
NOT_NUMBERS = [
    *". + - +. -. e e5 .e5 1e 1e+ 1e- 1e5.0 1.2.3 1..2 --1 ++1 +-1 1- 1+1 1,5 1_000 0x10 abc 1a".split(),
    *"a1 1e5e5 1.5e.5 NULL null NuLL NULLS NUL +NULL -NULL .NULL nan NaN inf INF infinity -inf".split(),
    *"+Infinity .nan .inf nano infin infinit -infinitys 1nan naninf 1e400 -1e400".split(),
    *"1e99999999999 :1 1: 1:2 '1' 1%".split(), "1\r1", "\v1", "1\f", "\u06611", "\uff11", "\u00bd",
]  # fmt: skip
WORDS = "nan NaN nAN -nan +nan inf -inf +INF Inf infinity -Infinity +iNFINITY".split()


def test_what_is_a_number():
    assert_exact(NUMBERS)


@pytest.mark.parametrize("word", NOT_NUMBERS)
def test_what_is_not_a_number(word):
    block = digest(["1", word])
    assert block.error is not None and block.error[1:] == (20, 22 + len(word.encode()))
    assert len(block.labels) == 1  # the line before it has been read


def test_empty_values_are_not_numbers():
    for end in (b"\n", b" 2:3\n", b"#\n", b"\t\n"):
        error = parse_block(b"0 qid:1 1:" + end, RULES, PROBLEMS, 10**9, "test").error
        assert error == (PROBLEMS[t.BAD_VALUE], 8, 10)


@pytest.mark.parametrize("word", WORDS)
def test_words_for_what_is_not_finite(word):
    assert math.isnan(float(word)) or math.isinf(float(word))
    assert digest([word]).error[0] == PROBLEMS[t.VALUE_NONFINITE]
    missing = _rules(PROFILES["svmlight"], ReadOptions(nonfinite="missing", max_features=3))
    assert np.isnan(digest([word], missing).columns[1]).all()


NOT_WORDS = (
    "+NULL -NULL .NULL NULL. NULLS NUL null .nan -.inf nan. 1nan nan1 na nano ++inf infi infinit".split()
)


@pytest.mark.parametrize("word", NOT_WORDS)
def test_where_words_are_accepted_they_must_be_these(word):
    rules = _rules(PROFILES["letor3"], ReadOptions(nonfinite="missing", max_features=3))
    assert digest(["NULL", "nan"], rules).error is None
    assert digest([word], rules).error == (PROBLEMS[t.BAD_VALUE], 8, 10 + len(word))


@given(st.text("019.+-eEnaif", max_size=8))
@example("NULL")
def test_the_grammar_is_that_of_float(word):
    try:
        expected = naive.letor_float(word.encode())
    except ValueError:
        expected = math.inf
    block = digest([word])
    if math.isinf(expected):
        assert block.error is not None
    else:
        assert block.error is None and bits(block.columns[1])[0] == bits([expected])[0]
