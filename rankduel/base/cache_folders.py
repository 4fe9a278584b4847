"""Find the folders of caches: in the user's cache folder, or in a temporary folder of this process."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import sys
import tempfile
import warnings
from contextlib import suppress
from pathlib import Path

from rankduel.base.errors import CacheNotice
from rankduel.base.private_folders import make_private_folder

if sys.platform != "win32":
    import fcntl


def cache_folder() -> Path:
    """Return the user's cache folder for rankduel: ``$RANKDUEL_CACHE``, or a standard place.

    Without a home folder, it is a temporary folder of this process.
    """
    return _users_folder() or temporary_folder()


def data_folder() -> Path:
    """Return the folder of parsed data and scores that cannot be stored beside their source."""
    return cache_folder() / "data"


def code_folder() -> Path:
    """Return the folder of compiled code, which only the user can write to or replace.

    Code loaded from it is executed. If the cache folder cannot be used, a temporary folder is returned with a
    warning.
    """
    users = _users_folder()
    return _code_folder(users and users / "code")


def _users_folder() -> Path | None:
    """Return the cache folder that the environment names; None without a home folder."""
    given = os.environ.get("RANKDUEL_CACHE")
    if given:
        return Path(given)
    base = os.environ.get("XDG_CACHE_HOME")
    if base:
        return Path(base) / "rankduel"
    home = os.path.expanduser("~")
    return None if home == "~" else Path(home) / ".cache" / "rankduel"


@functools.cache
def _code_folder(folder: Path | None) -> Path:
    reason = "no home folder" if folder is None else make_private_folder(folder)
    if folder is not None and not reason:
        return folder
    temporary = temporary_folder()
    warnings.warn(
        f"{folder or 'cache folder'}: {reason}; compiled code is stored in {temporary} until this command "
        "ends, and compiled again by the next one. Set RANKDUEL_CACHE to a folder that you can write to and "
        "others cannot",
        CacheNotice,
        stacklevel=3,
    )
    return temporary


@functools.cache
def temporary_folder() -> Path:
    """Return a new folder for this process, and for those that it forks.

    It is removed when the process ends; if the process is killed, by the next process that needs such a
    folder. A lock on the folder shows that its process is running (see `files.temporary_beside`).
    """
    user = os.getuid() if sys.platform != "win32" else "user"
    place, prefix = Path(tempfile.gettempdir()), f"rankduel-{user}-"
    for entry in place.glob(f"{prefix}*"):
        _remove_abandoned(entry)
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=place))
    while not _lock(folder):
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=place))
    atexit.register(_remove_own, folder, os.getpid())
    return folder


def remove_temporary_folder() -> None:
    """Remove the temporary folder of this process, before it ends without the functions of `atexit`."""
    if temporary_folder.cache_info().currsize:
        shutil.rmtree(temporary_folder(), ignore_errors=True)


def _remove_own(folder: Path, process: int) -> None:
    if os.getpid() == process:  # and not a process that it forked
        shutil.rmtree(folder, ignore_errors=True)


def _lock(folder: Path) -> bool:
    """Lock a new folder until this process ends; return False if another process has removed it."""
    if sys.platform == "win32":
        return True
    try:
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except FileNotFoundError:
        return False
    with suppress(OSError):  # a disk without locks, where no abandoned folder is removed
        fcntl.flock(opened, fcntl.LOCK_EX)
    if folder.exists():
        return True
    os.close(opened)
    return False


def _remove_abandoned(folder: Path) -> None:
    """Remove a temporary folder of this user if its process has ended: if it is not locked."""
    if sys.platform == "win32":
        return
    with suppress(OSError):  # removed, in use, or owned by another user
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            if os.fstat(opened).st_uid == os.getuid():
                fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
        finally:
            os.close(opened)
