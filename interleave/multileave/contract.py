"""A multileaving method is a name, its settings, and two functions. One method a file, in methods/.

    make_page(shared, panel, length, users)             fill the page
    prefer(shared, panel, length, preferences, users)   fill preferences, positive where the row is preferred

If lists end before the page does, both functions are called with the number of drafted places as `length`
(see interleave.multileave.list_ends), and only if it is not 0. A third function computes this number:

    n_drafted(shared, panel, length, users) -> n        at most `length`; depends on the lists alone

The file ends in METHOD = Multileaver(...). Nothing else has to be edited: the catalogue finds it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from interleave.multileave.list_ends import shortest_list
from rankduel.base.settings import NoParams


class Multileaver(NamedTuple):
    name: str
    about: str
    source: str
    make_page: Callable[..., Any]
    prefer: Callable[..., Any]
    params: type = NoParams
    n_drafted: Callable[..., Any] = shortest_list
