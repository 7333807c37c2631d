"""Amounts for people to read."""

from __future__ import annotations


def amount(count: int, one: str, many: str | None = None) -> str:
    """How many there are of something; `many` where an s does not do.

    >>> amount(1, "cluster"), amount(1041, "cluster"), amount(2, "family", "families")
    ('1 cluster', '1,041 clusters', '2 families')
    """
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"


def readable_bytes(count: float) -> str:
    """`1.5 GiB`."""
    if count > 1 << 100:
        return "more than any machine has"
    for unit in ("bytes", "KiB", "MiB", "GiB", "TiB"):
        if count < 1024:
            return f"{count:.0f} {unit}" if unit == "bytes" else f"{count:.1f} {unit}"
        count /= 1024
    return f"{count:.3g} PiB"


def readable_seconds(count: float) -> str:
    """`3 hours`."""
    for unit, seconds in (("second", 60.0), ("minute", 60.0), ("hour", 24.0), ("day", 365.0)):
        if round(count) < seconds:
            return amount(max(round(count), 1), unit)
        count /= seconds
    return amount(round(count), "year") if count < 1e6 else "more than a million years"
