"""A mark for tests of folders without write permission."""

import os
import tempfile

import pytest


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
