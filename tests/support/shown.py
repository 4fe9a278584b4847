"""Run the commands and '>>>' examples that a page of Markdown shows, and compare what they print.

A ```console block holds '$ command' lines, each followed by the output to expect ('...' is any text, a
line '...' any lines; nothing shown means any output); '# exits 2' after a command states its exit code.
A ```python block is a doctest of its own. The blocks of a page run from top to bottom in one empty directory.
A comment on the line above a block changes what happens to it:

    <!-- slow -->               only in the slow suite
    <!-- file: mine.py -->      not run but saved, for the commands that follow
    <!-- not run: a reason -->  not run

A page that contains <!-- slow page --> runs in the slow suite only.
"""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
FENCE = re.compile(
    r"^(?:<!-- *(?P<mark>[^\n]*?) *-->\n+)?```(?P<language>[^\n]*)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
SLOW_PAGE = re.compile(r"^<!-- slow page -->$", re.MULTILINE)


class Block(NamedTuple):
    page: str  # file name, for messages
    line: int  # of its first line, in the page
    language: str
    text: str
    mark: str  # "", "slow", "file: NAME" or "not run: REASON"


class Command(NamedTuple):
    where: str  # PAGE:LINE
    text: str
    output: str

    @property
    def exit_code(self):
        stated = re.search(r"# exits (\d+)$", self.text)
        return int(stated[1]) if stated else 0


# ---- reading a page ----


def blocks(markdown, page="README.md"):
    """Return the fenced blocks, in order."""
    found = []
    for m in FENCE.finditer(markdown):
        line = markdown.count("\n", 0, m.start("text")) + 1
        found.append(Block(page, line, m["language"].strip(), m["text"], m["mark"] or ""))
    assert markdown.count("```") == 2 * len(found), (
        f"{page}: a ``` that neither opens nor closes a block on its own line"
    )
    return found


def blocks_of(path):
    """Return the fenced blocks of a file, all of them slow if it is a slow page."""
    markdown = path.read_text(encoding="utf-8")
    found = blocks(markdown, path.name)
    if SLOW_PAGE.search(markdown):
        return [block._replace(mark=block.mark or "slow") for block in found]
    return found


def runs(block):
    """Return whether a block is run as a test."""
    return block.language in ("console", "python") and block.mark in ("", "slow")


def commands(block):
    """Return the commands of a console block with their expected output."""
    found = []
    for number, line in enumerate(block.text.splitlines(), block.line):
        if line.startswith("$ "):
            found.append(Command(f"{block.page}:{number}", line[2:], ""))
        elif found[-1].text.endswith("\\"):
            found[-1] = found[-1]._replace(text=found[-1].text + "\n" + line.removeprefix("> "))
        else:
            found[-1] = found[-1]._replace(output=found[-1].output + line + "\n")
    return found


def problem_with(block):
    """Return the reason why a test would not check this block; '' if there is none."""
    if re.match(r"(slow|file: *\S+|not run: *\S.*|)$", block.mark) is None:
        return f"unknown mark '{block.mark}'; 'not run' needs a reason: <!-- not run: needs a cluster -->"
    if block.language in ("bash", "sh", "shell", ""):
        return "commands go into a ```console block, each after '$ ', and other text into ```text"
    if block.language == "console" and not block.text.startswith("$ "):
        return "a console block must begin with '$ command'"
    if block.language == "python" and ">>>" not in block.text and block.mark in ("", "slow"):
        return "a python block needs '>>>' examples, or <!-- file: NAME --> above it"
    return ""


# ---- running a page ----


def tidy(text):
    return "".join(line.rstrip() + "\n" for line in text.strip("\n").splitlines())


def matches(shown, printed):
    """Return whether `printed` matches `shown`: '...' in a line is any text, a line '...' any lines.

    Messages about compiling are ignored, since they depend on the cache of compiled code.
    """
    pattern = ""
    for line in tidy(shown).splitlines():
        parts = [re.escape(part) for part in line.split("...")]
        pattern += r"(?:.*\n)*?" if line == "..." else ".*?".join(parts) + r"\n"
    printed = re.sub(r"(?m)^compiling .*; once per installation\n", "", printed)
    return re.fullmatch(pattern, tidy(printed)) is not None


def environment(python):
    """Return the environment of a plain terminal of 80 columns where commands of `python` come first."""
    colour = {"FORCE_COLOR", "PY_COLORS", "CLICOLOR_FORCE", "GITHUB_ACTIONS", "PYTHONPATH"}
    path = os.pathsep.join([str(Path(python).parent), os.environ["PATH"]])
    plain = {"PATH": path, "COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb"}
    return {name: value for name, value in os.environ.items() if name not in colour} | plain


def run_shell(text, folder, python=sys.executable):
    done = subprocess.run(
        text, shell=True, cwd=folder, env=environment(python), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", timeout=1800,
    )  # fmt: skip
    return done.returncode, done.stdout


def make_targets():
    return set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def run_command(command, folder, python=sys.executable):
    """Run a command and compare its output.

    For 'make', only the existence of the target is tested: 'make test' would run this test again.
    """
    words = command.text.split()
    if words[:2] == ["git", "clone"]:
        return
    if words[0] == "make":
        targets = {word for word in words[1:] if "=" not in word and not word.startswith(("-", "#"))}
        assert targets <= make_targets(), f"{command.where}: no such target: $ {command.text}"
        return
    code, printed = run_shell(command.text, folder, python)
    where = f"{command.where}: $ {command.text}\n{printed}"
    assert code == command.exit_code, f"exit code {code}, not {command.exit_code}: {where}"
    assert not command.output or matches(command.output, printed), (
        f"{where}\nThe page shows:\n{command.output}"
    )


def run_doctest(block, folder, python=sys.executable):
    """Run a block as a script; blank lines before it keep the line numbers of the page in messages."""
    (folder / block.page).write_text("\n" * (block.line - 1) + block.text, encoding="utf-8")
    code, printed = run_shell(f'"{python}" -m doctest -o ELLIPSIS {block.page}', folder, python)
    assert code == 0, printed


def run_block(block, folder, python=sys.executable):
    """Run a block with the commands of `python`'s environment."""
    assert not problem_with(block), f"{block.page}:{block.line}: {problem_with(block)}"
    if block.mark.startswith("file:"):
        (folder / block.mark.removeprefix("file:").strip()).write_text(block.text, encoding="utf-8")
    elif block.mark.startswith("not run:"):
        return
    elif block.language == "console":
        for command in commands(block):
            run_command(command, folder, python)
    elif block.language == "python":
        run_doctest(block, folder, python)
