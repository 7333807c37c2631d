"""How much memory a question may take unless it says otherwise."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

NO_LIMIT = 1 << 48
"""More bytes than a process can address."""


def limit_of(max_bytes: float | None) -> int:
    """The byte limit: `max_bytes` if given, which may be infinite, else the default."""
    if max_bytes is None:
        return default_limit()
    try:
        return int(min(max_bytes, NO_LIMIT))
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"max_bytes must be a number of bytes, not {max_bytes!r}") from None


@cache
def default_limit() -> int:
    """Half of the smaller of physical memory and this process group's own limit, in bytes; read once."""
    return min(_physical_memory(), _group_limit()) // 2


def _physical_memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not on this system
        return 8 << 30


def _group_limit() -> int:
    for path in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            return int(Path(path).read_text())
        except (OSError, ValueError):  # absent, or "max"
            continue
    return 1 << 62
