"""POST /: what Amazon's SDK calls here by a header. The login by password, and the callbacks of
steps that wait.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, cast

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from starlette.responses import JSONResponse

from sortkey_systems.vams.access.cognito import Answer, LoginRefused
from sortkey_systems.vams.routes.error_shape import NO_CACHE, Route
from sortkey_systems.vams.service import Vams
from sortkey_systems.vams.workflows.callbacks import CallbackRefused

LOGIN = "AWSCognitoIdentityProviderService"
CALLBACKS = "AWSStepFunctions"
AT_ONCE = 4
UNDERWAY_MAX = 40
"""Calls of a service that are answered or wait: for a second or two."""


@dataclass(slots=True)
class _Service:
    """A service of the protocol. It has threads apart from other requests, which a flood of calls
    must not hold up.
    """

    answer: Callable[[str, dict[str, Any]], Answer]
    media_type: str
    threads: CapacityLimiter
    underway: int = 0

    async def call(self, operation: str, body: dict[str, Any]) -> Answer:
        if self.underway >= UNDERWAY_MAX:
            raise LoginRefused("TooManyRequestsException", "Too many requests: try again later.")
        self.underway += 1
        try:
            return await run_sync(self.answer, operation, body, limiter=self.threads)
        finally:
            self.underway -= 1


def router(service: Vams) -> APIRouter:
    """The one route of these services."""
    made = APIRouter(route_class=Route, tags=["login"])
    summary = "Sign in (InitiateAuth, RespondToAuthChallenge), end a step (SendTaskSuccess)"
    # Not in our document: the protocol is Amazon's, chosen by a header.
    made.add_api_route(
        "/", endpoint(service), methods=["POST"], summary=summary, include_in_schema=False
    )
    return made


def endpoint(service: Vams) -> Callable[[Request], Coroutine[Any, Any, JSONResponse]]:
    """What answers."""
    login = _Service(service.cognito.answer, "application/x-amz-json-1.1", CapacityLimiter(AT_ONCE))
    callbacks = _Service(
        service.callbacks.answer, "application/x-amz-json-1.0", CapacityLimiter(AT_ONCE)
    )
    services = {LOGIN: login, CALLBACKS: callbacks}

    async def answer(request: Request) -> JSONResponse:
        """The header X-Amz-Target names the operation. No signature is needed: a login has a
        password, and a callback has the token of its step.
        """
        name, _, operation = request.headers.get("x-amz-target", "").partition(".")
        called = services.get(name, login)
        try:
            if name not in services:
                raise LoginRefused("UnknownOperationException", "X-Amz-Target is not known.")
            content = await called.call(operation, await _body(request))
        except (LoginRefused, CallbackRefused) as refusal:
            problem = {"__type": refusal.kind, "message": refusal.message}
            headers = {**NO_CACHE, "x-amzn-ErrorType": refusal.kind}
            return JSONResponse(problem, 400, headers, called.media_type)
        return JSONResponse(content, 200, NO_CACHE, called.media_type)

    return answer


async def _body(request: Request) -> dict[str, Any]:
    try:
        body = await request.json()
        json.dumps(body, ensure_ascii=False).encode()  # half of a pair (\\ud800) is not text
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict):
        raise LoginRefused("SerializationException", "The body must be a JSON object.")
    return cast("dict[str, Any]", body)
