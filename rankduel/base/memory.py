"""Memory of the process."""

from __future__ import annotations

import ctypes
import sys


def release_freed_memory() -> None:
    """Return freed memory to the operating system.

    The C library of Linux keeps freed pieces of up to 32 MB for later use, if pieces in use lie among them.
    On other systems, and with other C libraries, nothing is done.
    """
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)
