"""The directive `commands`: every command of the command line, with its arguments and options."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from docutils import nodes
from pieces import CodeDirective, code, inline, paragraph, table
from rich.text import Text
from sphinx.application import Sphinx
from typer.main import get_command

from rankduel.cli import app as command_line

_EXTRA = re.compile(r"\s*\[(required|default: [^\]]*)\]$")


class Commands(CodeDirective):
    def content_nodes(self) -> list[nodes.Node]:
        command = get_command(command_line)
        context: Any = command.make_context("rankduel", [], resilient_parsing=True)
        return [self._command(one) for one in _commands(context)]

    def _command(self, context: Any) -> nodes.section:
        path = context.command_path
        usage = " ".join([path, *_usage(context)])
        content = [nodes.literal_block(usage, usage, language="text"), *_help(context.command.help or "")]
        options = [one for one in context.command.params if not getattr(one, "hidden", False)]
        by_panel = sorted(options, key=lambda one: _panels(options).index(_panel(one)))
        for panel, group in groupby(by_panel, key=_panel):
            content += [nodes.rubric("", panel)] if panel else []
            content.append(table(["option", "default", "meaning"], [_row(one, context) for one in group]))
        return self.section(path, path.replace(" ", "-"), *content)


def _commands(context: Any) -> Iterator[Any]:
    """Yield the contexts of a command and of all below it; a group only if it has options or help of use."""
    if context.parent is not None:
        yield context
    for name, command in sorted(getattr(context.command, "commands", {}).items()):
        if not command.hidden:
            yield from _commands(type(context)(command, info_name=name, parent=context))


def _usage(context: Any) -> list[str]:
    arguments = [one for one in context.command.params if one.param_type_name == "argument"]
    words = [one.make_metavar(context).upper().strip("[]") for one in arguments]
    optional = [word if one.required else f"[{word}]" for word, one in zip(words, arguments)]
    if getattr(context.command, "commands", {}):
        return ["COMMAND ..."]
    return [*optional, "[OPTIONS]"]


def _help(text: str) -> list[nodes.Node]:
    """Return the paragraphs of a help text without Rich's markup; an example is a block of its own."""
    found: list[nodes.Node] = []
    for piece in re.split(r"\n\s*\n", inspect.cleandoc(text)):
        plain = " ".join(Text.from_markup(piece).plain.split())
        before, colon, example = plain.partition("Example: ")
        if colon and not before:
            found.append(nodes.literal_block(example, f"$ {example}", language="console"))
        else:
            found.append(paragraph(plain))
    return found


def _panel(option: Any) -> str:
    return getattr(option, "rich_help_panel", None) or ""


def _panels(options: list[Any]) -> list[str]:
    """Return the panels in their order of appearance."""
    return list(dict.fromkeys(["", *map(_panel, options)]))


def _row(option: Any, context: Any) -> list[Any]:
    name, text = option.get_help_record(context)
    text = Text.from_markup(text).plain if "[/" in text else text
    extra = _EXTRA.search(text)
    default = extra[1].removeprefix("default: ").strip("()") if extra else ""
    shown = name.upper() if option.param_type_name == "argument" else name
    return [code(shown), default if default == "required" else code(default), inline(_EXTRA.sub("", text))]


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
