"""Test functions that format text for messages."""

import pytest

from rankduel.base.text import counted, printable


@pytest.mark.parametrize(
    ("n", "noun", "text"),
    [
        (0, "pair", "0 pairs"),
        (1, "pair", "1 pair"),
        (2000, "duel", "2,000 duels"),
        (1, "query", "1 query"),
        (3, "query", "3 queries"),
        (2, "tied pair", "2 tied pairs"),
        (2, "day", "2 days"),
    ],
)
def test_a_number_and_its_noun(n, noun, text):
    assert counted(n, noun) == text


def test_text_that_a_terminal_would_obey_is_escaped():
    assert printable("\x1b[2J\n\u202eé") == r"\x1b[2J\n\u202e\xe9"
    assert printable("naïve é") == "naïve é"
