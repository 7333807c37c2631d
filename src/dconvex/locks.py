"""A lock that a forked process can use, whoever held it when the process forked."""

from __future__ import annotations

import os
import threading
from types import TracebackType
from weakref import WeakSet


class Lock:
    """A mutual exclusion lock for `with`. In a forked child it is new, and so is a copy of it or one that was pickled.

    Another thread that held it does not exist in the child, so it would never be released. What it guards must be sound at
    every moment, since that thread may have been anywhere.
    """

    __slots__ = ("__weakref__", "_lock")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        _LOCKS.add(self)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._lock.release()

    def __reduce__(self) -> tuple[object, ...]:
        return Lock, ()

    def _renew(self) -> None:
        self._lock = threading.Lock()


_LOCKS: WeakSet[Lock] = WeakSet()


def _renew_all() -> None:
    for lock in list(_LOCKS):
        lock._renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_all)
