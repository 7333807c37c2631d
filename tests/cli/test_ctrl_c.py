"""Ctrl-C at a command: exit code 130, no traceback, nothing half written. Processes are sent the signal."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

import dconvex as dc

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes are interrupted by signals")

WORKING = 3.0
"""Seconds, after which a process has most likely begun its work; what it does before must end as quietly."""
PATIENCE = 60.0
ROWS = b"yes,no,yes,no,no,yes,no,no\n" * 50_000
"""More than a pipe holds: when they are written, somebody is reading them."""


@contextmanager
def started(folder: Path, *words: str):
    """The command in a process of its own, with its own folder of temporary files."""
    temporary = folder / "temporary"
    temporary.mkdir()
    with subprocess.Popen(
        [sys.executable, "-m", "dconvex", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        env={**os.environ, "TMPDIR": str(temporary)},
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def wait_until_it_works(process: subprocess.Popen[bytes]) -> None:
    """On a busy machine it may take longer until the command line is there to hear the signal; then the core is loaded."""
    time.sleep(WORKING)
    maps = Path(f"/proc/{process.pid}/maps")
    deadline = time.monotonic() + PATIENCE
    while maps.exists() and "_core" not in maps.read_text() and time.monotonic() < deadline:
        time.sleep(0.1)


def end(process: subprocess.Popen[bytes]) -> None:
    """Send the signal and see how the process ends."""
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    process.wait(PATIENCE)
    assert (process.returncode, process.stdout.read(), process.stderr.read()) == (130, b"", b"")


@pytest.mark.parametrize(
    ("words", "target"),
    [
        (["fit", "asia", "-", "-o", "model.dcx"], "model.dcx"),
        (["predict", "asia", "-", "--target", "lung", "--out", "lung.csv"], "lung.csv"),
        (["predict", "asia", "-", "--target", "lung", "--out", "lung.csv.gz"], "lung.csv.gz"),
    ],
)
@pytest.mark.parametrize("old", [None, b"what was there"])
def test_while_rows_come_in(tmp_path, words, target, old):
    if old is not None:
        (tmp_path / target).write_bytes(old)
    with started(tmp_path, *words) as process:
        process.stdin.write(b",".join(name.encode() for name in dc.load_network("asia").dag.nodes) + b"\n")
        process.stdin.write(ROWS)
        end(process)
    written = {path.name: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert written == ({} if old is None else {target: old})
    assert list((tmp_path / "temporary").iterdir()) == []


@pytest.mark.parametrize(
    "words",
    [
        ["decompose", "link", "--effort", "100000000"],
        ["decompose", "link", "--effort", "100000000", "--plot", "link.svg"],
        ["fit", "asia", *(["rows.csv"] * 20_000), "-o", "model.dcx"],
        ["predict", "asia", "many.csv", "--target", "lung", "--out", "lung.csv"],
    ],
    ids=lambda words: " ".join(words)[:40],
)
def test_while_it_works(tmp_path, words):
    inputs = {"rows.csv": 2_000, "many.csv": 3_000_000}
    for name in set(words) & inputs.keys():
        header, newline, rows = dc.load_network("asia").sample(1_000, seed=1).to_csv(index=False).partition("\n")
        (tmp_path / name).write_text(header + newline + rows * (inputs[name] // 1_000))
    with started(tmp_path, *words) as process:
        wait_until_it_works(process)
        end(process)
    assert {path.name for path in tmp_path.rglob("*") if path.is_file()} <= inputs.keys()


def test_twice(tmp_path):
    """Whoever presses it again gets no traceback of the end either; the second signal may kill what is ending."""
    with started(tmp_path, "predict", "asia", "-", "--target", "lung") as process:
        process.stdin.write(b"smoke\n" + b"yes\n" * 300_000)
        for _ in range(3):
            process.send_signal(signal.SIGINT)
            time.sleep(0.02)
        process.wait(PATIENCE)
        assert process.returncode in (130, -signal.SIGINT)
        assert b"Traceback" not in process.stderr.read()
