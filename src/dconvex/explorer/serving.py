"""The port and the browser; Ctrl-C ends."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import sys
import webbrowser
from importlib.util import find_spec
from typing import TYPE_CHECKING

from dconvex.errors import DconvexError
from dconvex.explorer.shelf import Shelf

if TYPE_CHECKING:
    import uvicorn


def need_extra() -> None:
    """Raise an error that says how to install what the explorer needs if it is missing."""
    if any(find_spec(name) is None for name in ("starlette", "uvicorn")):
        raise DconvexError("the explorer needs starlette and uvicorn: pip install 'dconvex[explore]'")


def listen(host: str, port: int) -> socket.socket:
    """A socket that accepts connections; port 0 is any free one."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listener = socket.create_server((host, port), family=family)
    except (OSError, OverflowError) as error:
        is_taken = isinstance(error, OSError) and error.errno == errno.EADDRINUSE
        reason = "another program uses it" if is_taken else getattr(error, "strerror", None) or error
        way_out = "; --port 0 takes any free port" if port else ""
        raise DconvexError(f"cannot serve on {host}, port {port}: {reason}{way_out}") from error
    # connections inherit it; without it the end of each answer waits about 40 ms for the browser to confirm the start
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def address(listener: socket.socket) -> str:
    """The address for a browser on this machine."""
    host, port = listener.getsockname()[:2]
    reachable = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://[{reachable}]:{port}/" if ":" in reachable else f"http://{reachable}:{port}/"


def server(shelf: Shelf, host: str) -> uvicorn.Server:
    """The server; `server.run(sockets=[…])` answers on a socket."""
    import uvicorn

    from dconvex.explorer.application import application
    from dconvex.explorer.hosts import Hosts

    app = application(shelf, Hosts.serving(host))
    plain = uvicorn.Config(
        app, loop="asyncio", http="h11", ws="none", lifespan="off", log_level="error", timeout_graceful_shutdown=1
    )
    return uvicorn.Server(plain)


def serve_until_interrupted(shelf: Shelf, listener: socket.socket, host: str) -> None:
    """Answer until Ctrl-C."""
    with contextlib.suppress(KeyboardInterrupt):
        server(shelf, host).run(sockets=[listener])


def open_browser(url: str) -> None:
    """Open the page if there is a desktop; without one Python would start a browser in the terminal."""
    is_on_desktop = sys.platform in ("win32", "darwin") or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))
    if is_on_desktop:
        webbrowser.open(url)
