"""The decorator `kernel`: Numba without the interpreter lock, kept in a cache folder of this installation's own.

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
        _say(f"compiling kernels on first use, once for this installation, into {folder}")
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
    if _FOLDER is None:
        return cast(Function, numba.njit(nogil=True)(function))
    config: Any = numba.config
    before, config.CACHE_DIR = config.CACHE_DIR, str(_FOLDER)  # read when the function is decorated
    try:
        return cast(Function, numba.njit(nogil=True, cache=True)(function))
    finally:
        config.CACHE_DIR = before
