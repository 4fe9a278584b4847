"""Every command and every '>>>' example of README.md runs, and prints what the README shows.

A ```console block holds '$ command' lines, each followed by the output to expect ('...' is any text, a
line '...' any lines; nothing shown means any output); '# exits 2' after a command states its exit code.
A ```python block is a doctest of its own. The blocks run from top to bottom in one empty directory.
A comment on the line above a block changes what happens to it:

    <!-- slow -->               only in the slow suite
    <!-- file: mine.py -->      not run but saved, for the commands that follow
    <!-- not run: a reason -->  not run
"""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from bandits import POLICIES, configure

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
FENCE = re.compile(
    r"^(?:<!-- *(?P<mark>[^\n]*?) *-->\n+)?```(?P<language>[^\n]*)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


class Block(NamedTuple):
    line: int  # of its first line, in the README
    language: str
    text: str
    mark: str  # "", "slow", "file: NAME" or "not run: REASON"


class Command(NamedTuple):
    line: int
    text: str
    output: str

    @property
    def exit_code(self):
        stated = re.search(r"# exits (\d+)$", self.text)
        return int(stated[1]) if stated else 0


# ---- reading the README ----


def blocks(markdown):
    """The fenced blocks, in order."""
    found = [
        Block(markdown.count("\n", 0, m.start("text")) + 1, m["language"].strip(), m["text"], m["mark"] or "")
        for m in FENCE.finditer(markdown)
    ]
    assert markdown.count("```") == 2 * len(found), (
        "a ``` that neither opens nor closes a block on its own line"
    )
    return found


def commands(block):
    """The commands of a console block with what they should print."""
    found = []
    for number, line in enumerate(block.text.splitlines(), block.line):
        if line.startswith("$ "):
            found.append(Command(number, line[2:], ""))
        elif found[-1].text.endswith("\\"):
            found[-1] = found[-1]._replace(text=found[-1].text + "\n" + line.removeprefix("> "))
        else:
            found[-1] = found[-1]._replace(output=found[-1].output + line + "\n")
    return found


def problem_with(block):
    """Why this block could go stale unnoticed, or ''."""
    if re.match(r"(slow|file: *\S+|not run: *\S.*|)$", block.mark) is None:
        return f"unknown mark '{block.mark}'; 'not run' needs a reason: <!-- not run: needs a cluster -->"
    if block.language in ("bash", "sh", "shell", ""):
        return "commands go into a ```console block, each after '$ ', and other text into ```text"
    if block.language == "console" and not block.text.startswith("$ "):
        return "a console block must begin with '$ command'"
    if block.language == "python" and ">>>" not in block.text and block.mark in ("", "slow"):
        return "a python block needs '>>>' examples, or <!-- file: NAME --> above it"
    return ""


# ---- running it ----


def tidy(text):
    return "".join(line.rstrip() + "\n" for line in text.strip("\n").splitlines())


def matches(shown, printed):
    """Whether output is as shown, where '...' in a line is any text and a line '...' any lines.

    What was compiled is left out: it depends on what was compiled before.
    """
    pattern = ""
    for line in tidy(shown).splitlines():
        parts = [re.escape(part) for part in line.split("...")]
        pattern += r"(?:.*\n)*?" if line == "..." else ".*?".join(parts) + r"\n"
    printed = re.sub(r"(?m)^compiling .*; once per installation\n", "", printed)
    return re.fullmatch(pattern, tidy(printed)) is not None


def environment():
    """A plain terminal of 80 columns where this Python's commands come first."""
    colour = {"FORCE_COLOR", "PY_COLORS", "CLICOLOR_FORCE", "GITHUB_ACTIONS", "PYTHONPATH"}
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    plain = {"PATH": path, "COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb"}
    return {name: value for name, value in os.environ.items() if name not in colour} | plain


def run_shell(text, folder):
    done = subprocess.run(
        text, shell=True, cwd=folder, env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, encoding="utf-8", timeout=1800,
    )  # fmt: skip
    return done.returncode, done.stdout


def make_targets():
    return set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def run_command(command, folder):
    """Set-up in a checkout is only looked up: 'make test' in here would run this test again."""
    words = command.text.split()
    if words[:2] == ["git", "clone"]:
        return
    if words[0] == "make":
        targets = {word for word in words[1:] if "=" not in word and not word.startswith(("-", "#"))}
        assert targets <= make_targets(), f"README.md:{command.line}: no such target: $ {command.text}"
        return
    code, printed = run_shell(command.text, folder)
    where = f"README.md:{command.line}: $ {command.text}\n{printed}"
    assert code == command.exit_code, f"exit code {code}, not {command.exit_code}: {where}"
    assert not command.output or matches(command.output, printed), (
        f"{where}\nThe README shows:\n{command.output}"
    )


def run_doctest(block, folder):
    """As a script of its own; blank lines in front keep the README's line numbers in messages."""
    (folder / "README.md").write_text("\n" * (block.line - 1) + block.text, encoding="utf-8")
    code, printed = run_shell(f'"{sys.executable}" -m doctest -o ELLIPSIS README.md', folder)
    assert code == 0, printed


def run_block(block, folder):
    assert not problem_with(block), f"README.md:{block.line}: {problem_with(block)}"
    if block.mark.startswith("file:"):
        (folder / block.mark.removeprefix("file:").strip()).write_text(block.text, encoding="utf-8")
    elif block.mark.startswith("not run:"):
        return
    elif block.language == "console":
        for command in commands(block):
            run_command(command, folder)
    elif block.language == "python":
        run_doctest(block, folder)


def test_what_the_readme_shows_happens(tmp_path):
    for block in blocks(README.read_text(encoding="utf-8")):
        if block.mark != "slow":
            run_block(block, tmp_path)


@pytest.mark.slow
def test_what_the_readme_shows_happens_in_full(tmp_path):
    for block in blocks(README.read_text(encoding="utf-8")):
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


@pytest.mark.parametrize(
    ("readme", "message"),
    [
        ("# Title\n\n```console\n$ false\n```", "exit code 1, not 0: README.md:4: [$] false"),
        ("```console\n$ true  # exits 2\n```", "exit code 0, not 2"),
        ("```console\n$ echo two\none\n```", r"README.md:2: [$] echo two\s+two\s+The README shows:\s+one"),
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
