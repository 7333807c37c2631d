"""The decorators of kernels and their parts: Numba without the interpreter lock, kept in this installation's own cache folder.

Kernels hold no comprehensions: with one in a function, Numba 0.68 loses what is written to the arrays of a named tuple.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core.compiler import CompilerBase, DefaultPassBuilder

Function = TypeVar("Function", bound=Callable[..., object])


def cache_folder() -> Path | None:
    """Where compiled kernels are kept, or None where nothing can be written; `DCONVEX_CACHE` overrides the place."""
    folder = _user_cache() / f"kernels-{_fingerprint()}"
    is_new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError:
        _say("no cache folder can be written (set DCONVEX_CACHE); kernels are compiled anew in each process")
        return None
    if is_new:
        _say(f"compiling kernels on first use (a minute or two in all), once for this installation, into {folder}")
    return folder


def _user_cache() -> Path:
    if chosen := os.environ.get("DCONVEX_CACHE"):
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "dconvex" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "dconvex"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "dconvex"


def _fingerprint() -> str:
    """A hash of all kernel sources and of what compiles them."""
    digest = hashlib.sha256(f"{numba.__version__} {sys.version_info[:2]}".encode())
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def _say(what: str) -> None:
    print(f"dconvex: {what}", file=sys.stderr)


_FOLDER = cache_folder()


def kernel(function: Function) -> Function:
    """Compile `function` when it is first called, or take it from the cache."""
    return _compiled(function)


def part(function: Function) -> Function:
    """A function that only kernels call: it becomes part of theirs, and no machine code is made of it alone.

    Left to itself, Numba optimises every function for itself and then once more in each that calls it, which takes four
    times as long.
    """
    return _part(function)


def bare_kernel(function: Function) -> Function:
    """A kernel that counts no references to arrays: it makes none, but takes pieces of a `Room`, and returns none."""
    return _compiled(function, _nrt=False)


def bare_part(function: Function) -> Function:
    """A part of bare kernels; it may return arrays in a tuple."""
    return _part(function, _nrt=False, forceinline=True)


def inlined(function: Function) -> Function:
    """A part of bare kernels that returns one array; Numba allows that only where it is written out by the caller."""
    return _part(function, _nrt=False, inline="always")


def _compiled(function: Function, **options: Any) -> Function:
    config: Any = numba.config
    before, config.CACHE_DIR = config.CACHE_DIR, str(_FOLDER)  # read when the function is decorated
    try:
        return cast(Function, numba.njit(nogil=True, cache=_FOLDER is not None, **options)(function))
    finally:
        config.CACHE_DIR = before


def _part(function: Function, **options: Any) -> Function:
    options |= {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "pipeline_class": _PartCompiler}
    return cast(Function, numba.njit(nogil=True, **options)(function))


class _PartCompiler(CompilerBase):
    """Numba's usual passes, without optimising the result and making machine code of it."""

    def define_pipelines(self) -> list[Any]:
        state: Any = self.state
        state.flags.no_compile = True
        state.library = state.targetctx.codegen().create_library(state.func_id.func_qualname)
        state.library.enable_object_caching()
        state.library._optimize_final_module = _leave_as_it_is
        state.library._finalize_specific = _leave_as_it_is
        return [DefaultPassBuilder.define_nopython_pipeline(state)]

    def _compile_core(self) -> Any:
        result: Any = super()._compile_core()
        entry = {}.clear  # Numba tells compiled functions apart by their entry points, which must be built-in ones
        self.state.targetctx.insert_user_function(entry, result.fndesc, [result.library])
        return result._replace(entry_point=entry)


def _leave_as_it_is() -> None:
    pass
