"""An explorer that serves in a thread of the test."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from dconvex.explorer.explorer import Explorer
from dconvex.explorer.serving import address, listen, server
from dconvex.explorer.shelf import Shelf


@contextmanager
def served(explorer: Explorer | None, host: str = "127.0.0.1") -> Iterator[str]:
    """The address of its page, or of the start page; it believes that it serves on `host`."""
    with listen("127.0.0.1", 0) as listener:
        serving = server(Shelf(explorer), host)
        thread = threading.Thread(target=serving.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            yield address(listener)
        finally:
            serving.should_exit = True
            thread.join(10)
            assert not thread.is_alive()
