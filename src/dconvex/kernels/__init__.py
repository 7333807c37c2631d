"""Hot loops: small Numba functions over plain arrays, compiled on first use and kept.

Nothing here is imported before it is needed; the rest of the library reaches a module of kernels through `load`. Numba's
own cache notices a change of a function's file but not of the other files it calls, so the cache folder is named after a
hash of all kernel sources.
"""

from __future__ import annotations

import importlib
from functools import cache
from types import ModuleType


@cache
def load(name: str) -> ModuleType:
    """The module `dconvex.kernels.<name>`, with its kernels ready to be compiled or taken from the cache."""
    return importlib.import_module(f"dconvex.kernels.{name}")
