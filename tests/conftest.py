"""Shared by all tests.

Compiling takes most of the time that the quick tests have, ten minutes with set-up. So they compile one or
two policies of each kind and the most used interleaving methods; those marked `compiling` do it for all.
"""

from hypothesis import settings

# The first example of a kernel's test pays for compiling it, so no deadline. Based on the settings in
# force, which Hypothesis makes repeatable when it runs in CI.
settings.register_profile("rankduel", settings(), deadline=None)
settings.load_profile("rankduel")

# Files that take a minute or so go first, so that no core is left alone with one at the end; and those
# that compile what others then find on disk go before these.
LONG = ("test_every_policy", "test_live", "test_matrix", "test_readme", "test_run", "test_dts")


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: LONG.index(item.path.stem) if item.path.stem in LONG else len(LONG))
