"""Only the explorer's own page may use it, no page from elsewhere.

A page on the internet can make a browser send requests to 127.0.0.1, and can point a name of its own there. So the name in
the address bar must be one of ours (against DNS rebinding), requests from pages of other origins are refused, and a question
must be JSON, and a file plain bytes, neither of which a foreign form can send.
"""

from __future__ import annotations

from dataclasses import dataclass

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dconvex.explorer.hosts import Hosts

SAFETY = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}


@dataclass(frozen=True)
class Guard:
    """Refuses other pages before the application sees their requests, and lets the browser load only our own files."""

    app: ASGIApp
    hosts: Hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(SAFETY)
            await send(message)

        refusal = self._refusal(scope["method"], scope["path"], Headers(scope=scope))
        app: ASGIApp = self.app if refusal is None else JSONResponse({"problem": refusal[1]}, refusal[0])
        await app(scope, receive, send_safely)

    def _refusal(self, method: str, path: str, headers: Headers) -> tuple[int, str] | None:
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or not self.hosts.allow(hosts[0]):
            return 421, "the explorer is not served under that name"
        if any(origin != f"http://{hosts[0]}" for origin in origins) or headers.get("sec-fetch-site") == "cross-site":
            return 403, "the explorer does not answer pages from elsewhere"
        wanted = "application/octet-stream" if path == "/api/upload" else "application/json"
        if method == "POST" and headers.get("content-type", "").split(";")[0].strip().lower() != wanted:
            return 415, f"this must be sent as {wanted}"
        return None
