"""Marks for tests of permissions, and a function that gives files to another user."""

import os
import tempfile

import pytest

SOMEBODY = 65534  # the number of a user without rights


def _writes_anywhere():
    """Return whether this process can write into a folder without permission, as root usually can."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o500)
        writes = os.access(folder, os.W_OK)
        os.chmod(folder, 0o700)
    return writes


needs_permission = pytest.mark.skipif(
    _writes_anywhere(), reason="this user may write anywhere; .ci/run drops that permission"
)


needs_root = pytest.mark.skipif(not hasattr(os, "chown") or os.geteuid() != 0, reason="gives files away")


def give_away(*paths):
    """Let files or folders belong to another user, for tests marked `needs_root`."""
    for path in paths:
        os.chown(path, SOMEBODY, -1, follow_symlinks=False)
        _given.append(path)


def take_back():
    """Let what was given away belong to this user again, so that pytest can remove it."""
    while _given:
        path = _given.pop()
        if os.path.lexists(path):
            os.chown(path, os.geteuid(), -1, follow_symlinks=False)


_given = []
