"""Values with a file: their methods `save` and `load`, which find the storage when they are called.

Saving and opening are in `dconvex.storage`, a layer above all values. `dconvex` hands it down to them by `save_with`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class Storage(Protocol):
    """The package that saves and opens values, `dconvex.storage`."""

    def save_model(self, model: object, path: Path, *, statistics: bool) -> None: ...
    def save_statistics(self, statistics: object, path: Path) -> None: ...
    def load_statistics(self, path: Path) -> object: ...


_find_storage: Callable[[], Storage] | None = None


def save_with(find_storage: Callable[[], Storage]) -> None:
    """Set the function that finds the storage; it is called when a value is saved or loaded."""
    global _find_storage
    _find_storage = find_storage


def storage() -> Storage:
    """The storage."""
    if _find_storage is None:
        raise RuntimeError("no storage is set; import dconvex to set it")
    return _find_storage()
