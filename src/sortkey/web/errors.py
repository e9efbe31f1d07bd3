"""One shape for every answer that is no success, whoever refused: a system, the store, FastAPI, or
a fault of ours.

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
"""What a validator says: the value has the right type, as the document has it, and breaks a rule.
"""
_CODES = {413: "TooLarge"}
"""Where the phrase is not the name that the same refusal has elsewhere; also, Python has changed
this one.
"""
_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


class ErrorBody(BaseModel):
    """What was refused, and what to do."""

    code: str = Field(description="A name for programs", examples=["NotFound"])
    message: str = Field(description="A sentence for people, with what to do")
    details: dict[str, Any] = Field(
        default_factory=dict, description="What the message is about, for programs"
    )
    requestId: str = Field(
        description="Names the request in the server's log; also in the header X-Request-Id"
    )


class ErrorAnswer(BaseModel):
    """Every answer that is no success."""

    error: ErrorBody


def errors_for(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """What a route can answer besides success, for its `responses`."""
    return {
        each: {"model": ErrorAnswer, "description": HTTPStatus(each).phrase} for each in statuses
    }


ANY_ERROR: dict[int | str, dict[str, Any]] = {
    422: {"model": ErrorAnswer, "description": "A value in the request is not what it should be"},
    "default": {"model": ErrorAnswer, "description": "Any other answer that is no success"},
}
"""Every route has these."""


def error_answer(
    request_id: str,
    status: int,
    code: str,
    message: str,
    details: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
) -> JSONResponse:
    """An answer in the shape of all errors."""
    error = ErrorBody(code=code, message=message, details=dict(details or {}), requestId=request_id)
    sent = dict(headers or {})
    if status in (429, 503):
        sent.setdefault("Retry-After", str(RETRY_SECONDS))
    return JSONResponse({"error": error.model_dump(mode="json")}, status, sent)


def internal_error(request_id: str) -> JSONResponse:
    """A fault of ours: nothing is told but the id under which it stands in the log."""
    message = f"the server failed; its log has the reason under {request_id}"
    return error_answer(request_id, 500, "InternalError", message)


def request_id_of(request: Request) -> str:
    return getattr(request.state, "request_id", "")


def add_error_handlers(app: FastAPI) -> None:
    """Answer every kind of error in the one shape."""
    app.add_exception_handler(SortkeyError, _sortkey_error)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(ValidationError, _invalid)


async def _sortkey_error(request: Request, error: Any) -> JSONResponse:
    known = status_of(error)
    if known is None:
        log.error("request %s failed", request_id_of(request), exc_info=error)
        return internal_error(request_id_of(request))
    if isinstance(
        error, ValidationException
    ):  # most likely what was sent; if not, it is a mistake of ours
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
    """All that the path takes. Starlette names only those of the first route that has it."""
    documented = methods_at(request.app.openapi(), request.url.path)
    if documented:
        return documented
    routes = request.app.router.routes
    scopes = ({**request.scope, "method": method} for method in _METHODS)
    return [
        each["method"]
        for each in scopes
        if any(route.matches(each)[0] is Match.FULL for route in routes)
    ]


def _plain(request: Request, status: int, phrase: str) -> str:
    path = request.url.path
    if status == 404:
        return f"there is nothing at {path}: /docs lists what there is"
    if status == 405:
        return f"{path} does not take {request.method}: /docs lists what it takes"
    return phrase.lower()


async def _invalid(request: Request, error: Any) -> JSONResponse:
    """Where a value is wrong and why; not the value, which may be a secret."""
    problems = error.errors()
    found = [
        {"where": ".".join(map(str, each["loc"])), "message": each["msg"]} for each in problems
    ]
    is_rule = all(each["type"] in _RULES for each in problems)
    code = "InvalidValue" if is_rule else "InvalidRequest"
    first = f"{found[0]['where']}: {found[0]['message']}" if found else "a value is wrong"
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return error_answer(request_id_of(request), 422, code, first + more, {"problems": found})
