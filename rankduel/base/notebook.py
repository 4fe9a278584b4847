"""Return values as a short line for a prompt and as a small HTML table for a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from rankduel.base.errors import encodable
from rankduel.base.text import shortened

_LONGEST = 60  # characters of a value
_MOST_NAMES = 4


def short_repr(kind: str, facts: Mapping[str, object]) -> str:
    """Return a line such as ``Letor(source='train.txt', queries=69)``; long values are cut."""
    return f"{kind}({', '.join(f'{name}={_value(value)}' for name, value in facts.items())})"


def html_repr(kind: str, facts: Mapping[str, object]) -> str:
    """Return the same facts as an HTML table, with everything escaped."""
    return html_table(kind, ((name, value) for name, value in facts.items()))


def html_table(caption: str, rows: Iterable[Sequence[object]], headings: Sequence[str] = ()) -> str:
    """Return an HTML table of values, with everything escaped and long values cut."""
    head = "".join(f"<th>{_escaped(heading)}</th>" for heading in headings)
    body = "".join(
        "<tr>" + "".join(f'<td style="text-align:left">{_escaped(value)}</td>' for value in row) + "</tr>"
        for row in rows
    )
    top = f"<thead><tr>{head}</tr></thead>" if head else ""
    return f"<table><caption>{_escaped(caption)}</caption>{top}<tbody>{body}</tbody></table>"


def few(names: Sequence[object]) -> str:
    """Return the first names and, if there are more, the number of all."""
    first = ", ".join(str(name) for name in names[:_MOST_NAMES])
    return first if len(names) <= _MOST_NAMES else f"{first}, ... ({len(names):,} in all)"


def _value(value: object) -> str:
    return shortened(encodable(repr(value)), _LONGEST)


def _escaped(value: object) -> str:
    text = f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
    return escape(shortened(encodable(text), _LONGEST))
