"""Options that several commands take, declared once."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any


def with_options(table: Mapping[str, tuple[Any, Any]], into: str) -> Callable[[Callable], Callable]:
    """Append options (name -> annotation, default) to a command, which receives them as one dictionary."""

    def decorate(command: Callable) -> Callable:
        own = inspect.signature(command, eval_str=True)
        added = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
            for name, (annotation, default) in table.items()
        ]

        @functools.wraps(command)
        def wrapped(**values: Any) -> Any:
            chosen = {name: values.pop(name) for name in table}
            return command(**values, **{into: chosen})

        kept = [parameter for parameter in own.parameters.values() if parameter.name != into]
        wrapped.__signature__ = own.replace(parameters=[*kept, *added])  # type: ignore[attr-defined]
        del wrapped.__wrapped__
        wrapped.__annotations__ = {p.name: p.annotation for p in [*kept, *added]}
        return wrapped

    return decorate
