"""One JSON shape for every error response, whether from a system, the store, FastAPI or a bug.

{"error": {"code": "NotFound", "message": "…what to do…", "details": {…}, "requestId": "…"}}
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field, ValidationError
from starlette.exceptions import HTTPException
from starlette.routing import Match

from sortkey.errors import SortkeyError, ValidationException
from sortkey.web.document import methods_at
from sortkey.web.refusals import status_of

log = logging.getLogger("sortkey.web")

RETRY_SECONDS = 1
_RULES = ("value_error", "assertion_error")
"""Problems that a validator found: the value has the right type but breaks a rule."""
_CODES = {413: "TooLarge"}
"""Codes that differ from the phrase of the status. Python versions disagree about this phrase."""
_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


class ErrorBody(BaseModel):
    """What is wrong, and what to do."""

    code: str = Field(description="An identifier for programs", examples=["NotFound"])
    message: str = Field(description="A sentence for people, which says what to do")
    details: dict[str, Any] = Field(
        default_factory=dict, description="The values in the message, for programs"
    )
    requestId: str = Field(
        description="The id of the request in the server's log and in the header X-Request-Id"
    )


class ErrorAnswer(BaseModel):
    """Every error response."""

    error: ErrorBody


def errors_for(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The errors of a route, for its `responses`."""
    return {
        status: {"model": ErrorAnswer, "description": HTTPStatus(status).phrase}
        for status in statuses
    }


ANY_ERROR: dict[int | str, dict[str, Any]] = {
    422: {"model": ErrorAnswer, "description": "A value in the request is not valid"},
    "default": {"model": ErrorAnswer, "description": "Any other error"},
}
"""The errors that every route documents."""


def error_answer(
    request_id: str,
    status: int,
    code: str,
    message: str,
    details: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
) -> JSONResponse:
    """An error response."""
    error = ErrorBody(code=code, message=message, details=dict(details or {}), requestId=request_id)
    all_headers = dict(headers or {})
    if status in (429, 503):
        all_headers.setdefault("Retry-After", str(RETRY_SECONDS))
    return JSONResponse({"error": error.model_dump(mode="json")}, status, all_headers)


def internal_error(request_id: str) -> JSONResponse:
    """The response to a bug. It contains only the id under which the log has the reason."""
    message = f"the server failed: see its log under {request_id}"
    return error_answer(request_id, 500, "InternalError", message)


def request_id_of(request: Request) -> str:
    return getattr(request.state, "request_id", "")


def add_error_handlers(app: FastAPI) -> None:
    """Give all errors the same shape."""
    app.add_exception_handler(SortkeyError, _sortkey_error)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(ValidationError, _invalid)


async def _sortkey_error(request: Request, error: Any) -> JSONResponse:
    known = status_of(error)
    if known is None:
        log.error("request %s failed", request_id_of(request), exc_info=error)
        return internal_error(request_id_of(request))
    if isinstance(error, ValidationException):  # most likely the request, but it may be a bug
        log.warning("request %s was refused by the store", request_id_of(request), exc_info=error)
    details: dict[str, Any] = getattr(error, "details", {})
    headers: dict[str, str] | None = getattr(error, "headers", None)
    return error_answer(request_id_of(request), *known, str(error), details, headers)


async def _http_error(request: Request, error: Any) -> JSONResponse:
    phrase = HTTPStatus(error.status_code).phrase
    message = (
        str(error.detail) if error.detail != phrase else _plain(request, error.status_code, phrase)
    )
    code = _CODES.get(error.status_code) or phrase.title().replace(" ", "").replace("-", "")
    headers = (
        {"Allow": ", ".join(_methods_of(request))} if error.status_code == 405 else error.headers
    )
    return error_answer(request_id_of(request), error.status_code, code, message, None, headers)


def _methods_of(request: Request) -> list[str]:
    """All methods of the path. Starlette gives only those of the first route that matches."""
    documented = methods_at(request.app.openapi(), request.url.path)
    if documented:
        return documented
    routes = request.app.router.routes
    scopes = ({**request.scope, "method": method} for method in _METHODS)
    return [
        scope["method"]
        for scope in scopes
        if any(route.matches(scope)[0] is Match.FULL for route in routes)
    ]


def _plain(request: Request, status: int, phrase: str) -> str:
    path = request.url.path
    if status == 404:
        return f"there is nothing at {path}: see /docs for all routes"
    if status == 405:
        return f"{path} does not allow {request.method}: see /docs for its methods"
    return phrase.lower()


async def _invalid(request: Request, error: Any) -> JSONResponse:
    """Which value is wrong and why, but not the value itself, which may be a secret."""
    errors = error.errors()
    problems = [
        {"where": ".".join(map(str, problem["loc"])), "message": problem["msg"]}
        for problem in errors
    ]
    is_rule = all(problem["type"] in _RULES for problem in errors)
    code = "InvalidValue" if is_rule else "InvalidRequest"
    first = f"{problems[0]['where']}: {problems[0]['message']}" if problems else "a value is wrong"
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return error_answer(request_id_of(request), 422, code, first + more, {"problems": problems})
