"""Sizes as they are typed: `2GB`, `512MiB`, `1e9`."""

from __future__ import annotations

import re

import typer

UNITS = {"": 1, "b": 1} | {
    f"{letter}{ending}": base**power
    for power, letter in enumerate("kmgt", 1)
    for ending, base in (("", 1000), ("b", 1000), ("ib", 1024))
}


def read_bytes(text: str) -> int:
    """The number of bytes.

    >>> read_bytes("2GB"), read_bytes("1.5 KiB"), read_bytes("100")
    (2000000000, 1536, 100)
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d*)?(?:e\d+)?)\s*([a-z]*)\s*", text.lower())
    if found is None or found[2] not in UNITS:
        raise typer.BadParameter(f"{text!r} is not a size; sizes are written like 500MB, 2GB or 1.5GiB")
    return int(float(found[1]) * UNITS[found[2]])
