"""The twins of all policies by name of the policy: `TWIN` of the file with that name."""

import importlib
import pkgutil

from naive import policies

_MODULES = {
    found.name: importlib.import_module(f"{policies.__name__}.{found.name}")
    for found in pkgutil.iter_modules(policies.__path__)
    if found.name != "twins"
}
TWINS = {name: module.TWIN for name, module in _MODULES.items() if hasattr(module, "TWIN")}
