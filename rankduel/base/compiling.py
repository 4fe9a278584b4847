"""Compile kernels, and store their machine code on disk.

A kernel called by compiled code is only lowered to LLVM: a fragment of its caller. A function called by
Python is an entry: it links the fragments it reaches, is optimised once, and is stored on disk
(rankduel/base/code_cache.py). Its key is a digest of everything that its machine code depends on
(rankduel/base/reached.py). So no stale code can run, editing one policy compiles only that policy
again, and moving or reinstalling the package compiles nothing.

Everything that is private to Numba is used in this module only. If a part of it is missing, `kernel` and
`entry` are plain `numba.njit`: the results are the same, but compiling is slower and nothing is stored.

Kernels may not use comprehensions, inner functions, `literal_unroll` or `objmode`, which need Numba's whole
pipeline (`numba.njit`).
"""

from __future__ import annotations

import contextlib
import functools
import gc
import hashlib
import logging
import os
import pickle
import signal
import sys
import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import llvmlite
import numba
import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.core.errors import NumbaError, TypingError
from numba.extending import lower_builtin, type_callable

from rankduel.base import code_cache, reached
from rankduel.base.cache_folders import code_folder
from rankduel.base.errors import PolicyNotice
from rankduel.base.reached import NotCacheable, digest_of, function_digest

Compiled = Any  # a function that Numba compiles; Numba's own annotations are incomplete

_SETTINGS = ("OPT", "BOUNDSCHECK", "LOOP_VECTORIZE", "SLP_VECTORIZE", "ENABLE_AVX", "DEBUGINFO_DEFAULT")

_log = logging.getLogger("rankduel.compiling")
_announced: list[str] = []  # functions that `compile_side_by_side` compiles now and has logged

_FIELD_TYPES = ((bool, np.bool_), ((int, np.integer), np.int64), (float, np.float64))


def record(values: NamedTuple) -> np.recarray:
    """Return an aligned record array of shape (1,) with the fields of a NamedTuple: int, float or bool.

    `now = records[0]` is a view, compiled or not: `now.field += 1` writes into the record. Field names that
    are attributes of `np.record` raise an error, since plain Python would return the attribute.
    """
    taken = [name for name in values._fields if hasattr(np.record, name)]
    if taken:
        raise ValueError(
            f"field '{taken[0]}' is an attribute of NumPy's records; choose another name for the field"
        )
    kinds = [next(kind for base, kind in _FIELD_TYPES if isinstance(value, base)) for value in values]
    dtype = np.dtype(list(zip(values._fields, kinds)), align=True)
    return np.array([tuple(values)], dtype).view(np.recarray)


@functools.cache
def _versions() -> str:
    """Return a digest of the versions of all code that takes part in compiling a function."""
    modules = (__file__, reached.__file__, code_cache.__file__)
    sources = b"".join(Path(str(file)).read_bytes() for file in modules)
    versions = (numba.__version__, llvmlite.__version__, np.__version__, sys.version)
    return hashlib.sha256(repr(versions).encode() + sources).hexdigest()


@contextlib.contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """Disable garbage collection: compiling makes many objects and hardly any garbage."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@functools.cache
def _load_array_functions() -> None:
    """Import Numba's array functions without SciPy's linear algebra.

    Few kernels need SciPy, and importing it takes as long as importing NumPy. Numba imports it later if a
    kernel does.
    """
    from numba.np import linalg

    look = getattr(linalg, "ensure_blas", None)
    if look is None:
        return
    linalg.ensure_blas = lambda: None
    try:
        import numba.np.arraymath  # noqa: F401
    finally:
        linalg.ensure_blas = look


try:
    from numba import _dynfunc  # type: ignore[attr-defined]
    from numba.core import config, serialize, sigutils
    from numba.core import typed_passes as typed
    from numba.core import untyped_passes as untyped
    from numba.core.caching import _Cache
    from numba.core.codegen import JITCodeLibrary
    from numba.core.compiler import CompilerBase, CompileResult, Flags
    from numba.core.compiler_machinery import PassManager
    from numba.core.environment import lookup_environment
    from numba.core.errors import UnsupportedError
    from numba.core.registry import CPUDispatcher

    # The passes of Numba's pipeline that kernels need.
    _PASSES = (
        untyped.TranslateByteCode,
        untyped.FixupArgs,
        untyped.IRProcessing,
        untyped.RewriteSemanticConstants,
        untyped.DeadBranchPrune,
        untyped.GenericRewrites,
        untyped.ReconstructSSA,
        typed.NopythonTypeInference,
        typed.PreLowerStripPhis,
        typed.NoPythonSupportedFeatureValidation,
        typed.IRLegalization,
        typed.AnnotateTypes,
        typed.NativeLowering,
        typed.NoPythonBackend,
    )

    class _Flags(Flags):
        """Options of a compilation with a fast comparison: Numba compares them 40,000 times for DTS."""

        __slots__ = ()
        _HASH = hash(Flags())

        def __hash__(self) -> int:
            return self._HASH

        def __eq__(self, other: object) -> bool:
            if isinstance(other, _Flags) and self._values == other._values:
                return True
            return bool(super().__eq__(other))

    def _without_literals(args: Any, kws: Any) -> tuple[Any, Any]:
        """Replace types of literal numbers, for each of which Numba would compile a kernel again."""
        plain = tuple(types.unliteral(one) for one in args)
        return plain, {name: types.unliteral(one) for name, one in dict(kws).items()}

    def _use_flags(dispatcher: Any) -> Any:
        dispatcher._compiler._customize_flags = _Flags
        return dispatcher

    class _Unoptimised(JITCodeLibrary):
        def _optimize_functions(self, ll_module: Any) -> None:
            ll_module.data_layout = self._codegen._data_layout

    class _Fragment(_Unoptimised):
        """LLVM code that callers link and that is not turned into machine code by itself."""

        def finalize(self) -> None:
            self._raise_if_finalized()
            variables = self._final_module.global_variables
            if any(one.name.startswith(".numba.unresolved$") for one in variables):
                raise UnsupportedError("kernels may call themselves, but not each other in a circle")
            self._linking_libraries = list(dict.fromkeys(self._linking_libraries))
            for library in self._linking_libraries:
                self._reload_init.update(library._reload_init)
            self._finalize_dynamic_globals()
            self._finalized = True

    class _Entry(_Unoptimised):
        """Machine code that Python calls, with the fragments it needs."""

        counts_references = True

        def _optimize_final_module(self) -> None:
            # Machine code is linked by name, and one name may mean different functions in two processes.
            # Private functions are not found by name; "internal" ones still are.
            for function in self._final_module.functions:
                if not function.is_declaration and function.linkage.name == "linkonce_odr":
                    function.linkage = "private"
            if self.counts_references:
                super()._optimize_final_module()
            else:  # Numba's first round of passes only removes pairs of reference counts
                passes, builder = self._codegen._module_pass_manager()
                passes.run(self._final_module, builder)

        def _finalize_specific(self) -> None:
            super()._finalize_specific()
            # Environments of fragments that make Python objects.
            for variable in self._final_module.global_variables:
                environment = lookup_environment(variable.name)
                if environment is not None:
                    codegen: Any = self._codegen
                    codegen.set_env(variable.name, environment)

    class _EntryCompiler(CompilerBase):
        library: Any = _Entry

        def define_pipelines(self) -> list[Any]:
            manager = PassManager("kernel")
            for one in _PASSES:
                manager.add_pass(one, one.__name__)
            manager.finalize()
            return [manager]

        def _compile_core(self) -> Any:
            state, identity = self.state, self.state.func_id
            with contextlib.suppress(NotCacheable):  # a name that is unique across processes
                identity.unique_id = function_digest(identity.func)
            state.library = self.library(state.targetctx.codegen(), identity.func_qualname)
            state.library.enable_object_caching()
            state.library.counts_references = state.flags.nrt
            try:
                return super()._compile_core()
            except KeyError as problem:
                raise TypingError(
                    f"{identity.modname}.{identity.func_qualname}: a record has no field {problem}"
                ) from None

    class _FragmentCompiler(_EntryCompiler):
        library = _Fragment

        def _compile_core(self) -> Any:
            self.state.flags.no_compile = True
            result = super()._compile_core()
            result.library.finalize()
            where, name = result.fndesc.lookup_module(), result.fndesc.qualname.split(".")[-1]
            handle = _dynfunc.make_function(where, name, "", 0, result.environment, (result.library,))
            libraries = [result.library, *result.library._linking_libraries]
            self.state.targetctx.insert_user_function(handle, result.fndesc, libraries)
            return result._replace(entry_point=handle)

    class _Kernel(CPUDispatcher):
        """A function that is an entry when Python calls it and a fragment when compiled code calls it."""

        def __init__(
            self,
            py_func: Any,
            locals: Any = None,
            targetoptions: Any = None,
            pipeline_class: Any = _EntryCompiler,
        ) -> None:
            options = {"nopython": True, "no_cfunc_wrapper": True, **(targetoptions or {})}
            super().__init__(py_func, locals, options, pipeline_class)
            _use_flags(self)
            self._cache = _DiskCache(self)

        @functools.cached_property
        def fragment(self) -> Any:
            options = {**self.targetoptions, "no_cpython_wrapper": True}
            return _use_flags(CPUDispatcher(self.py_func, self.locals, options, _FragmentCompiler))

        def get_call_template(self, args: Any, kws: Any) -> Any:
            return self.fragment.get_call_template(*_without_literals(args, kws))

        def get_overload(self, sig: Any) -> Any:
            return self.fragment.get_overload(sig)

        @property
        def is_compiling(self) -> Any:
            return self._compiling_counter or self.fragment.is_compiling

        def compile(self, sig: Any) -> Any:
            with _no_garbage_collection():
                return super().compile(sig)

        @property
        def label(self) -> str:
            """Name in log messages: the name given by `labelled`, or module and function."""
            given: str = getattr(self, "given_label", "")
            return given or f"{self.py_func.__module__.rpartition('.')[2]}.{self.py_func.__name__}"

        def is_ready(self, arguments: Sequence[Any]) -> bool:
            """Return whether a call with these arguments compiles nothing."""
            signature = self.signature_of(arguments)
            return signature in self.overloads or self._cache.has(signature, self.targetctx)

        def signature_of(self, arguments: Sequence[Any]) -> tuple[Any, ...]:
            return tuple(self.typeof_pyval(argument) for argument in arguments)

    class _Apart(_Kernel):
        """A kernel that is compiled and stored by itself, and linked into its callers."""

        def get_call_template(self, args: Any, kws: Any) -> Any:
            return CPUDispatcher.get_call_template(self, *_without_literals(args, kws))

        def get_overload(self, sig: Any) -> Any:
            return CPUDispatcher.get_overload(self, sig)

        @property
        def is_compiling(self) -> Any:
            return self._compiling_counter

    def _packed(compiled: Any) -> list[bytes]:
        """Return what is stored of a function: object code, bitcode, and a pickle of its description.

        The description has Numba's types of arguments and results, constants of the function and named
        tuples, for which Numba has no other format than pickle. Loading it is as safe as calling the object
        code beside it, and rests on the same checks of `code_cache.read_code`.
        """
        (name, kind, (code, bitcode)), *described = compiled._reduce()
        return [code, bitcode, serialize.dumps((name, kind, described))]

    def _unpacked(stored: list[bytes], target_context: Any) -> Any:
        code, bitcode, description = stored
        name, kind, described = pickle.loads(description)
        return CompileResult._rebuild(target_context, (name, kind, (code, bitcode)), *described)

    class _DiskCache(_Cache):
        """Machine code of a function on disk, one file per key."""

        def __init__(self, function: Any) -> None:
            self.function = weakref.proxy(function)

        @property
        def cache_path(self) -> str:
            return str(code_folder())

        def path(self, sig: Any, codegen: Any) -> Path:
            python = self.function.py_func
            settings = [getattr(config, name, None) for name in _SETTINGS]
            options = sorted(self.function.targetoptions.items())
            arguments = digest_of(*sigutils.normalize_signature(sig)[0])
            key = (function_digest(python), options, arguments, _versions(), settings, codegen.magic_tuple())
            return code_cache.code_path(python.__name__, key)

        def has(self, sig: Any, target_context: Any) -> bool:
            try:
                return self.path(sig, target_context.codegen()).is_file()
            except NotCacheable:
                return False

        def load_overload(self, sig: Any, target_context: Any) -> Any:
            found = self._load(sig, target_context)
            if found is None and not _announced:
                level = logging.INFO if hasattr(self.function, "given_label") else logging.DEBUG
                _log.log(level, "compiling %s; once per installation", self.function.label)
            return found

        def _load(self, sig: Any, target_context: Any) -> Any:
            _load_array_functions()
            target_context.refresh()
            # A file that cannot be read, or that pickles a class which no longer exists, is compiled again.
            with contextlib.suppress(NotCacheable, OSError, ImportError, AttributeError):
                stored = code_cache.read_code(self.path(sig, target_context.codegen()))
                if stored is not None:
                    result = _unpacked(stored, target_context)
                    if result.signature.args == tuple(sigutils.normalize_signature(sig)[0]):
                        return result  # otherwise a class of the arguments was defined again
            return None

        def save_overload(self, sig: Any, data: Any) -> None:
            if data.library.has_dynamic_globals or any(not one.can_cache for one in data.lifted):
                return
            with contextlib.suppress(NotCacheable, OSError):  # then every process compiles it again
                code_cache.write_code(self.path(sig, data.codegen), _packed(data))

        def enable(self) -> None:
            pass

        disable = flush = enable

    MISSING = ""
except (ImportError, AttributeError, TypeError) as problem:
    MISSING = str(problem)  # then Numba's ordinary pipeline compiles everything


def _decorator(is_apart: bool = False, **options: Any) -> Any:
    def decorate(function: Any) -> Compiled:
        if MISSING or numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
            plain: Any = njit(**options)
            return plain(function)
        made = _Apart if is_apart else _Kernel
        return made(function, {}, dict(options))

    return decorate


# For functions that allocate nothing: without reference counting, which costs about 5 ns per array and call.
kernel = _decorator(_nrt=False)
# Copied into every caller. Otherwise a kernel with two callers receives all arrays of the state on the stack,
# which made Sparring 25% slower.
inlined = _decorator(_nrt=False, forceinline=True)
# For functions that take long to compile: compiled once for all callers, not as a fragment of each.
apart = _decorator(is_apart=True, _nrt=False)
# For functions that Python calls in threads: without the interpreter's lock. A `loop` allocates nothing.
entry = _decorator(nogil=True)
loop = _decorator(nogil=True, _nrt=False)


def prefetch(array: np.ndarray, index: int) -> None:
    """Start loading element `index` of `array.ravel()` into the processor's caches, without waiting.

    `array` must be contiguous. In plain Python the function does nothing. Any index is allowed, since no
    value is read.
    """


@type_callable(prefetch)
def _type_prefetch(context: Any) -> Any:
    return lambda array, index: types.none


def _lower_prefetch(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    index = context.cast(builder, arguments[1], signature.args[1], types.int64)
    byte = ir.IntType(8).as_pointer()
    number = ir.IntType(32)
    kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
    function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
    address = builder.bitcast(builder.gep(array.data, [index]), byte)
    # 0: for reading; 3: into all caches; 1: data, not code
    builder.call(function, [address, number(0), number(3), number(1)])
    return context.get_dummy_value()


lower_builtin(prefetch, types.Array, types.Integer)(_lower_prefetch)


def is_compiled(function: Any) -> bool:
    """Return whether a function is one that Numba compiles."""
    return hasattr(function, "py_func")


def may_allocate(functions: Iterable[Any]) -> bool:
    """Return whether one of the functions counts references, so that its callers must count them too."""
    return any(function.targetoptions.get("_nrt", True) for function in functions if is_compiled(function))


def python_version(function: Any) -> Any:
    """Return the plain Python function of a kernel; other functions are returned as they are."""
    return getattr(function, "py_func", function)


def labelled(function: Any, label: str) -> Any:
    """Set the name of a compiled function in log messages, and return the function."""
    function.given_label = label
    return function


class Call(NamedTuple):
    """A compiled function and the arguments of a call."""

    function: Compiled
    arguments: tuple[Any, ...]

    @property
    def is_ready(self) -> bool:
        """Whether the call compiles nothing."""
        return not hasattr(self.function, "is_ready") or self.function.is_ready(self.arguments)

    def compile(self) -> None:
        self.function.compile(self.function.signature_of(self.arguments))


def compile_side_by_side(calls: Sequence[Call], processes: int) -> None:
    """Compile the functions of these calls that are not on disk, in up to `processes` processes.

    Every function is logged to ``rankduel.compiling`` at level INFO. Numba compiles one function at a time
    per process. Forked processes need no copies of the arguments, and store their results on disk. Without
    `fork`, the functions are compiled one after the other.
    """
    new = [call for call in calls if not call.is_ready]
    for n, call in enumerate(new, 1):
        _log.info("compiling %s, %d of %d; once per installation", call.function.label, n, len(new))
        _announced.append(call.function.label)
        try:
            if len(new) == 1 or processes == 1 or sys.platform != "linux":
                call.compile()
            else:
                _start(call, processes)
        finally:
            _announced.pop()
    while _children:
        _wait_for_one()


_children: list[int] = []
_TIME_LIMIT = 600  # seconds per compiling process


def _start(call: Call, processes: int) -> None:
    """Compile in a new process as soon as fewer than `processes` are running."""
    while len(_children) >= processes:
        _wait_for_one()
    with warnings.catch_warnings():
        # Python warns of forks in a process with threads; here no other thread compiles.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child:
        _children.append(child)
        return
    status = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.alarm(_TIME_LIMIT)
        call.compile()
        status = 0
    finally:
        os._exit(status)  # a failure is reported by the process that needs the function


def _wait_for_one() -> None:
    """Wait for the process that was started first, and for no process that others started."""
    os.waitpid(_children.pop(0), 0)


def compiled_or_plain(compiled: Callable[..., Any], plain: Callable[..., Any], name: str) -> Compiled:
    """Return a function that calls `compiled`, or `plain` if Numba cannot compile it.

    In that case a `PolicyNotice` names `name`.
    """
    usable = [compiled, plain]

    def call(*arguments: Any) -> Any:
        try:
            return usable[0](*arguments)
        except NumbaError as problem:
            lines = [line for line in str(problem).splitlines() if line and not line.startswith("Failed in")]
            notice_plain(name, f"Numba could not compile it ({lines[0] if lines else problem})")
            usable[0] = plain
            return plain(*arguments)

    return call


def notice_plain(name: str, reason: str) -> None:
    """Warn that `name` runs as plain Python."""
    warnings.warn(f"{name}: {reason}, so it runs as plain Python, slowly", PolicyNotice, stacklevel=3)
