"""The models that pages can be about: built-in networks and dropped files."""

from __future__ import annotations

import gc
import http.client
import json
from urllib.parse import quote, urlsplit

import pytest
from explorer.questions import exploring
from explorer.serving import served

import dconvex as dc
from dconvex.explorer import application
from dconvex.explorer.shelf import MOST_OPEN, Shelf
from dconvex.storage import open_model


@pytest.fixture
def bif(tmp_path) -> bytes:
    dc.write(dc.load_network("cancer"), tmp_path / "cancer.bif")
    return (tmp_path / "cancer.bif").read_bytes()


@pytest.fixture
def dcx(tmp_path) -> bytes:
    dc.localize(dc.load_network("cancer")).save(tmp_path / "cancer.dcx")
    return (tmp_path / "cancer.dcx").read_bytes()


def send(url, method, path, body=None, **headers):
    host = urlsplit(url)
    connection = http.client.HTTPConnection(host.hostname, host.port, timeout=30)
    connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
    reply = connection.getresponse()
    found = reply.status, reply.read()
    connection.close()
    return found


def upload(url, name, content):
    return send(url, "POST", "/api/upload", content, Content_Type="application/octet-stream", X_File_Name=quote(name))


def test_built_in_networks_are_opened_once():
    shelf = Shelf()
    assert shelf.main is None
    assert shelf.network("asia").title == "asia"
    assert shelf.network("asia") is shelf.network("asia")
    assert shelf.network("../asia") is None
    listed = shelf.networks()
    assert {each["name"] for each in listed["networks"]} == set(dc.network_names())
    assert ".bif" in listed["suffixes"]


def test_a_file_is_taken_by_its_content(bif, dcx):
    shelf = Shelf()
    expected = dc.localize(dc.load_network("cancer")).query("Cancer").values
    for name, content, call in [("cancer.bif", bif, "dc.localize(dc.read("), ("C:\\my\\model.dcx", dcx, "dc.open_model(")]:
        explorer = shelf.file(shelf.add(name, content))
        assert explorer.title == name.split("\\")[-1]
        assert explorer.loading == f"{call}{explorer.title!r}" + ")" * call.count("(")
        assert explorer.model.query("Cancer").values == pytest.approx(expected)
    assert shelf.file("nothing") is None


def test_files_are_given_up_in_turn(bif):
    shelf = Shelf()
    keys = [shelf.add("cancer.bif", bif) for _ in range(MOST_OPEN + 1)]
    assert shelf.file(keys[0]) is None
    assert all(map(shelf.file, keys[1:]))
    assert len(list(shelf._folder.iterdir())) == MOST_OPEN
    folder = shelf._folder
    del shelf
    gc.collect()
    assert not folder.exists()


def test_what_is_too_large_to_explore_leaves_no_file(monkeypatch, bif):
    monkeypatch.setattr("dconvex.explorer.explorer.MOST_VARIABLES", 3)
    shelf = Shelf()
    with pytest.raises(dc.DconvexError, match="too many to explore"):
        shelf.add("cancer.bif", bif)
    assert not list(shelf._folder.iterdir())


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("notes.exe", b"", "unknown suffix '.exe'"),
        ("", b"", "unknown suffix ''"),
        ("../../etc/passwd", b"", "unknown suffix ''"),
        ("broken.bif", b"network {", "broken.bif"),
        ("broken.dcx", b"x", "broken.dcx"),
        ("zipped.bif.gz", b"", "unknown suffix '.gz'"),
    ],
)
def test_what_is_no_network_is_refused(name, content, said):
    shelf = Shelf()
    with pytest.raises(dc.FormatError) as caught:
        shelf.add(name, content)
    assert said in str(caught.value)
    assert "dconvex-explore-" not in str(caught.value)


def test_a_page_for_each_network(bif):
    with served(None) as url:
        status, start = send(url, "GET", "/")
        assert (status, b"Built in" in start) == (200, True)
        assert send(url, "GET", "/start")[1] == start
        assert send(url, "GET", "/api/overview")[0] == 404
        assert json.loads(send(url, "GET", "/api/networks")[1])["takesFiles"]
        status, page = send(url, "GET", "/network/asia/")
        assert (status, b"evidence" in page) == (200, True)
        assert json.loads(send(url, "GET", "/network/asia/api/overview")[1])["title"] == "asia"
        assert send(url, "GET", "/network/asia/assets/main.js")[0] == 200
        status, answer = send(url, "POST", "/network/asia/api/answer", b'{"asked": [1]}', Content_Type="application/json")
        assert json.loads(answer)["question"]["plan"]["kept"] == [1]
        status, reply = upload(url, "my cancer ☂.bif", bif)
        assert status == 200
        page = json.loads(reply)["page"]
        assert json.loads(send(url, "GET", f"/{page}api/overview")[1])["title"] == "my cancer ☂.bif"
        for path in ("/network/nothing/", "/file/nothing/", "/file/nothing/api/overview", "/network/..%2fasia/"):
            assert send(url, "GET", path)[0] == 404
        status, reply = send(url, "POST", "/file/nothing/api/answer", b"{}", Content_Type="application/json")
        assert (status, "open it again" in json.loads(reply)["problem"]) == (404, True)


def test_a_main_model_has_the_first_page(bif):
    with served(exploring("asia")) as url:
        assert json.loads(send(url, "GET", "/api/overview")[1])["title"] == "asia"
        assert json.loads(send(url, "GET", "/api/networks")[1])["main"] == "asia"
        assert b"Built in" in send(url, "GET", "/start")[1]


def test_what_cannot_be_uploaded(bif, monkeypatch):
    monkeypatch.setattr(application, "MOST_FILE_BYTES", len(bif))
    with served(None) as url:
        assert upload(url, "cancer.bif", bif)[0] == 200
        assert upload(url, "cancer.bif", bif + b" ")[0] == 413
        status, reply = upload(url, "broken.bif", b"network {")
        assert (status, "broken.bif" in json.loads(reply)["problem"]) == (422, True)
        assert send(url, "POST", "/api/upload", bif, Content_Type="application/json")[0] == 415
        foreign = {"Content_Type": "application/octet-stream", "Origin": "http://evil.example"}
        assert send(url, "POST", "/api/upload", bif, **foreign)[0] == 403
        assert send(url, "GET", "/api/upload")[0] == 405


def test_where_other_machines_connect_no_file_is_taken(bif):
    with served(None, "0.0.0.0") as url:
        assert upload(url, "cancer.bif", bif)[0] == 403
        assert not json.loads(send(url, "GET", "/api/networks")[1])["takesFiles"]


def test_a_dropped_model_reads_its_numbers_later(dcx, tmp_path):
    shelf = Shelf()
    explorer = shelf.file(shelf.add("model.dcx", dcx))
    (tmp_path / "again.dcx").write_bytes(dcx)
    assert explorer.model.bytes_read == 0
    assert explorer.model.query("Xray").values == pytest.approx(open_model(tmp_path / "again.dcx").query("Xray").values)
