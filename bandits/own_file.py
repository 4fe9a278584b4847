"""Load a policy from a Python file of the user."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from rankduel.bandits.contract import Policy, configure, policy_of
from rankduel.bandits.own_lines import frames_below, frames_text
from rankduel.base.errors import PolicyError
from rankduel.base.settings import Configured, parse_spec


class PolicyFile(NamedTuple):
    path: str
    settings: str  # such as '(alpha=1)', or ''


def policy_file(text: str) -> PolicyFile | None:
    """Return the Python file and the settings that `text` names as a policy; None if it names no file."""
    found = re.fullmatch(r"(.*\.py)\s*(\(.*)?", text.strip(), re.DOTALL)
    return PolicyFile(found[1].strip(), found[2] or "") if found else None


def configured_file(file: PolicyFile, **settings: Any) -> Configured:
    """Run a policy file and return its policy with the settings of its text and these."""
    return configure(load_policy(file.path), **parse_spec("file" + file.settings)[1], **settings)


def load_policy(path: str | Path) -> Policy:
    """Run a Python file and return the policy that it defines.

    The policy is made by `rankduel.bandits.contract.policy_of`, as those of this package are; the file need
    not call that function. The name of the policy is the path as given, so that its text names the same file.
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
    except SyntaxError as problem:
        text = f"\n    {problem.text.strip()}" if problem.text else ""
        raise PolicyError(
            f"{path}:{problem.lineno}: this policy file does not run: SyntaxError: {problem.msg}{text}"
        ) from None
    except Exception as problem:
        frames = frames_below(problem, path)
        where = f"{path}:{frames[-1].lineno}" if frames else str(path)
        raise PolicyError(
            f"{where}: this policy file does not run: {type(problem).__name__}: {problem}"
            f"{frames_text(frames)}"
        ) from None
    return module
