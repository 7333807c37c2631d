"""The HTTP shell around an `Explorer`."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from dconvex.errors import DconvexError
from dconvex.explorer.explorer import Explorer
from dconvex.explorer.guard import Guard
from dconvex.explorer.hosts import Hosts
from dconvex.explorer.reading import RequestError

ASSETS = Path(__file__).parent / "assets"
MOST_BYTES = 1 << 20
"""No question of the page is larger."""


def application(explorer: Explorer, hosts: Hosts) -> ASGIApp:
    """The page, its files, and the questions that it asks."""

    def overview(request: Request) -> Response:
        return JSONResponse(explorer.overview())

    def page(request: Request) -> Response:
        return FileResponse(ASSETS / "index.html")

    asking: dict[str, Callable[[Any], Any]] = {
        "layout": explorer.layout,
        "answer": explorer.answer,
        "most-probable": explorer.most_probable,
        "answer.csv": explorer.table,
        "most-probable.csv": explorer.most_probable_table,
    }
    routes = [
        Route("/", page),
        Mount("/assets", StaticFiles(directory=ASSETS)),
        Route("/api/overview", overview),
        *(Route(f"/api/{name}", _endpoint(explorer, ask), methods=["POST"]) for name, ask in asking.items()),
    ]
    problems = {HTTPException: _http_problem, Exception: _our_fault}
    return Guard(Starlette(routes=routes, exception_handlers=problems), hosts)


def _endpoint(explorer: Explorer, ask: Callable[[Any], Any]) -> Callable[[Request], Awaitable[Response]]:
    """Answers in a thread of its own, so that a slow question holds up nobody else."""

    async def endpoint(request: Request) -> Response:
        try:
            return _response(await run_in_threadpool(ask, await _read(request)))
        except RequestError as error:
            return JSONResponse(explorer.problem(error), 400)
        except (DconvexError, ValueError) as error:
            return JSONResponse(explorer.problem(error), 422)

    return endpoint


async def _read(request: Request) -> Any:
    """The question in a request; reading stops where it becomes too large."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MOST_BYTES:
            raise HTTPException(413, f"a question takes at most {MOST_BYTES:,} bytes")
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise RequestError(f"this is not JSON: {error}") from None


def _response(answer: Any) -> Response:
    if isinstance(answer, str):
        return PlainTextResponse(answer, media_type="text/csv")
    try:
        return JSONResponse(answer)
    except ValueError:  # JSON has no infinity
        raise DconvexError("the evidence is so unlikely that the answer has numbers beyond all bounds") from None


def _http_problem(request: Request, error: Exception) -> Response:
    """What starlette refuses, in the form that the page reads."""
    assert isinstance(error, HTTPException)
    return JSONResponse({"problem": error.detail}, error.status_code, error.headers)


def _our_fault(request: Request, error: Exception) -> Response:
    return JSONResponse({"problem": f"something went wrong in dconvex: {type(error).__name__}: {error}"}, 500)
