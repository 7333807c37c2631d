"""The endpoints over HTTP, and who is turned away."""

from __future__ import annotations

import http.client
import json
import re
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest
from explorer.questions import exploring, request
from explorer.serving import served

from dconvex.explorer.application import ASSETS, MOST_BYTES
from dconvex.explorer.explorer import Explorer

QUESTIONS = ["layout", "answer", "most-probable", "answer.csv", "most-probable.csv"]
PLAIN = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def explorer() -> Explorer:
    return exploring("asia")


@pytest.fixture(scope="module")
def home(explorer) -> Iterator[str]:
    with served(explorer) as url:
        yield url


@contextmanager
def asking(url: str) -> Iterator[Callable[..., Any]]:
    """Send a request as it is: method, path, body, headers; status, headers and body come back."""
    host = urlsplit(url)
    connection = http.client.HTTPConnection(host.hostname, host.port, timeout=30)

    def send(method: str, path: str, body: Any = None, headers: dict[str, str] | None = None):
        sent = body if isinstance(body, bytes | type(None)) else json.dumps(body).encode()
        connection.request(method, path, sent, headers if headers is not None else PLAIN if sent else {})
        reply = connection.getresponse()
        return reply.status, reply.headers, reply.read()

    yield send
    connection.close()


@pytest.fixture
def ask(home):
    with asking(home) as send:
        yield send


def test_the_page_and_its_files(ask):
    status, headers, page = ask("GET", "/")
    assert status == 200
    assert headers["Content-Type"].startswith("text/html")
    files = re.findall(r'(?:href|src)="(assets/[^"]+)"', page.decode())
    assert len(files) >= 5
    for file in [*files, *(f"assets/{path.name}" for path in ASSETS.iterdir())]:
        status, headers, content = ask("GET", f"/{file}")
        assert status == 200
        assert content == (ASSETS / file.removeprefix("assets/")).read_bytes()
        if file.endswith(".js"):
            assert "javascript" in headers["Content-Type"]


def test_everything_comes_from_this_machine():
    for path in ASSETS.iterdir():
        addresses = set(re.findall(r"(?:https?:)?//[\w.-]+\.\w+", re.sub(r"^\s*//.*$", "", path.read_text(), flags=re.M)))
        assert addresses <= {"http://www.w3.org"}, path.name


def test_the_browser_may_load_nothing_else(ask):
    for method, path in [("GET", "/"), ("GET", "/assets/main.js"), ("GET", "/nowhere"), ("GET", "/api/overview")]:
        _, headers, _ = ask(method, path)
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Cache-Control"] == "no-store"


def test_overview(ask, explorer):
    status, headers, body = ask("GET", "/api/overview")
    assert status == 200
    assert headers["Content-Type"] == "application/json"
    assert json.loads(body) == json.loads(json.dumps(explorer.overview()))


def test_answers_are_those_of_the_explorer(ask, explorer):
    question = request(explorer.model, ("lung",), {"smoke": "yes"}, shown=explorer.model.dag.nodes)
    status, _, body = ask("POST", "/api/answer", question)
    assert status == 200
    assert json.loads(body)["marginals"]["numbers"] == explorer.answer(question)["marginals"]["numbers"]
    status, _, body = ask("POST", "/api/most-probable", question)
    assert json.loads(body)["states"] == explorer.most_probable(question)["states"]
    status, headers, body = ask("POST", "/api/answer.csv", question)
    assert headers["Content-Type"].startswith("text/csv")
    assert body.decode() == explorer.table(question)
    status, headers, body = ask("POST", "/api/most-probable.csv", question)
    assert body.decode() == explorer.most_probable_table(question)
    status, _, body = ask("POST", "/api/layout", {"variables": [0, 3]})
    assert json.loads(body) == explorer.layout({"variables": [0, 3]})


def test_impossible_evidence_is_a_readable_answer(ask, explorer):
    question = request(explorer.model, ("lung",), {"tub": "yes", "either": "no"})
    for name in ("answer", "most-probable", "answer.csv", "most-probable.csv"):
        status, _, body = ask("POST", f"/api/{name}", question)
        assert status == 422
        problem = json.loads(body)
        assert "cannot happen together" in problem["problem"]
        assert {explorer.model.dag.nodes[index] for index in problem["conflict"]} == {"tub", "either"}
    assert ask("POST", "/api/answer", {})[0] == 200


def test_a_negative_likelihood_is_reported(ask):
    status, _, body = ask("POST", "/api/answer", {"soft": [[0, [-1, 1]]]})
    assert status == 422
    assert "not negative" in json.loads(body)["problem"]


def test_infinite_numbers_are_reported():
    with served(exploring("ecoli70")) as url, asking(url) as ask:
        status, _, body = ask("POST", "/api/answer", {"evidence": [[0, 1e300]]})
    assert status == 422
    assert "so improbable that the answer has infinite numbers" in json.loads(body)["problem"]


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[" * 100_000, b'{"asked": [99]}', b"[]"])
def test_bad_json_is_refused(ask, body):
    status, _, reply = ask("POST", "/api/answer", body, PLAIN)
    assert status == 400
    assert json.loads(reply)["problem"]


def test_a_large_body_is_refused(ask):
    status, _, body = ask("POST", "/api/answer", b" " * (MOST_BYTES + 1), PLAIN)
    assert status == 413
    assert "at most" in json.loads(body)["problem"]


def test_a_large_body_without_a_length_is_refused(home):
    host = urlsplit(home)
    with socket.create_connection((host.hostname, host.port), timeout=30) as connection:
        head = f"POST /api/answer HTTP/1.1\r\nHost: {host.netloc}\r\nContent-Type: application/json\r\n"
        connection.sendall(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode())
        chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
        for _ in range(MOST_BYTES // 0x10000 + 1):
            connection.sendall(chunk)
        assert connection.recv(1024).startswith(b"HTTP/1.1 413 ")


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "10.0.0.1", "", "[::1"])
@pytest.mark.parametrize("path", ["/", "/assets/main.js", "/api/overview", "/nowhere"])
def test_a_foreign_host_is_refused(ask, host, path):
    status, _, body = ask("GET", path, headers={"Host": host})
    assert status in (400, 421)
    assert b"variables" not in body


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "https://127.0.0.1", "http://127.0.0.1:1", "null", "http://localhost"]
)
def test_a_foreign_origin_is_refused(ask, origin):
    for method, path, body in [("POST", "/api/answer", {}), ("GET", "/api/overview", None)]:
        status, _, reply = ask(method, path, body, {**PLAIN, "Origin": origin})
        assert status == 403
        assert b"elsewhere" in reply


def test_a_foreign_page_is_refused_even_without_an_origin(ask):
    assert ask("GET", "/api/overview", headers={"Sec-Fetch-Site": "cross-site"})[0] == 403
    assert ask("GET", "/api/overview", headers={"Sec-Fetch-Site": "same-origin"})[0] == 200


def test_the_own_page_is_welcome(ask, home):
    own = home.rstrip("/")
    assert ask("POST", "/api/answer", {}, {**PLAIN, "Origin": own})[0] == 200
    by_name = own.replace("127.0.0.1", "localhost")
    headers = {**PLAIN, "Host": urlsplit(by_name).netloc, "Origin": by_name}
    assert ask("POST", "/api/answer", {}, headers)[0] == 200


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_only_json_asks(ask, kind):
    assert ask("POST", "/api/answer", b"{}", {"Content-Type": kind})[0] == 415
    assert ask("POST", "/api/answer", b"{}", {"Content-Type": "application/json; charset=utf-8"})[0] == 200


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_other_methods_are_refused(ask, method):
    for path in ("/", "/assets/main.js", "/api/overview", "/api/answer"):
        assert ask(method, path)[0] == 405


def test_questions_are_posted_and_pages_are_got(ask):
    for name in QUESTIONS:
        assert ask("GET", f"/api/{name}")[0] == 405
    for path in ("/", "/assets/main.js", "/api/overview"):
        assert ask("POST", path, {})[0] == 405


@pytest.mark.parametrize(
    "path",
    [
        "/assets/../explorer.py",
        "/assets/%2e%2e/explorer.py",
        "/assets/..%2fexplorer.py",
        "/assets//etc/passwd",
        "/assets/%2fetc%2fpasswd",
        "/assets/../../../../../../etc/passwd",
        "/assets/..\\explorer.py",
        "/assets/",
        "/assets",
        "/explorer.py",
        "/api/nothing",
        "/api/",
    ],
)
def test_nothing_else_is_served(ask, path):
    status, _, body = ask("GET", path)
    assert status in (307, 404)
    assert b"import" not in body
    assert b"root:" not in body


def test_an_internal_error_is_reported(explorer, monkeypatch, capfd):
    def fails(self, model, question):
        raise RuntimeError("a bug")

    monkeypatch.setattr(Explorer, "_marginals", fails)
    with served(explorer) as url, asking(url) as ask:
        status, _, body = ask("POST", "/api/answer", {})
    assert status == 500
    assert json.loads(body)["problem"] == "something went wrong in dconvex: RuntimeError: a bug"
    capfd.readouterr()
