"""Test that freed memory is returned to the operating system."""

import sys
from pathlib import Path

import numpy as np
import pytest

from rankduel.base.memory import release_freed_memory


def resident_mb():
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmRSS"))


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no malloc_trim")
def test_freed_pieces_among_others_are_released():
    pieces = [np.ones(8000) for _ in range(3200)]  # 205 MB
    pieces = pieces[::100]
    before = resident_mb()
    release_freed_memory()
    assert resident_mb() < before - 100
    assert len(pieces) == 32
