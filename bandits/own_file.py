"""A policy of one's own: a Python file with the functions of bandits/contract.py, or a POLICY made of
them."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

from bandits.contract import Policy
from rankduel.base.errors import PolicyError

_NEEDED = ("Params", "init", "select", "update")
_OPTIONAL = ("recommend", "survivors", "idle")


def load_policy(path: str | Path) -> Policy:
    """The policy in a file. Its name is the path as given, so that what is printed asks for it again."""
    module = _run(Path(path))
    if isinstance(getattr(module, "POLICY", None), Policy):
        return module.POLICY._replace(name=str(path))
    missing = [name for name in _NEEDED if not hasattr(module, name)]
    if missing:
        raise PolicyError(
            f"{path}: no {', '.join(missing)} in this file; expected POLICY, or {', '.join(_NEEDED)} "
            f"and perhaps {', '.join(_OPTIONAL)} (see bandits/contract.py)"
        )
    _check_params(path, module.Params)
    recommend, survivors, idle = (getattr(module, name, None) for name in _OPTIONAL)
    return Policy(
        str(path),
        module.Params,
        module.init,
        module.select,
        module.update,
        recommend,
        survivors,
        idle,
        about=(module.__doc__ or "").strip().partition("\n")[0],
    )


def _run(path: Path) -> ModuleType:
    if not path.is_file():
        raise PolicyError(f"{path}: there is no such policy file")
    spec = importlib.util.spec_from_file_location(f"own_policy_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise PolicyError(f"{path}: a policy file must be Python and end in .py")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as problem:
        line = getattr(problem, "lineno", None) or _line_in(problem, path)
        where = f"{path}:{line}" if line else str(path)
        raise PolicyError(
            f"{where}: this policy file does not run: {type(problem).__name__}: {problem}"
        ) from None
    return module


def _line_in(problem: Exception, path: Path) -> int:
    """The last line of the file that was running; 0 if none was."""
    line, frame = 0, problem.__traceback__
    while frame is not None:
        if Path(frame.tb_frame.f_code.co_filename) == path:
            line = frame.tb_lineno
        frame = frame.tb_next
    return line


def _check_params(path: str | Path, params: type) -> None:
    fields = getattr(params, "_fields", None)
    if fields is None or set(getattr(params, "_field_defaults", {})) != set(fields):
        raise PolicyError(f"{path}: Params must be a NamedTuple in which every field has a default")
