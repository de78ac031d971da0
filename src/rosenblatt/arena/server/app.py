"""The page's HTTP interface: access checks, limits on requests, and responses to bad ones."""

from __future__ import annotations

import json
from importlib.resources import files
from secrets import compare_digest
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from rosenblatt.arena.server.sessions import Sessions

LARGEST = 8 * 2**20
"""Bytes of a request's body at most."""

KINDS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}

GUARDS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
"""Headers: nothing is loaded from other hosts, no frames, no referrer, no cache."""

HOSTS = ("127.0.0.1", "localhost", "[::1]")


def make_app(token: str) -> Starlette:
    """Return the application that serves the page under /token/, and nothing elsewhere."""
    sessions = Sessions()
    page = files("rosenblatt.arena") / "page"
    assets = {one.name: one.read_bytes() for one in page.iterdir() if one.name.rpartition(".")[2] != "py"}

    async def static(request: Request) -> Response:
        refused = _refused(request, token)
        name = request.path_params.get("name") or "index.html"
        if refused or name not in assets:
            return refused or _plain("There is no such page.", 404)
        kind = KINDS.get(name[name.rfind(".") :], "application/octet-stream")
        return Response(assets[name], media_type=kind, headers=GUARDS)

    async def verb(request: Request) -> Response:
        refused = _refused(request, token)
        if refused:
            return refused
        body = await _body(request)
        if body is None:
            return _error(f"A request may have at most {LARGEST:,} bytes.", 413)
        try:
            values = json.loads(body)
        except (ValueError, RecursionError):
            return _error("A request must be JSON.", 400)
        return await run_in_threadpool(_answer, sessions, request.path_params["verb"], values)

    return Starlette(
        routes=[
            Route("/{token}/", static, methods=["GET"]),
            Route("/{token}/api/{verb}", verb, methods=["POST"]),
            Route("/{token}/{name}", static, methods=["GET"]),
        ],
        exception_handlers={404: _nothing_here, 405: _nothing_here},
    )


def _answer(sessions: Sessions, verb: str, values: Any) -> Response:
    try:
        found = sessions.ask(verb, values)
        text = json.dumps(found, ensure_ascii=False, allow_nan=False) if isinstance(found, dict) else ""
    except (ValueError, TypeError, ArithmeticError, MemoryError, RecursionError) as fault:
        return _error(str(fault) or "This could not be computed.", 400)
    if isinstance(found, dict):
        return Response(text, media_type="application/json", headers=GUARDS)
    headers = GUARDS | {"X-Side": str(len(found))}
    return Response(found.tobytes(), media_type="application/octet-stream", headers=headers)


def _refused(request: Request, token: str) -> Response | None:
    """Return the response to a request with a wrong token, host, origin or content type; None for others."""
    if not compare_digest(request.path_params["token"].encode(), token.encode()):
        return _plain("This page needs the address that `rosenblatt play` printed.", 403)
    host = request.headers.get("host", "").rpartition(":")[0] or request.headers.get("host", "")
    if host not in HOSTS:
        return _plain("This page answers only on this machine.", 403)
    origin = request.headers.get("origin")
    if origin is not None and origin != f"http://{request.headers.get('host')}":
        return _plain("Another page may not ask.", 403)
    if request.method == "POST" and not request.headers.get("content-type", "").startswith(
        "application/json"
    ):
        return _plain("A request must be JSON.", 415)
    return None


async def _body(request: Request) -> bytes | None:
    parts, size = list[bytes](), 0
    async for part in request.stream():
        size += len(part)
        if size > LARGEST:
            return None
        parts.append(part)
    return b"".join(parts)


async def _nothing_here(request: Request, fault: Exception) -> Response:
    return _plain("There is nothing here.", 404)


def _plain(text: str, status: int) -> Response:
    return PlainTextResponse(text, status, headers=GUARDS)


def _error(text: str, status: int) -> Response:
    return JSONResponse({"error": text[:500]}, status, headers=GUARDS)
