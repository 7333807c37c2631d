"""The command line as a user gets it, in the process of the tests."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from dconvex.cli import main


@dataclass(frozen=True)
class Ended:
    """What a command printed and its exit code."""

    code: int
    stdout: str
    stderr: str


@pytest.fixture
def dconvex(monkeypatch, capsys) -> Callable[..., Ended]:
    def run(*words: object) -> Ended:
        monkeypatch.setattr(sys, "argv", ["dconvex", *map(str, words)])
        before = signal.getsignal(signal.SIGINT)
        with pytest.raises(SystemExit) as ended:
            main()
        signal.signal(signal.SIGINT, before)  # what it changed for the end of its own process
        return Ended(ended.value.code or 0, *capsys.readouterr())

    return run
