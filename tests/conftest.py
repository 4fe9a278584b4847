"""Shared by all tests."""

from hypothesis import settings

# The first example of a kernel's test pays for compiling it, so no deadline. Based on the settings in
# force, which Hypothesis makes repeatable when it runs in CI.
settings.register_profile("rankduel", settings(), deadline=None)
settings.load_profile("rankduel")
