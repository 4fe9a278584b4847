"""Every command and every '>>>' example of README.md runs, and prints what the README shows.

`support.shown` has the rules, and what makes a block slow.
"""

import re
from pathlib import Path

import pytest
from support.shown import blocks, blocks_of, matches, run_block, runs

from rankduel.bandits import POLICIES, configure

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"


def test_what_the_readme_shows_happens(tmp_path):
    for block in blocks_of(README):
        if block.mark != "slow":
            run_block(block, tmp_path)


@pytest.mark.slow
def test_what_the_readme_shows_happens_in_full(tmp_path):
    for block in blocks_of(README):
        run_block(block, tmp_path)


def test_as_many_policies_can_lead_a_session_as_the_readme_says():
    words = ("Twelve", "Thirteen", "Fourteen", "Fifteen", "Sixteen")
    leading = [p for p in POLICIES.values() if p.finished is not None and not configure(p).needs_horizon]
    said = re.search(r"(\w+) policies of the literature can lead a session by themselves", README.read_text())
    assert said and words.index(said[1]) + 12 == len(leading)


# ---- a README that is wrong must fail ----


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ("a\nb\n", "a  \nb\n\n"),
        ("took ... s, 7 duels\n", "took 0.31 s, 7 duels\n"),
        ("a\n...\nd\n", "a\nb\nc\nd\n"),
        ("a\n...\nd\n", "a\nd\n"),
        ("...\n", ""),
        ("p(1) = [0.5] $x\n", "p(1) = [0.5] $x\n"),
    ],
)
def test_output_as_shown_is_accepted(shown, printed):
    assert matches(shown, printed)


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ("a\n", "b\n"),
        ("a\n", "a\nb\n"),
        ("a\nb\n", "a\n"),
        ("a.c\n", "abc\n"),
        ("took ... s\n", "took 1\n2 s\n"),
        ("a\n...\nd\n", "a\nb\nc\n"),
        ("a\n", " a\n"),
        ("a\n", ""),
    ],
)
def test_other_output_is_refused(shown, printed):
    assert not matches(shown, printed)


@pytest.mark.parametrize(
    "readme",
    [
        "```console\n$ echo one > kept\n$ cat kept\none\n```\n\n```console\n$ cat \\\n>   kept\none\n```",
        "```console\n$ echo usage; exit 2  # exits 2\nusage\n```",
        "```console\n$ echo $COLUMNS $TERM >&2\n80 dumb\n$ echo what you like\n```",
        "```console\n$ git clone https://example.org/x && cd x\n$ make test PYTHON=python3.12\n```",
        "<!-- file: mine.py -->\n```python\nX = 7\n```\n```python\n>>> import mine\n>>> mine.X\n7\n```",
        "<!-- not run: needs a cluster -->\n```console\n$ false\n```",
        "```text\nno command\n```",
    ],
)
def test_a_true_readme_passes(readme, tmp_path):
    for block in blocks(readme + "\n"):
        run_block(block, tmp_path)


def test_a_slow_page_has_no_quick_block(tmp_path):
    page = tmp_path / "page.md"
    text = "<!-- file: a.txt -->\n```text\na\n```\n```console\n$ false\n```\n"
    page.write_text(text)
    assert [block.mark for block in blocks_of(page)] == ["file: a.txt", ""]
    page.write_text(f"# Title\n\n<!-- slow page -->\n\n{text}")
    assert [block.mark for block in blocks_of(page)] == ["file: a.txt", "slow"]
    assert [runs(block) for block in blocks_of(page)] == [False, True]


@pytest.mark.parametrize(
    ("readme", "message"),
    [
        ("# Title\n\n```console\n$ false\n```", "exit code 1, not 0: README.md:4: [$] false"),
        ("```console\n$ true  # exits 2\n```", "exit code 0, not 2"),
        ("```console\n$ echo two\none\n```", r"README.md:2: [$] echo two\s+two\s+The page shows:\s+one"),
        ("```console\n$ no-such-command\n```", "exit code 127"),
        ("```console\n$ make tea\n```", "no such target: [$] make tea"),
        ("```console\nmake test\n```", "must begin with"),
        ("text\n```python\n>>> 1 + 1\n3\n```", 'File "README.md", line 3'),
        ("```python\nprint(1)\n```", "needs '>>>' examples"),
        ("```bash\nmake test\n```", "```console block"),
        ("```\nmake test\n```", "```console block"),
        ("<!-- not run -->\n```console\n$ true\n```", "'not run' needs a reason"),
        ("<!-- not run: -->\n\n```console\n$ true\n```", "'not run' needs a reason"),
        ("```console\n$ true\n ```", "neither opens nor closes"),
    ],
)
def test_a_false_readme_fails(readme, message, tmp_path):
    with pytest.raises(AssertionError, match=message):
        for block in blocks(readme + "\n"):
            run_block(block, tmp_path)
