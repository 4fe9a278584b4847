"""Read a policy from a Python file of the user."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from bandits.contract import Policy, policy_of
from rankduel.base.errors import PolicyError


def load_policy(path: str | Path) -> Policy:
    """Return the policy in a Python file.

    The file is run, and goes through `bandits.contract.policy_of` as the files of this package do; the line
    that calls it may be left out. The name of the policy is the path as given, so that its text asks for it
    again.
    """
    module = _run(Path(path))
    made = getattr(module, "POLICY", None)
    policy = made if isinstance(made, Policy) else policy_of(module.__name__)
    return policy._replace(name=str(path))


def _run(path: Path) -> ModuleType:
    if not path.is_file():
        raise PolicyError(f"{path}: there is no such policy file")
    spec = importlib.util.spec_from_file_location(f"own_policy_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise PolicyError(f"{path}: a policy file must be Python and end in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module
    try:
        spec.loader.exec_module(module)
    except PolicyError:
        raise
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
