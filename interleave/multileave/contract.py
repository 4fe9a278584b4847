"""What a multileaving method is: a name, its settings, and two functions. One method a file, in methods/.

    make_page(shared, panel, length, users)             fill the page
    prefer(shared, panel, length, preferences, users)   fill preferences, positive where the row is preferred

The file ends in METHOD = Multileaver(...). Nothing else has to be edited: the catalogue finds it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from rankduel.base.settings import NoParams


class Multileaver(NamedTuple):
    name: str
    about: str
    source: str
    make_page: Callable[..., Any]
    prefer: Callable[..., Any]
    params: type = NoParams
    lists_may_end: bool = False  # rankers need not list the same documents
