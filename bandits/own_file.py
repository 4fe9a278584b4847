"""Read a policy from a Python file of the user."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from bandits.contract import Policy, policy_of
from bandits.own_lines import in_words, own_frames
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
    except SyntaxError as problem:
        text = f"\n    {problem.text.strip()}" if problem.text else ""
        raise PolicyError(
            f"{path}:{problem.lineno}: this policy file does not run: SyntaxError: {problem.msg}{text}"
        ) from None
    except Exception as problem:
        frames = own_frames(problem, path)
        where = f"{path}:{frames[-1].lineno}" if frames else str(path)
        raise PolicyError(
            f"{where}: this policy file does not run: {type(problem).__name__}: {problem}{in_words(frames)}"
        ) from None
    return module
