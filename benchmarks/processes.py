"""The same work in two processes at once: what two cores can gain at most."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import TypeAlias

Work: TypeAlias = Callable[[], object]


def in_two_processes(make: Callable[[], Work]) -> Work:
    """Two processes that each make the work and then wait; what is returned has both of them do all of it.

    Args:
        make: Prepares the work; a function of a module, or a `partial` of one.
    """
    pipes = [_started(make) for _ in range(2)]

    def both() -> None:
        for pipe in pipes:
            pipe.send(True)
        for pipe in pipes:
            pipe.recv()

    return both


def _started(make: Callable[[], Work]) -> Connection:
    """A process that does the work whenever it is sent something; it ends with the pipe."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    context.Process(target=_serve, args=(theirs, make), daemon=True).start()
    theirs.close()
    return ours


def _serve(pipe: Connection, make: Callable[[], Work]) -> None:
    work = make()
    while True:
        try:
            pipe.recv()
        except EOFError:
            return
        work()
        pipe.send(None)
