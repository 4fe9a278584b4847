"""The pages that the odds of probabilistic interleaving go through, against itertools."""

import itertools
from typing import NamedTuple

import numpy as np
import pytest

from rankduel.interleave.exact import all_pages
from rankduel.interleave.world import DOC

pytestmark = pytest.mark.kernel


class Shown(NamedTuple):
    """The part of a world that holds its page."""

    page: np.ndarray


@pytest.mark.parametrize(("n_docs", "length"), [(1, 1), (4, 0), (4, 1), (4, 3), (4, 4), (6, 2)])
def test_every_page_comes_once_in_lexicographic_order(n_docs, length):
    world = Shown(np.full((DOC + 1, 6), -1))
    all_pages._fill_up(world, 0, length)
    pages = [tuple(world.page[DOC, :length].tolist())]
    while all_pages._next_page(world, n_docs, length):
        pages.append(tuple(world.page[DOC, :length].tolist()))
    assert pages == list(itertools.permutations(range(n_docs), length))
