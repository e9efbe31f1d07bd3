"""Errors in the shape that the clients of this interface read: `{statusCode, error, message,
code}`.

A route class catches what a handler or its dependencies raise: the shape holds for these paths only.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine, Mapping
from http import HTTPStatus
from typing import Any

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from pydantic import ValidationError
from starlette.exceptions import HTTPException

from sortkey.errors import SortkeyError
from sortkey.web import status_of
from sortkey_systems.wallcrawler.answers import ErrorAnswer

log = logging.getLogger("sortkey.wallcrawler")

Responses = dict[int | str, dict[str, Any]]
_BODY = {"application/json": {"schema": ErrorAnswer.model_json_schema()}}
"""As text: of a model, FastAPI would make a validator for each status of each route when it starts.
"""
ANY_ERROR: Responses = {
    422: {
        "content": _BODY,
        "description": "Not used: what cannot be read is answered with 400",
    },
    "default": {"content": _BODY, "description": "Any answer that is not a success"},
}
"""Every route has these."""


def errors_for(*statuses: int) -> Responses:
    """What a route can answer besides success, for its `responses`."""
    responses = {
        status: {"content": _BODY, "description": HTTPStatus(status).phrase} for status in statuses
    }
    return {**responses, **ANY_ERROR}


def error_answer(
    status: int, code: str, message: str, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    """One error, in the shape."""
    body = ErrorAnswer(status_code=status, error=_phrase(status), message=message, code=code)
    return JSONResponse(body.model_dump(by_alias=True), status, dict(headers or {}))


def answer_of(error: Exception, request_id: str = "") -> JSONResponse:
    """The answer to whatever was raised. What is not known stays in the log."""
    if isinstance(error, SortkeyError):
        known = status_of(error)
        if known is not None:
            headers: dict[str, str] | None = getattr(error, "headers", None)
            return error_answer(*known, str(error), headers)
    if isinstance(error, HTTPException):
        phrase = _phrase(error.status_code)
        return error_answer(
            error.status_code, phrase.replace(" ", ""), str(error.detail), error.headers
        )
    if isinstance(error, (RequestValidationError, ValidationError)):
        return error_answer(400, "InvalidRequest", _problems(error))
    log.error("request %s failed", request_id, exc_info=error)
    message = f"something went wrong here: the server's log has more under {request_id}"
    return error_answer(500, "InternalError", message)


class Route(APIRoute):
    """A route whose errors have the shape of this interface."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handler = super().get_route_handler()

        async def shaped(request: Request) -> Response:
            try:
                return await handler(request)
            except Exception as error:
                return answer_of(error, getattr(request.state, "request_id", ""))

        return shaped


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Error"


def _problems(error: RequestValidationError | ValidationError) -> str:
    """Where values are wrong and why; not the values, which may be secrets."""
    problems = error.errors()
    shown = [
        f"{'.'.join(str(step) for step in each['loc'])}: {each['msg']}" for each in problems[:3]
    ]
    more = f" (and {len(problems) - 3} more)" if len(problems) > 3 else ""
    return "; ".join(shown) + more
