"""Errors as clients of this interface read them: a status and `{"message": …}`.

A route class catches what a handler or its dependencies raise, so that the shape holds for these
paths only.
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
from sortkey_systems.vams.answers import ErrorAnswer

log = logging.getLogger("sortkey.vams")

NO_CACHE = {"Cache-Control": "no-cache, no-store"}
Responses = dict[int | str, dict[str, Any]]
_RETRY_SECONDS = 1
_BODY = {"application/json": {"schema": ErrorAnswer.model_json_schema()}}
"""As text: of a model, FastAPI would make a validator for each status of each route when it starts.
"""


def errors_for(*statuses: int) -> Responses:
    """What a route can answer besides success, for its `responses`."""
    known: Responses = {
        status: {"content": _BODY, "description": HTTPStatus(status).phrase}
        for status in (400, 401, 403, *statuses)
    }
    unused = "Not used: what cannot be read is answered with 400"
    return {
        **known,
        413: {"description": "More than a megabyte: refused by the host, in its own shape"},
        422: {"content": _BODY, "description": unused},
        "default": {"content": _BODY, "description": "Any other error"},
    }


ERRORS = errors_for(404)
"""For most routes."""


def error_answer(
    status: int, message: str, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    """One error, in the shape."""
    all_headers = {**NO_CACHE, **(headers or {})}
    if status in (429, 503):
        all_headers.setdefault("Retry-After", str(_RETRY_SECONDS))
    text = message.encode("utf-8", "replace").decode()  # it may quote half of a pair (\\ud800)
    return JSONResponse({"message": text}, status, all_headers)


def answer_of(error: Exception, request_id: str = "") -> JSONResponse:
    """The answer to whatever was raised. What is not known stays in the log."""
    if isinstance(error, SortkeyError):
        known = status_of(error)
        if known is not None:
            status = 400 if known[0] == 422 else known[0]
            headers: dict[str, str] | None = getattr(error, "headers", None)
            return error_answer(status, str(error), headers)
    if isinstance(error, HTTPException):
        return error_answer(error.status_code, str(error.detail), error.headers)
    if isinstance(error, (RequestValidationError, ValidationError)):
        return error_answer(400, _problems(error))
    log.error("request %s failed", request_id, exc_info=error)
    return error_answer(500, f"Internal Server Error: the server's log has it as {request_id}")


class Route(APIRoute):
    """A route whose errors have the shape of this interface, and whose answers are not cached."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handler = super().get_route_handler()

        async def shaped(request: Request) -> Response:
            try:
                response = await handler(request)
            except Exception as error:
                return answer_of(error, getattr(request.state, "request_id", ""))
            if response.headers.get("content-type", "").startswith("application/json"):
                response.headers.setdefault("Cache-Control", NO_CACHE["Cache-Control"])
            return response

        return shaped


def _problems(error: RequestValidationError | ValidationError) -> str:
    """Where values are wrong and why; not the values, which may be secrets."""
    problems = error.errors()
    shown = [f"{_place(each['loc'])}{each['msg']}" for each in problems[:3]]
    more = f" (and {len(problems) - 3} more)" if len(problems) > 3 else ""
    return "Invalid request: " + "; ".join(shown) + more


def _place(location: tuple[int | str, ...]) -> str:
    steps = [str(step) for step in location if step not in ("body", "query", "path")]
    return f"{'.'.join(steps)}: " if steps else ""
