"""An interleaving method is a name, its settings, and two functions. One method a file, in methods/.

    next_document(world, pair, at, users) -> doc   return the document for rank `at` of the page
    credit(world, pair, n_read, users) -> lead     return a number that is positive if clicks favour the first

If lists may end before the page does, a third function returns how many places the method fills and credits:

    n_drafted(world, pair, length, users) -> n     at most `length`; depends on the lists alone

The file ends in METHOD = Method(...). The catalogue discovers it; no other file has to be edited.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

from rankduel.base.settings import Configured, NoParams, Setting
from rankduel.interleave.list_ends import shorter_list

# With a tau above 50 the weights of low ranks would underflow.
Tau = Annotated[float, Setting("documents are drawn in proportion to rank^-tau", at_least=0, at_most=50)]
Samples = Annotated[
    int, Setting("assignments sampled for a page, with sampled credit", at_least=1, at_most=1e7)
]


def any_settings(configured: Configured) -> None:
    """Accept lists that end before others, whatever the settings of the method."""


class Method(NamedTuple):
    name: str
    about: str
    source: str
    next_document: Callable[..., Any]
    credit: Callable[..., Any]
    params: type = NoParams
    calls_python: bool = False  # the kernels need Numba's memory management
    reads_ranks: bool = True  # the kernels read the ranks of documents
    longest_page: int = sys.maxsize  # documents
    n_drafted: Callable[..., Any] = shorter_list
    check_short_lists: Callable[[Configured], None] = (
        any_settings  # raises if lists may not end before others
    )
