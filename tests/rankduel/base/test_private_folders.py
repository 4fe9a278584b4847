"""A file or folder that another user can have written is refused, for every way of writing it."""

import errno
import os
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from support.permissions import SOMEBODY, give_away, needs_root

from rankduel.base import private_folders
from rankduel.base.private_folders import make_own_folder, make_private_folder, open_private

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="users have no numbers")


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "folder" / "x"
    path.parent.mkdir(mode=0o700)
    path.write_text("mine")
    path.chmod(0o600)
    return path


def content(path):
    with open_private(path) as opened:
        return opened.read().decode()


# --- files


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o444])
def test_a_file_of_the_user_is_opened_by_its_name(file, mode):
    file.chmod(mode)
    assert content(file) == "mine"
    with open_private(file) as opened:
        assert opened.name == str(file)


def replace_by_link(path):
    path.rename(path.with_name("real"))
    path.symlink_to(path.with_name("real"))


def replace_by_pipe(path):
    path.unlink()
    os.mkfifo(path, 0o600)


FOREIGN = {
    "file others write": lambda file: file.chmod(0o602),
    "file a group writes": lambda file: (os.chown(file, -1, foreign_group()), file.chmod(0o620)),
    "link": replace_by_link,
    "pipe": replace_by_pipe,
    "folder others write": lambda file: file.parent.chmod(0o703),
    "sticky folder": lambda file: file.parent.chmod(0o1777),
    "link to the folder": lambda file: replace_by_link(file.parent),
    "file given away": give_away,
    "folder given away": lambda file: give_away(file.parent),
}


def foreign_group():
    """Return a group that the user is in but that is not his alone; any number for root."""
    if os.geteuid() == 0:
        return SOMEBODY
    shared = [group for group in os.getgroups() if group != os.getgid()]
    return shared[0] if shared else pytest.skip("a user in one group only")


SPOILS = [
    pytest.param(spoil, id=name, marks=needs_root if "away" in name else ())
    for name, spoil in FOREIGN.items()
]


@pytest.mark.parametrize("spoil", SPOILS)
def test_a_file_that_others_can_have_written_is_refused(file, spoil):
    spoil(file)
    with pytest.raises(OSError) as refused:
        content(file)
    assert isinstance(refused.value, PermissionError) or refused.value.errno in (errno.ELOOP, errno.ENOTDIR)


def test_a_folder_exchanged_after_its_check_is_not_read(file, monkeypatch):
    real = os.fstat

    def exchange(number):
        monkeypatch.setattr(os, "fstat", real)
        status = real(number)
        file.parent.rename(file.parents[1] / "moved")
        file.parent.mkdir()
        file.write_text("planted")
        return status

    monkeypatch.setattr(os, "fstat", exchange)
    assert content(file) == "mine" and file.read_text() == "planted"


# --- folders


def test_missing_folders_are_made_for_the_user_alone(tmp_path):
    before = os.umask(0)
    try:
        assert make_private_folder(tmp_path / "a" / "b" / "c") == ""
        make_own_folder(tmp_path / "d" / "e")
    finally:
        os.umask(before)
    for folder in ("a", "a/b", "a/b/c", "d", "d/e"):
        assert (tmp_path / folder).stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("level", ["a", "a/b", "a/b/c"])
@pytest.mark.parametrize("mode", [0o777, 0o702, 0o1777])
def test_every_folder_on_the_path_counts(tmp_path, level, mode):
    folder = tmp_path / "a" / "b" / "c"
    assert make_private_folder(folder) == ""
    (tmp_path / level).chmod(mode)
    is_shared_safely = mode & 0o1000 and level != "a/b/c"  # others cannot rename what is in it
    problem = make_private_folder(folder)
    assert problem == "" if is_shared_safely else problem.startswith("others may write to it")


@needs_root
@pytest.mark.parametrize("level", ["a", "a/b", "a/b/c"])
def test_a_folder_of_another_user_on_the_path_is_refused(tmp_path, level):
    make_private_folder(tmp_path / "a" / "b" / "c")
    (tmp_path / level).chmod(0o755)
    give_away(tmp_path / level)
    assert make_private_folder(tmp_path / "a" / "b" / "c").startswith("it belongs to another user")


def test_links_on_the_path_are_followed_to_folders_that_count(tmp_path):
    (tmp_path / "real" / "b").mkdir(parents=True, mode=0o700)
    (tmp_path / "real" / "b").chmod(0o700)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (tmp_path / "up").symlink_to("real/../link")
    for name in ("link", "up"):
        (tmp_path / "real").chmod(0o755)
        assert make_private_folder(tmp_path / name / "b") == ""
        (tmp_path / "real").chmod(0o757)
        assert make_private_folder(tmp_path / name / "b") == f"others may write to it ({tmp_path / 'real'})"
    assert make_private_folder(tmp_path / "link") == "a link"
    (tmp_path / "circle").symlink_to("circle")
    assert make_private_folder(tmp_path / "circle" / "b") != ""


@needs_root
def test_a_link_of_another_user_is_refused(tmp_path):
    (tmp_path / "real" / "b").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert make_private_folder(tmp_path / "link" / "b") == ""
    give_away(tmp_path / "link")
    assert make_private_folder(tmp_path / "link" / "b").startswith("it belongs to another user")


def test_the_group_of_the_user_alone_may_write(tmp_path, monkeypatch):
    folder = tmp_path / "a"
    folder.mkdir()
    folder.chmod(0o770)
    for is_own in (True, False):
        monkeypatch.setattr(private_folders, "_is_own_group", lambda number, is_own=is_own: is_own)
        assert (make_private_folder(folder) == "") == is_own


@pytest.mark.parametrize(
    ("name", "members", "is_own"),
    [("me", [], True), ("me", ["me"], True), ("me", ["me", "you"], False), ("lab", [], False)],
)
def test_a_group_is_of_the_user_alone_by_name_and_members(monkeypatch, name, members, is_own):
    import grp
    import pwd

    group = grp.struct_group((name, "x", 500, members))
    monkeypatch.setattr(grp, "getgrgid", lambda number: group)
    monkeypatch.setattr(pwd, "getpwuid", lambda number: pwd.struct_passwd(("me", "x", 1, 500, "", "", "")))
    assert private_folders._is_own_group.__wrapped__(500) == is_own


@needs_root
def test_files_of_root_are_trusted_but_its_folders_are_not_the_users(file, monkeypatch):
    monkeypatch.setattr(os, "getuid", lambda: SOMEBODY)
    assert content(file) == "mine"
    with pytest.raises(PermissionError, match="belongs to another user"):
        make_own_folder(file.parent)
    assert make_private_folder(file.parent) == "it belongs to another user"


# --- the naive twin: another user tries


def somebody_can_tamper(levels):
    """Return whether another user can rename a folder of a path, or make a file in the last one."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1
    done = 0
    try:
        os.setgroups([])
        os.setgid(SOMEBODY)
        os.setuid(SOMEBODY)
        for folder in levels:
            done |= succeeds(lambda folder=folder: os.rename(folder, f"{folder}.moved"))
            done |= succeeds(lambda folder=folder: os.rename(f"{folder}.moved", folder))
        done |= succeeds(lambda: (levels[-1] / "planted").touch())
    finally:
        os._exit(done)


def succeeds(act):
    try:
        act()
    except OSError:
        return 0
    return 1


@needs_root
def test_a_folder_with_which_another_user_can_tamper_is_refused():
    rng = np.random.default_rng(5)
    modes, seen = (0o700, 0o711, 0o755, 0o775, 0o777, 0o1777), []
    for _ in range(60):
        with tempfile.TemporaryDirectory() as top:
            os.chmod(top, 0o755)
            levels = [Path(top, "a"), Path(top, "a/b"), Path(top, "a/b/c")]
            for level in levels:
                level.mkdir()
            for level in reversed(levels):
                if rng.random() < 0.1:
                    give_away(level)
                level.chmod(int(rng.choice(modes)))
            is_private = make_private_folder(levels[-1]) == ""
            seen.append((somebody_can_tamper(levels), is_private))
            for level in levels:
                if level.exists():
                    os.chown(level, 0, 0)
            shutil.rmtree(levels[0], ignore_errors=True)
    assert (True, True) not in seen
    assert seen.count((False, True)) > 5 and seen.count((True, False)) > 5
