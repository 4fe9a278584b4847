"""Build the sdist and the wheel, and install the wheel in an environment of its own, outside the checkout.

`RANKDUEL_VERSIONS` says which versions of the dependencies are installed: 'newest' (what pip chooses
today), or 'oldest' (the lower limits of setup.cfg).
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from installed.requirements import constraints

ROOT = Path(__file__).parents[2]
VERSIONS = os.environ.get("RANKDUEL_VERSIONS", "newest")
# Variables through which the checkout, or the environment of this process, could be found.
_INHERITED = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "NUMBA_CACHE_DIR", "RANKDUEL_CACHE")


class Installed(NamedTuple):
    python: Path
    folder: Path  # empty at first; the working directory of all commands

    def environment(self):
        """Return the environment of a plain terminal in which this installation's commands come first."""
        kept = {name: text for name, text in os.environ.items() if name not in _INHERITED}
        path = os.pathsep.join([str(self.python.parent), os.environ["PATH"]])
        caches = {"RANKDUEL_CACHE": str(self.folder.parent / "cache")}
        return kept | caches | {"PATH": path, "COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb"}

    def run(self, *words):
        """Run a program of the installation, and return what it prints; 'judge ask' reads two answers."""
        done = subprocess.run(
            [str(self.python.parent / words[0]), *map(str, words[1:])],
            cwd=self.folder,
            env=self.environment(),
            input="1\nq\n",
            capture_output=True,
            text=True,
            timeout=900,
        )
        assert done.returncode == 0, f"exit code {done.returncode}: {words}\n{done.stdout}{done.stderr}"
        assert "Traceback" not in done.stderr, done.stderr
        return done.stdout


@pytest.fixture(scope="session")
def archives(tmp_path_factory):
    """Return (sdist, wheel); the wheel is made from the sdist, as a package index would."""
    out = tmp_path_factory.mktemp("archives")
    command = [sys.executable, "-m", "build", "--outdir", str(out), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return next(out.glob("*.tar.gz")), next(out.glob("*.whl"))


@pytest.fixture(scope="session")
def installed(archives, tmp_path_factory):
    """Return an installation of the wheel with the extra `dask`, and an empty folder."""
    home = tmp_path_factory.mktemp("installed")
    (home / "work").mkdir()
    (home / "constraints.txt").write_text("\n".join(constraints(VERSIONS)) + "\n")
    subprocess.run([sys.executable, "-m", "venv", str(home / "env")], check=True)
    python = home / "env" / "bin" / "python"
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    options = ["--constraint", str(home / "constraints.txt")]
    subprocess.run([*pip, *options, f"{archives[1]}[dask]"], check=True, cwd=home)
    found = Installed(python, home / "work")
    print(f"\n{VERSIONS} versions:", found.run("python", "-m", "pip", "freeze", "--exclude", "rankduel"))
    return found
