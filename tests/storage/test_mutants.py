"""Changed files: each is refused, or answers what the numbers in it say. None crashes, hangs or misleads."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path

import pytest
from storage.mutants import mutant
from storage.subjects import write_subjects

TESTS = Path(__file__).parent.parent
SECONDS = 60
"""Much longer than any answer takes on a busy machine."""
MINUTE = 60.0


class Child:
    """A process that gives verdicts; if it does not answer, or ends, that is the verdict of the file at hand."""

    def __init__(self) -> None:
        paths = os.pathsep.join([str(TESTS), *filter(None, sys.path)])
        self.process = subprocess.Popen(
            [sys.executable, "-c", "from storage.verdicts import serve; serve()"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": paths},
        )  # fmt: skip
        self.lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()
        assert self._answer() == "ready"

    def _listen(self) -> None:
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put("")

    def _answer(self) -> str:
        try:
            line = self.lines.get(timeout=SECONDS)
        except queue.Empty:
            self.end()
            return "hangs"
        return json.loads(line) if line else f"crashes with {self.process.wait()}"

    def ask(self, path: Path) -> str:
        try:
            self.process.stdin.write(json.dumps(str(path)) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        return self._answer()

    @property
    def is_alive(self) -> bool:
        return self.process.poll() is None

    def end(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture(scope="module")
def subjects(tmp_path_factory):
    return write_subjects(tmp_path_factory.mktemp("subjects"))


def verdicts(jobs):
    """The verdict of each (path, description)."""
    child = Child()
    try:
        for path, said in jobs:
            if not child.is_alive:
                child.end()
                child = Child()
            yield path, said, child.ask(path)
    finally:
        child.end()


def during(seconds: float, numbers: Iterable[int]) -> Iterator[int]:
    """Numbers until the time is over."""
    end = time.monotonic() + seconds
    for number in numbers:
        if time.monotonic() > end:
            return
        yield number


def check(subjects, folder, seeds):
    def jobs():
        for seed in seeds:
            subject = subjects[seed % len(subjects)]
            content, said = mutant(subject, seed)
            path = folder / f"{seed}_{subject.name}"
            path.write_bytes(content)
            yield path, f"{subject.name}, seed {seed}: {said}"
            path.unlink()

    found = Counter()
    wrong = []
    for _, said, answer in verdicts(jobs()):
        found[answer if answer in ("refused", "answered", "limited") else "wrong"] += 1
        if answer not in ("refused", "answered", "limited"):
            wrong.append(f"{said}\n    {answer}")
    print(dict(found))
    assert not wrong, f"{len(wrong)} of {sum(found.values())}:\n" + "\n".join(wrong[:40])
    assert found["answered"] > 0.02 * sum(found.values())  # else the changes are too coarse to show anything


def test_files_as_they_are_answer(subjects):
    wrong = [(path.name, answer) for path, _, answer in verdicts((path, "") for path in subjects) if answer != "answered"]
    assert not wrong


def test_mutants(subjects, tmp_path):
    check(subjects, tmp_path, range(300))


@pytest.mark.slow
def test_many_mutants(subjects, tmp_path):
    check(subjects, tmp_path, range(300, 5300))


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".dcx", ".dcs"], ids=["models", "statistics"])
def test_a_minute_of_mutants(subjects, tmp_path, suffix):
    """Other ones in each run; what is wrong is reported with its seed."""
    own = [path for path in subjects if path.suffix == suffix]
    check(own, tmp_path, during(MINUTE, count(time.time_ns())))
