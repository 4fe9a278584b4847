"""Read files that no other user of the machine can have written, and make folders for them.

Files of a cache are trusted: machine code is run, and parsed data stand for the data that were asked for. So
such a file is used only if it belongs to the user or to root, nobody else may write to it, and the same
holds for its folder. Owner and permissions are those of the opened file, and the file is opened relative to
the opened folder without following links, so neither can be exchanged after it was checked.

Windows has no user numbers: there, a cache is as safe as the permissions of its folder.
"""

from __future__ import annotations

import functools
import os
import stat
import sys
from pathlib import Path
from typing import BinaryIO


def open_private(path: Path) -> BinaryIO:
    """Open a file for reading, if only the user and root can have written it.

    Raises
    ------
    PermissionError
        If another user owns the file or its folder, or may write to them, or if it is not a regular file.
    OSError
        If the file cannot be opened; links are not followed.
    """
    if sys.platform == "win32":
        return open(path, "rb")
    return open(path, "rb", opener=lambda _, flags: _open(path, flags))


def _open(path: Path, flags: int) -> int:
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        _refuse(path.parent, _problem(os.fstat(folder)))
        # Without O_NONBLOCK, opening a pipe would wait for a writer.
        file = os.open(path.name, flags | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    finally:
        os.close(folder)
    try:
        status = os.fstat(file)
        _refuse(path, _problem(status) if stat.S_ISREG(status.st_mode) else "not a regular file")
    except OSError:
        os.close(file)
        raise
    return file


def make_own_folder(folder: Path) -> None:
    """Make a folder, and those that it lies in, for the user alone; raise an OSError if it is not such.

    An existing folder is accepted if it is no link, belongs to the user, and nobody else may write to it.
    """
    _make_folders(folder)
    _refuse(folder, own_folder_problem(folder))


def own_folder_problem(folder: Path) -> str:
    """Return why an existing folder is not one that the user owns and nobody else may write to; or ''."""
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode):
        return "a link" if stat.S_ISLNK(status.st_mode) else "not a folder"
    if sys.platform == "win32":
        return ""
    return "it belongs to another user" if status.st_uid != os.getuid() else _problem(status)


def make_private_folder(folder: Path) -> str:
    """Make a folder that nobody else can write to or replace; return the reason if that is impossible.

    Nobody else can replace it if every folder on its path belongs to the user or to root, and nobody else may
    write to it. Others may write to a folder with the sticky bit, such as /tmp: there the system lets them
    replace only what is theirs.
    """
    try:
        _make_folders(folder)
        reason = own_folder_problem(folder) or ("" if sys.platform == "win32" else _path_problem(folder))
    except OSError as problem:
        return problem.strerror or str(problem)
    return reason or ("" if os.access(folder, os.W_OK | os.X_OK) else "not writable")


def _make_folders(folder: Path) -> None:
    """Make the missing folders of a path; `Path.mkdir` would leave all but the last to the umask."""
    if not folder.exists():
        _make_folders(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def _path_problem(folder: Path) -> str:
    """Return which folder or link on the path of an existing folder is of another user, or open to others."""
    parts = list(reversed(folder.absolute().parts))
    at = Path(parts[-1])
    while parts:
        entry = at / parts.pop()  # for the root, and for the target of an absolute link, this is '/'
        status = entry.lstat()
        if stat.S_ISLNK(status.st_mode):
            problem = _owner_problem(status)  # so nobody else can make a circle of links meanwhile
            parts.extend(reversed(Path(os.readlink(entry)).parts))
        else:
            at, problem = entry, _owner_problem(status)
            if not status.st_mode & stat.S_ISVTX:
                problem = _problem(status)
        if problem:
            return f"{problem} ({entry})"
    return ""


def _problem(status: os.stat_result) -> str:
    """Return why another user can have written this file or to this folder; or ''."""
    return _owner_problem(status) or ("others may write to it" if _others_may_write(status) else "")


def _owner_problem(status: os.stat_result) -> str:
    return "" if status.st_uid in (0, os.getuid()) else "it belongs to another user"


def _others_may_write(status: os.stat_result) -> bool:
    if status.st_mode & stat.S_IWGRP and not _is_own_group(status.st_gid):
        return True
    return bool(status.st_mode & stat.S_IWOTH)


@functools.cache
def _is_own_group(number: int) -> bool:
    """Return whether a group is the one that many systems make for each user, named like the user.

    There, whatever a user makes can often be written by this group, which has no other members.
    """
    import grp
    import pwd

    try:
        group = grp.getgrgid(number)
        user = pwd.getpwuid(os.getuid())
    except KeyError:
        return False
    return (number, group.gr_name) == (user.pw_gid, user.pw_name) and set(group.gr_mem) <= {user.pw_name}


def _refuse(path: Path, problem: str) -> None:
    """Raise an error if there is a problem."""
    if problem:
        raise PermissionError(f"{path}: {problem}")
