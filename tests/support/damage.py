"""Random damage to files: to bytes, as by disks and transfers, and to words and numbers, as by editors."""

import re

WORD = re.compile(rb"[\w.+-]+")
NUMBER = re.compile(rb"[-+]?\d[\d.]*(?:[eE][-+]?\d+)?")
EXTREME = (
    b"-1",
    b"0",
    b"0.5",
    b"1e999",
    b"-1e400",
    b"nan",
    b"inf",
    b"2147483648",
    b"9223372036854775808",
    b"1" + 30 * b"0",
    5000 * b"9",
    b"1e308",
    b"5e-324",
    b"1e6",
    b"0x7f",
    b"1_0",
)
ODD = (
    b"\0",
    b"\xff",
    b"\xef\xbb\xbf",
    "\u2028".encode(),
    "\u0663".encode(),
    b"\r",
    b'"',
    b"'",
    b"{",
    b"]",
    b"#",
    b"\n\n",
    b",",
    b"=",
    20_000 * b"[",
    4_000 * b'{"a":',
    200_000 * b"x",
)


def damaged(content, rng):
    """Return changed bytes: one small change, which is the hardest to detect, or up to three changes."""
    changed = content
    if rng.random() < 0.4:
        changed = rng.choice(SMALL)(content, rng)
    else:
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            changed = rng.choice(CHANGES)(changed, rng)
    return changed if changed != content else _flipped(content, rng)


def _flipped(content, rng):
    if not content:
        return b"\0"
    place = rng.randrange(len(content))
    return content[:place] + bytes([content[place] ^ (1 << rng.randrange(8))]) + content[place + 1 :]


def _other_byte(content, rng):
    place = rng.randrange(len(content) + 1)
    return content[:place] + rng.randbytes(1) + content[place + 1 :]


def _cut(content, rng):
    return content[: rng.randrange(len(content) + 1)]


def _cut_in_front(content, rng):
    return content[rng.randrange(len(content) + 1) :]


def _inserted(content, rng):
    place = rng.randrange(len(content) + 1)
    return content[:place] + rng.randbytes(rng.choice((1, 2, 4, 8, 600))) + content[place:]


def _block(content, rng):
    """Return start and stop of at most half of the content: twice the whole content may be a valid file."""
    start = rng.randrange(len(content) + 1)
    return start, min(len(content), start + rng.randint(1, max(1, len(content) // 2)))


def _without_block(content, rng):
    start, stop = _block(content, rng)
    return content[:start] + content[stop:]


def _block_twice(content, rng):
    start, stop = _block(content, rng)
    return content[:stop] + content[start:]


def _block_of_zeros(content, rng):
    start, stop = _block(content, rng)
    return content[:start] + bytes(stop - start) + content[stop:]


def _swapped_blocks(content, rng):
    size = rng.choice((1, 2, 4, 8, 16, 64, 512))
    one, other = sorted(rng.randrange(len(content) + 1) for _ in range(2))
    if other < one + size:
        return content
    first = content[one : one + size]
    second = content[other : other + size]
    return content[:one] + second + content[one + size : other] + first + content[other + size :]


def _of(pattern, change):
    """Return a function that changes one random match of `pattern`."""

    def changed(content, rng):
        found = list(pattern.finditer(content))
        if not found:
            return _flipped(content, rng)
        chosen = rng.choice(found)
        instead = change(chosen[0], rng.choice(found)[0], rng)
        return content[: chosen.start()] + instead + content[chosen.end() :]

    return changed


def _odd_inserted(content, rng):
    place = rng.randrange(len(content) + 1)
    return content[:place] + rng.choice(ODD) + content[place:]


def _line_moved(content, rng):
    lines = content.splitlines(keepends=True) or [b"\n"]
    line = lines.pop(rng.randrange(len(lines)))
    for _ in range(rng.randrange(3)):  # removed, moved, or duplicated
        lines.insert(rng.randrange(len(lines) + 1), line)
    return b"".join(lines)


_OTHER_WORD = _of(WORD, lambda word, other, rng: other)
_OTHER_NUMBER = _of(NUMBER, lambda word, other, rng: rng.choice(EXTREME))
SMALL = (_flipped, _flipped, _other_byte, _OTHER_WORD, _OTHER_NUMBER)
CHANGES = (
    *SMALL,
    _cut,
    _cut_in_front,
    _inserted,
    _without_block,
    _block_twice,
    _block_of_zeros,
    _swapped_blocks,
    _odd_inserted,
    _line_moved,
    _OTHER_NUMBER,
    _of(WORD, lambda word, other, rng: b""),
    _of(WORD, lambda word, other, rng: word + b" " + word),
    _of(WORD, lambda word, other, rng: rng.choice(EXTREME)),
)


def flipped_bits(parquet, rng):
    """Yield 500 copies of a Parquet file with one bit flipped; most in the footer, which has no checksum."""
    footer = len(parquet) - 8 - int.from_bytes(parquet[-8:-4], "little")
    for place in [*rng.integers(footer, len(parquet), 400), *rng.integers(0, footer, 100)]:
        changed = bytearray(parquet)
        changed[place] ^= 1 << rng.integers(8)
        yield bytes(changed)
