"""The HTTP shell around the explorers on a shelf."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from urllib.parse import unquote

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from dconvex.errors import DconvexError
from dconvex.explorer.explorer import Explorer
from dconvex.explorer.guard import Guard
from dconvex.explorer.hosts import Hosts
from dconvex.explorer.request_data import RequestError
from dconvex.explorer.shelf import Shelf

ASSETS = Path(__file__).parent / "assets"
MOST_BYTES = 1 << 20
"""The largest request; those of the page are smaller."""
MOST_FILE_BYTES = 64 << 20
"""The largest file that can be dropped."""
ENDPOINTS: dict[str, Callable[[Explorer, object], object]] = {
    "layout": Explorer.layout,
    "answer": Explorer.answer,
    "most-probable": Explorer.most_probable,
    "script": Explorer.script,
    "family": Explorer.family,
    "conflict": Explorer.conflict,
    "next": Explorer.next,
    "influences": Explorer.influences,
    "effect": Explorer.effect,
    "sensitivity": Explorer.sensitivity,
    "case": Explorer.case,
    "answer.csv": Explorer.table,
    "most-probable.csv": Explorer.most_probable_table,
    "network.txt": Explorer.network_file,
}
Finder = Callable[[Request], Explorer | None]


def application(shelf: Shelf, hosts: Hosts) -> ASGIApp:
    """The start page, a page for each model, their files, and the endpoints that answer their questions."""

    def start(request: Request) -> Response:
        return FileResponse(ASSETS / "start.html")

    def networks(request: Request) -> Response:
        return JSONResponse({**shelf.networks(), "takesFiles": not hosts.any_address})

    async def upload(request: Request) -> Response:
        if hosts.any_address:
            raise HTTPException(403, "files are only taken where no other machine can connect")
        name = unquote(request.headers.get("x-file-name", ""))
        content = await _body(request, MOST_FILE_BYTES)
        try:
            key = await run_in_threadpool(shelf.add, name, content)
        except (DconvexError, ValueError) as error:
            return JSONResponse({"problem": str(error)}, 422)
        return JSONResponse({"page": f"file/{key}/"})

    main: Finder = lambda request: shelf.main  # noqa: E731
    found: dict[str, Finder] = {
        "/network/{key}": lambda request: shelf.network(request.path_params["key"]),
        "/file/{key}": lambda request: shelf.file(request.path_params["key"]),
    }
    files = StaticFiles(directory=ASSETS)
    routes = [
        Route("/api/networks", networks),
        Route("/api/upload", upload, methods=["POST"]),
        Route("/start", start),
        *(_model_routes("", main) if shelf.main else [Route("/", start)]),
        *(route for path, find in found.items() for route in _model_routes(path, find)),
        *(Mount(f"{path}/assets", files) for path in ("", *found)),
    ]
    problems = {HTTPException: _http_problem, ClientDisconnect: _nobody_listens, Exception: _internal_error}
    return Guard(Starlette(routes=routes, exception_handlers=problems), hosts)


def _model_routes(path: str, find: Finder) -> list[Route]:
    """The page of a model, and what it asks for."""

    def page(request: Request) -> Response:
        _found(find, request)
        return FileResponse(ASSETS / "index.html")

    def overview(request: Request) -> Response:
        return JSONResponse(_found(find, request).overview())

    return [
        Route(f"{path}/", page),
        Route(f"{path}/api/overview", overview),
        *(Route(f"{path}/api/{name}", _endpoint(find, ask), methods=["POST"]) for name, ask in ENDPOINTS.items()),
    ]


def _found(find: Finder, request: Request) -> Explorer:
    explorer = find(request)
    if explorer is None:
        raise HTTPException(404, "this network is not open any more: open it again from the start page")
    return explorer


def _endpoint(find: Finder, ask: Callable[[Explorer, object], object]) -> Callable[[Request], Awaitable[Response]]:
    """Answers in a thread, so that a slow question does not block other requests."""

    async def endpoint(request: Request) -> Response:
        body = await _body(request, MOST_BYTES)
        return await run_in_threadpool(lambda: _answered(_found(find, request), ask, body))

    return endpoint


def _answered(explorer: Explorer, ask: Callable[[Explorer, object], object], body: bytes) -> Response:
    """The answer to a request, made and written down in one thread."""
    try:
        return _response(ask(explorer, _read(body)))
    except RequestError as error:
        return JSONResponse(explorer.problem(error), 400)
    except (DconvexError, ValueError) as error:
        return JSONResponse(explorer.problem(error), 422)


async def _body(request: Request, most: int) -> bytes:
    """What is in a request; reading stops when it becomes too large."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > most:
            raise HTTPException(413, f"a request may have at most {most:,} bytes")
    return bytes(body)


def _read(body: bytes) -> object:
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


def _nobody_listens(request: Request, error: Exception) -> Response:
    """The client left in the middle of its request: nothing is wrong here, and nobody reads this."""
    return Response(status_code=400)


def _internal_error(request: Request, error: Exception) -> Response:
    return JSONResponse({"problem": f"something went wrong in dconvex: {type(error).__name__}: {error}"}, 500)
