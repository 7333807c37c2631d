"""`dconvex explore`: what it prints, and how it begins and ends."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
from contextlib import closing
from urllib.request import urlopen

import pytest

import dconvex as dc
from dconvex.cli.explore import loading, title
from dconvex.explorer.explorer import Explorer
from dconvex.explorer.serving import address, listen, need_extra, open_browser


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ([], r"asia, 8 variables in 4 clusters: (http://127\.0\.0\.1:\d+/)  Ctrl-C ends it\n"),
        (["--json"], r'\{"url": "(http://127\.0\.0\.1:\d+/)"\}\n'),
    ],
)
def test_it_serves_until_it_is_interrupted(more, said):
    command = [sys.executable, "-u", "-m", "dconvex", "explore", "asia", "--no-browser", *more]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        line = process.stdout.readline()
        url = re.fullmatch(said, line)
        assert url, line + process.stderr.read()
        with urlopen(f"{url[1]}api/overview") as reply:
            assert json.load(reply)["title"] == "asia"
        process.send_signal(signal.SIGINT)
        rest, complaints = process.communicate(timeout=30)
    assert (process.returncode, rest, complaints) == (0, "", "")


def test_without_a_name_it_offers_what_there_is():
    command = [sys.executable, "-u", "-m", "dconvex", "explore", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        line = process.stdout.readline()
        url = re.fullmatch(r"\d+ networks, and whatever file you drop: (http://127\.0\.0\.1:\d+/)  Ctrl-C ends it\n", line)
        assert url, line + process.stderr.read()
        with urlopen(f"{url[1]}api/networks") as reply:
            assert json.load(reply)["main"] is None
        process.send_signal(signal.SIGINT)
        _, complaints = process.communicate(timeout=30)
    assert (process.returncode, complaints) == (0, "")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["alram"], "error: unknown network 'alram'; did you mean 'alarm'?"),
        (["asia", "--host", "nowhere.invalid"], "error: cannot serve on nowhere.invalid, port 0: "),
    ],
)
def test_what_cannot_be_served(words, said):
    command = [sys.executable, "-m", "dconvex", "explore", *words, "--no-browser"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert result.stdout == ""
    assert result.stderr.startswith(said)
    assert result.stderr.count("\n") == 1


def test_answers_are_sent_at_once():
    """Without this option their last part waits for the browser to confirm the first one, some 40 ms."""
    with listen("127.0.0.1", 0) as listener, socket.create_connection(listener.getsockname()):
        connection, _ = listener.accept()
        with connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_a_port_that_is_taken():
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(
            dc.DconvexError,
            match=rf"cannot serve on 127\.0\.0\.1, port {port}: another program uses it; --port 0 takes any free port",
        ):
            listen("127.0.0.1", port)


def test_addresses_that_can_be_typed():
    for host in ("127.0.0.1", "0.0.0.0", "localhost"):
        with closing(listen(host, 0)) as listener:
            assert re.fullmatch(r"http://(127\.0\.0\.1|\[::1\]):\d+/", address(listener))


@pytest.mark.parametrize("name", ["starlette", "uvicorn"])
def test_without_the_extra_it_says_how_to_get_it(name, monkeypatch):
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(dc.DconvexError, match=r"pip install 'dconvex\[explore\]'"):
        need_extra()


def test_nothing_of_the_server_is_imported_before_it_is_used():
    code = "import sys, dconvex.cli.app; print({'starlette', 'uvicorn', 'asyncio'} & set(sys.modules) or 'none')"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "none\n"


def test_a_browser_is_only_opened_on_a_desktop(monkeypatch):
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    open_browser("http://127.0.0.1:1/")
    assert opened == []
    monkeypatch.setenv("DISPLAY", ":0")
    open_browser("http://127.0.0.1:2/")
    assert opened == ["http://127.0.0.1:2/"]


def test_every_source_can_be_loaded_again(tmp_path):
    network = dc.load_network("asia")
    model = dc.localize(network)
    dc.write(network, tmp_path / "it's asia.bif")
    model.save(tmp_path / "asia.dcx")
    for source in ("asia", str(tmp_path / "it's asia.bif"), str(tmp_path / "asia.dcx")):
        again = eval(loading(source), {"dc": dc})
        assert again.query("lung", {"smoke": "yes"}).values == pytest.approx(model.query("lung", {"smoke": "yes"}).values)
        assert title(source) in ("asia", "it's asia.bif", "asia.dcx")
        assert Explorer(again, title(source), loading(source)).overview()["title"] == title(source)
