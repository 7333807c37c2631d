"""The names of the explorer's host."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


@dataclass(frozen=True)
class Hosts:
    """The allowed names; where other machines may connect, any bare address too, since no page can rebind one."""

    names: frozenset[str]
    any_address: bool = False

    @classmethod
    def serving(cls, host: str) -> Hosts:
        """The names for the host that we listen on."""
        if host in LOOPBACK:
            return cls(LOOPBACK)
        return cls(LOOPBACK | {host.lower(), socket.gethostname().lower()}, any_address=True)

    def allow(self, header: str) -> bool:
        """Whether a `Host` header has an allowed name.

        >>> [Hosts.serving("127.0.0.1").allow(host) for host in ("127.0.0.1:8000", "[::1]:8000", "evil.example", "10.0.0.1")]
        [True, True, False, False]
        """
        try:
            host = urlsplit(f"//{header}").hostname or ""
        except ValueError:
            return False
        return host in self.names or (self.any_address and _is_address(host))


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
