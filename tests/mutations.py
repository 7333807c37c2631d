"""Damaged files for the fuzz targets of all readers: a few hundred in `make test`, a minute of them in `make test-slow`."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

QUICK = 250
SECONDS = 60.0
FRAGMENTS = (
    b"", b"0", b"-1", b"1e400", b"nan", b"inf", b"9" * 40, b"1e-320", b"\x00", b"\xff\xfe", b"\xf0\x9f\x8e\xb2", b"{", b"}",
    b"(", b")", b"[", b"]", b";", b",", b"|", b'"', b"'", b"<", b">", b"</", b"&amp;", b"&#0;", b"]]>", b"<!--", b"/*",
    b"//", b"%", b"\\", b"\r\n", b"probability", b"variable", b"table", b"default", b"true", b"null", b"{}", b"[[[[[[[[",
    b"0.5 0.5", b"<x/>",
)  # fmt: skip


def mutated(original: bytes, rng: random.Random) -> bytes:
    """The bytes with one to four changes: replaced, inserted, removed, moved or repeated."""
    text = bytearray(original)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        at, length = rng.randrange(len(text) + 1), rng.choice((0, 1, 1, 2, 5, 20, 100))
        change = rng.randrange(6)
        if change == 0:
            text[at : at + length] = rng.choice(FRAGMENTS)
        elif change == 1:
            text[at:at] = rng.choice(FRAGMENTS)
        elif change == 2:
            del text[at : at + length]
        elif change == 3:
            part = text[at : at + length]
            text[at:at] = part * rng.choice((1, 2, 50))
        elif change == 4 and text:
            text[at % len(text)] = rng.randrange(256)
        else:
            part = bytes(text[at : at + length])
            del text[at : at + length]
            to = rng.randrange(len(text) + 1)
            text[to:to] = part
    return bytes(text)


def mutants(originals: Sequence[bytes], seed: int) -> Iterator[bytes]:
    rng = random.Random(seed)
    while True:
        yield mutated(rng.choice(originals), rng)


def try_some(path: Path, originals: Sequence[bytes], attempt: Callable[[Path], None], count: int = QUICK) -> None:
    """Write `count` damaged files to `path`, one after the other, the same ones every time, and try each of them."""
    for content, _ in zip(mutants(originals, seed=1), range(count), strict=False):
        path.write_bytes(content)
        attempt(path)


def try_for_a_minute(path: Path, originals: Sequence[bytes], attempt: Callable[[Path], None]) -> None:
    """The same for a minute, with other files every time; one that fails is printed, to make a test of it."""
    files, end = mutants(originals, seed=time.time_ns()), time.monotonic() + SECONDS
    while time.monotonic() < end:
        path.write_bytes(next(files))
        try:
            attempt(path)
        except Exception:
            print(path.read_bytes())
            raise
