"""A multileaving method is a name, its settings, and two functions. One method a file, in methods/.

    make_page(shared, group, length, users)             fill the page
    prefer(shared, group, length, preferences, users)   fill preferences, positive where the row is preferred

If lists end before the page does, both functions are called with the number of drafted places as `length`
(see rankduel.interleave.multileave.list_ends), and only if it is not 0. A third function computes this
number:

    n_drafted(shared, group, length, users) -> n        at most `length`; depends on the lists alone

The file ends in METHOD = Multileaver(...). The catalogue discovers it; no other file has to be edited.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from rankduel.base.settings import NoParams
from rankduel.interleave.multileave.list_ends import shortest_list


class Multileaver(NamedTuple):
    name: str
    about: str
    source: str
    make_page: Callable[..., Any]
    prefer: Callable[..., Any]
    params: type = NoParams
    n_drafted: Callable[..., Any] = shortest_list
