"""Read the requirements of setup.cfg."""

import configparser
import re
from pathlib import Path

_ROOT = Path(__file__).parents[2]
_NAME_AND_LOWEST = re.compile(r"([\w.-]+)>=([\w.]+)")


def requirements(*extras):
    """Return the requirements of rankduel and of some of its extras, without comments."""
    settings = configparser.ConfigParser(interpolation=None, comment_prefixes=("#",))
    settings.read(_ROOT / "setup.cfg", encoding="utf-8")
    texts = [settings["options"]["install_requires"]]
    texts += [settings["options.extras_require"][extra] for extra in extras]
    return [line.strip() for text in texts for line in text.splitlines() if line.strip()]


def constraints(versions):
    """Return constraints for pip: the lowest versions that setup.cfg allows, or none."""
    if versions != "oldest":
        return []
    pinned = []
    for requirement in requirements("dask"):
        specifier, _, marker = requirement.partition(";")
        name, lowest = _NAME_AND_LOWEST.match(specifier).groups()
        pinned.append(f"{name}=={lowest}" + (f"; {marker.strip()}" if marker else ""))
    return pinned
