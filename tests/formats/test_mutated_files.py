"""Files in every format with something changed in them: each gives a network or a `FormatError`, and never anything else.

What is read is written again and must come back the same. A few hundred files of each format in `make test`, a minute of
them in `make test-slow`.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator

import pytest

import dconvex as dc

SEEDS = {
    "asia": dc.load_network("asia"),
    "survey": dc.load_network("survey"),
    "numbered": dc.random_network(dc.random_dag(5, 6, seed=3), states=3, seed=3),
    "alone": dc.random_network(dc.Dag([], ["a"]), states=2, seed=1),
}
GAUSSIAN = dc.random_gaussian_network([("x", "y"), ("y", "z")], seed=1)
SUFFIXES = (".bif", ".xmlbif", ".net", ".uai", ".xdsl", ".json", ".json.gz")
QUICK = 250
SECONDS = 60.0
FRAGMENTS = (
    b"", b"0", b"-1", b"1e400", b"nan", b"inf", b"9" * 40, b"1e-320", b"\x00", b"\xff\xfe", b"\xf0\x9f\x8e\xb2", b"{", b"}",
    b"(", b")", b"[", b"]", b";", b",", b"|", b'"', b"'", b"<", b">", b"</", b"&amp;", b"&#0;", b"]]>", b"<!--", b"/*",
    b"//", b"%", b"\\", b"\r\n", b"probability", b"variable", b"table", b"default", b"true", b"null", b"{}", b"[[[[[[[[",
    b"0.5 0.5", b"<x/>",
)  # fmt: skip


def originals(folder, suffix: str) -> list[bytes]:
    """A few networks as we write them in a format."""
    found = []
    for name, network in [*SEEDS.items(), *([("gaussian", GAUSSIAN)] if "json" in suffix else [])]:
        path = folder / f"{name}{suffix}"
        dc.write(network, path, rename=True)
        found.append(path.read_bytes())
    return found


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


def try_file(path, suffix: str) -> None:
    """Read what may be a network; what is one is written and read again."""
    try:
        network = dc.read(path)
    except dc.FormatError as error:
        assert str(path.name) in str(error)
        return
    again = path.with_name(f"again{suffix}")
    dc.write(network, again, rename=True)
    assert len(dc.read(again)) == len(network)


def mutants(folder, suffix: str, seed: int) -> Iterator[bytes]:
    rng, sources = random.Random(seed), originals(folder, suffix)
    while True:
        yield mutated(rng.choice(sources), rng)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_changed_file_is_a_network_or_an_error_of_ours(tmp_path, suffix):
    files = mutants(tmp_path, suffix, seed=1)
    for _ in range(QUICK):
        path = tmp_path / f"mutant{suffix}"
        path.write_bytes(next(files))
        try_file(path, suffix)


@pytest.mark.slow
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_minute_of_changed_files(tmp_path, suffix):
    files, end = mutants(tmp_path, suffix, seed=time.time_ns()), time.monotonic() + SECONDS
    while time.monotonic() < end:
        path = tmp_path / f"mutant{suffix}"
        path.write_bytes(next(files))
        try:
            try_file(path, suffix)
        except Exception:
            print(path.read_bytes())  # what pytest shows is enough to make a test of it
            raise
