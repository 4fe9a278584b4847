"""Tests of folders that may not be written to."""

import os
import tempfile

import pytest


def _writes_anywhere():
    """Whether this process may write into a folder without permission, as root usually may."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o500)
        writes = os.access(folder, os.W_OK)
        os.chmod(folder, 0o700)
    return writes


needs_permission = pytest.mark.skipif(
    _writes_anywhere(), reason="this user may write anywhere; .ci/run takes that right away"
)
