"""Under which names the explorer answers."""

from __future__ import annotations

import socket

import pytest

from dconvex.explorer.hosts import Hosts


@pytest.mark.parametrize("header", ["127.0.0.1", "127.0.0.1:8000", "localhost:1", "LOCALHOST", "[::1]:8000", "[::1]"])
def test_this_machine_by_its_own_names(header):
    assert Hosts.serving("127.0.0.1").allow(header)


@pytest.mark.parametrize(
    "header",
    [
        "",
        ":80",
        "evil.example",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "evil.example:127",
        "10.0.0.7",
        "[::2]",
        "[",
        "a@b",
    ],
)
def test_other_hosts(header):
    assert not Hosts.serving("127.0.0.1").allow(header)


def test_where_others_may_reach_us_addresses_and_our_name_are_fine():
    hosts = Hosts.serving("0.0.0.0")
    assert all(map(hosts.allow, ["10.0.0.7:8000", "[2001:db8::1]:8000", "localhost", socket.gethostname()]))
    assert not any(map(hosts.allow, ["evil.example", "10.0.0.7.evil.example"]))
    assert Hosts.serving("box.example").allow("box.example:80")
