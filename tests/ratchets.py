"""Rules of the code base that ruff does not check; `make lint` runs this.

    private names     a module imports no private name of another module
    parameters        a function takes at most 8 positional parameters; this includes kernels,
                      which take no keywords
    return types      every function that is not jitted has a return annotation
    tuple assignment  no `a, b = f(), g()`: two calls are two lines

A line that ends in `# ratchet: RULE, REASON` is not checked.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("rankduel", "letor_data", "clickmodels", "interleave", "bandits", "experiments")
MOST_POSITIONAL = 8
JITTED = {"njit", "kernel", "inlined", "apart", "entry", "loop", "as_kernel", "as_loop"}
Found = tuple[int, str, str]  # line, rule, what


def problems_in(source: str) -> list[Found]:
    """Return the places in the text of a module that break a rule."""
    lines, found = source.splitlines(), []
    for line, rule, what in _all_problems(ast.parse(source)):
        if f"# ratchet: {rule}, " not in lines[line - 1]:
            found.append((line, rule, what))
    return sorted(found)


def _all_problems(tree: ast.Module) -> Iterator[Found]:
    compiled = _names_of_compiled(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield from _private_imports(node)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from _signature(node, compiled)
        elif isinstance(node, ast.Assign):
            yield from _tuple_assignment(node)


def _private_imports(node: ast.ImportFrom) -> Iterator[Found]:
    if (node.module or "").partition(".")[0] == "rankduel":
        for alias in node.names:
            if alias.name.startswith("_"):
                yield node.lineno, "private names", f"imports {alias.name} of {node.module}"


def _signature(node: ast.FunctionDef | ast.AsyncFunctionDef, compiled: set[str]) -> Iterator[Found]:
    parameters = [*node.args.posonlyargs, *node.args.args]
    n_positional = len(parameters) - (parameters[:1] != [] and parameters[0].arg in ("self", "cls"))
    if n_positional > MOST_POSITIONAL:
        yield node.lineno, "parameters", f"{node.name} takes {n_positional} positional parameters"
    if node.returns is None and node.name not in compiled and not _is_jitted(node):
        yield node.lineno, "return types", f"{node.name} does not say what it returns"


def _is_jitted(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(_decorator_name(decorator) in JITTED for decorator in node.decorator_list)


def _decorator_name(decorator: ast.expr) -> str:
    """Return `njit` for @njit, @njit(nogil=True) and @(entry if ... else kernel)."""
    if isinstance(decorator, ast.Call):
        return _decorator_name(decorator.func)
    if isinstance(decorator, ast.IfExp):
        return _decorator_name(decorator.body)
    return decorator.id if isinstance(decorator, ast.Name) else ""


def _names_of_compiled(tree: ast.Module) -> set[str]:
    """Return functions without annotations: arguments of `kernel(select)`, and functions of policies."""
    calls = [
        node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    ]
    given = [call.args[0] for call in calls if call.func.id in JITTED and call.args]  # type: ignore[attr-defined]
    return {"init", "needs_horizon"} | {argument.id for argument in given if isinstance(argument, ast.Name)}


def _tuple_assignment(node: ast.Assign) -> Iterator[Found]:
    if isinstance(node.value, ast.Tuple) and isinstance(node.targets[0], ast.Tuple):
        if sum(isinstance(value, ast.Call) for value in node.value.elts) > 1:
            yield node.lineno, "tuple assignment", ast.unparse(node)[:80]


def main() -> int:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {rule}: {what}"
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
        for line, rule, what in problems_in(path.read_text(encoding="utf-8"))
    ]
    print("\n".join(found) if found else "all rules hold")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
