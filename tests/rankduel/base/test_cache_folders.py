"""The folder of compiled code is private, and a temporary one does not outlive its process for long."""

import os
import signal
import subprocess
import sys
from contextlib import contextmanager

import pytest
from support.permissions import give_away, needs_root

from rankduel.base import cache_folders
from rankduel.base.errors import CacheNotice

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="users have no numbers")


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Return the folder of temporary files of this test."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(cache_folders.tempfile, "gettempdir", lambda: str(folder))
    for function in (cache_folders.temporary_folder, cache_folders._code_folder):
        function.cache_clear()
        monkeypatch.setattr(cache_folders, function.__name__, function)  # cleared again at the end
    yield folder
    for function in (cache_folders.temporary_folder, cache_folders._code_folder):
        function.cache_clear()


def fallback(place):
    """Return the folder of code, which must be a new one in `place`."""
    with pytest.warns(CacheNotice, match="is stored in .* until this command ends") as notes:
        found = cache_folders.code_folder()
    assert found.parent == place and found.stat().st_mode & 0o777 == 0o700 and list(found.iterdir()) == []
    assert cache_folders.code_folder() == found
    return str(notes[0].message)


@pytest.mark.parametrize("level", [".", "rankduel", "rankduel/code"])
def test_code_is_not_stored_where_others_may_write(place, tmp_path, monkeypatch, level):
    monkeypatch.delenv("RANKDUEL_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "shared"))
    (tmp_path / "shared" / "rankduel" / "code").mkdir(parents=True, mode=0o700)
    (tmp_path / "shared" / level).chmod(0o777)
    assert "others may write to it" in fallback(place)


@needs_root
@pytest.mark.parametrize("level", [".", "rankduel", "rankduel/code"])
def test_code_is_not_stored_in_a_folder_of_another_user(place, tmp_path, monkeypatch, level):
    monkeypatch.delenv("RANKDUEL_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "shared"))
    (tmp_path / "shared" / "rankduel" / "code").mkdir(parents=True, mode=0o755)
    give_away(tmp_path / "shared" / level)
    assert "belongs to another user" in fallback(place)


def test_without_a_home_a_folder_that_somebody_prepared_is_not_used(place, monkeypatch):
    for name in ("RANKDUEL_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(cache_folders.os.path, "expanduser", lambda path: path)
    prepared = place / f"rankduel-{os.getuid()}"
    (prepared / "code").mkdir(parents=True, mode=0o777)
    assert fallback(place).startswith("cache folder: no home folder")
    assert cache_folders.cache_folder().parent == place and list(prepared.iterdir()) == [prepared / "code"]


# --- removal


def homeless(place, text):
    environment = {**os.environ, "HOME": "/dev/null/home", "TMPDIR": str(place)}
    environment |= {"RANKDUEL_CACHE": "", "XDG_CACHE_HOME": "", "PYTHONWARNINGS": "ignore"}
    command = "from rankduel.base.cache_folders import code_folder\n(code_folder() / 'x').write_text('')\n"
    return subprocess.Popen(
        [sys.executable, "-c", command + text], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )


@contextmanager
def running(place):
    """Run a process with a temporary folder until the end of the block."""
    with homeless(place, "print('ready', flush=True)\ninput()") as process:
        assert process.stdout.readline() == b"ready\n"
        yield process
        process.communicate(b"\n")


def test_a_temporary_folder_is_removed_with_its_process(tmp_path):
    with running(tmp_path) as process:
        assert len(list(tmp_path.iterdir())) == 1
    assert process.returncode == 0 and list(tmp_path.iterdir()) == []


def test_a_process_that_was_forked_leaves_the_folder(tmp_path):
    text = "import os\nif os.fork() == 0: raise SystemExit\nos.wait()\nprint(code_folder().exists())"
    assert homeless(tmp_path, text).communicate()[0] == b"True\n"
    assert list(tmp_path.iterdir()) == []


def test_the_folder_of_a_killed_process_is_removed_by_the_next(tmp_path):
    with running(tmp_path) as killed, running(tmp_path) as other:
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        assert len(list(tmp_path.iterdir())) == 2
        with running(tmp_path):
            assert len(list(tmp_path.iterdir())) == 2  # those of the two that run
    assert other.returncode == 0 and list(tmp_path.iterdir()) == []


def test_folders_with_other_names_and_links_are_left_alone(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / f"rankduel-{os.getuid()}-link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / f"rankduel-{os.getuid()}").mkdir()
    (tmp_path / f"rankduel-{os.getuid() + 1}-abcd").mkdir()
    before = sorted(tmp_path.iterdir())
    with running(tmp_path):
        pass
    assert sorted(tmp_path.iterdir()) == before


def test_a_folder_is_removed_before_an_immediate_exit(place):
    cache_folders.remove_temporary_folder()  # there is none
    assert list(place.iterdir()) == []
    folder = cache_folders.temporary_folder()
    cache_folders.remove_temporary_folder()
    assert not folder.exists()
