"""Clients that leave in the middle: nobody is shown an error of it, and the others are answered."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import socket
import struct
from urllib.parse import urlsplit

import pytest
from explorer.questions import exploring
from explorer.serving import served

from dconvex.explorer.application import ENDPOINTS, application
from dconvex.explorer.hosts import Hosts
from dconvex.explorer.shelf import Shelf

HOST = "127.0.0.1:8000"
QUESTION = json.dumps({"targets": [], "evidence": []}).encode()


@pytest.fixture(scope="module")
def explorer():
    return exploring("asia")


def scope_of(path: str, kind: str = "application/json") -> dict[str, object]:
    """A request as a server hands it to the application."""
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(b"host", HOST.encode()), (b"content-type", kind.encode())],
    }


@pytest.mark.parametrize("parts", [[], [b"{"], [b'{"targets', b'": [']])
@pytest.mark.parametrize("path", [*(f"/api/{name}" for name in ENDPOINTS), "/api/upload"])
def test_a_request_that_does_not_come_to_its_end(explorer, path, parts, capfd):
    app = application(Shelf(explorer), Hosts.serving("127.0.0.1"))
    messages = [*({"type": "http.request", "body": part, "more_body": True} for part in parts), {"type": "http.disconnect"}]

    async def receive():
        return messages.pop(0)

    async def send(message):
        """Nobody listens."""

    kind = "application/octet-stream" if path == "/api/upload" else "application/json"
    asyncio.run(app(scope_of(path, kind), receive, send))  # raises nothing, which a server would print
    assert messages == []
    assert capfd.readouterr().err == ""


def request_of(host: str, path: str, body: bytes | None = None, length: int | None = None) -> bytes:
    """The bytes of a request."""
    if body is None:
        return f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()
    kind = "application/octet-stream" if path == "/api/upload" else "application/json"
    head = f"POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: {kind}\r\nContent-Length: {length or len(body)}\r\n\r\n"
    return head.encode() + body


def leave(where: tuple[str, int], sent: bytes, *, resets: bool, waits: bool) -> None:
    """Connect, send, read the first byte of an answer if there will be one, and go: with a FIN, or with an RST."""
    with socket.create_connection(where, timeout=60) as client:
        if resets:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        with contextlib.suppress(ConnectionError):  # the server may have hung up: the request was too large
            client.sendall(sent)
            if waits:
                client.recv(1)


@pytest.mark.parametrize("resets", [False, True], ids=["FIN", "RST"])
def test_clients_leave_at_every_point(explorer, resets, capfd):
    with served(explorer) as url:
        parts = urlsplit(url)
        where = (parts.hostname, parts.port)
        whole = {
            "page": request_of(parts.netloc, "/"),
            "file": request_of(parts.netloc, "/assets/main.js"),
            "question": request_of(parts.netloc, "/api/answer", QUESTION),
            "many": request_of(parts.netloc, "/") * 20,
        }
        cut_short = {
            "question": request_of(parts.netloc, "/api/answer", b"[" * 100_000, 900_000),
            "file": request_of(parts.netloc, "/api/upload", b"x" * 300_000, 10_000_000),
        }
        for sent in (*whole.values(), *cut_short.values()):
            step = max(len(sent) // 6, 1)
            for end in (0, 1, *range(step, len(sent), step), len(sent)):
                leave(where, sent[:end], resets=resets, waits=False)
        for sent in whole.values():
            leave(where, sent, resets=resets, waits=True)
        leave(where, b"\x00 no request\r\n\r\n", resets=resets, waits=True)
        connection = http.client.HTTPConnection(*where, timeout=60)
        connection.request("GET", "/api/overview")
        answer = connection.getresponse()
        assert (answer.status, json.loads(answer.read())["title"]) == (200, "asia")
        connection.close()
        assert capfd.readouterr().err == ""
