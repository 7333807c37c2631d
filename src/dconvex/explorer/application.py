"""The HTTP shell around an `Explorer`."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path

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
from dconvex.explorer.request_data import RequestError

ASSETS = Path(__file__).parent / "assets"
MOST_BYTES = 1 << 20
"""The largest request; those of the page are smaller."""


def application(explorer: Explorer, hosts: Hosts) -> ASGIApp:
    """The page, its files, and the endpoints that answer its questions."""

    def overview(request: Request) -> Response:
        return JSONResponse(explorer.overview())

    def page(request: Request) -> Response:
        return FileResponse(ASSETS / "index.html")

    endpoints: dict[str, Callable[[object], object]] = {
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
        *(Route(f"/api/{name}", _endpoint(explorer, ask), methods=["POST"]) for name, ask in endpoints.items()),
    ]
    problems = {HTTPException: _http_problem, Exception: _internal_error}
    return Guard(Starlette(routes=routes, exception_handlers=problems), hosts)


def _endpoint(explorer: Explorer, ask: Callable[[object], object]) -> Callable[[Request], Awaitable[Response]]:
    """Answers in a thread, so that a slow question does not block other requests."""

    async def endpoint(request: Request) -> Response:
        try:
            return _response(await run_in_threadpool(ask, await _read(request)))
        except RequestError as error:
            return JSONResponse(explorer.problem(error), 400)
        except (DconvexError, ValueError) as error:
            return JSONResponse(explorer.problem(error), 422)

    return endpoint


async def _read(request: Request) -> object:
    """The JSON in a request; reading stops when it becomes too large."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MOST_BYTES:
            raise HTTPException(413, f"a request may have at most {MOST_BYTES:,} bytes")
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise RequestError(f"the request is not JSON: {error}") from None


def _response(answer: object) -> Response:
    if isinstance(answer, str):
        return PlainTextResponse(answer, media_type="text/csv")
    try:
        return JSONResponse(answer)
    except ValueError:  # JSON has no infinity
        raise DconvexError("the evidence is so improbable that the answer has infinite numbers") from None


def _http_problem(request: Request, error: Exception) -> Response:
    """An error of starlette, in the form that the page reads."""
    assert isinstance(error, HTTPException)
    return JSONResponse({"problem": error.detail}, error.status_code, error.headers)


def _internal_error(request: Request, error: Exception) -> Response:
    return JSONResponse({"problem": f"something went wrong in dconvex: {type(error).__name__}: {error}"}, 500)
