"""POST /: the login service of the password login, in the protocol of Amazon's SDK."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from typing import Any, cast

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from starlette.responses import JSONResponse

from sortkey_systems.vams.access.cognito import Answer, LoginRefused
from sortkey_systems.vams.routes.error_shape import NO_CACHE, Route
from sortkey_systems.vams.service import Vams

SERVICE = "AWSCognitoIdentityProviderService"
MEDIA_TYPE = "application/x-amz-json-1.1"
LOGINS_AT_ONCE = 4
UNDERWAY_MAX = 40
"""Logins that are answered or wait: for a second or two."""


def router(service: Vams) -> APIRouter:
    """The one route of the login service."""
    made = APIRouter(route_class=Route, tags=["login"])
    summary = "Sign in (InitiateAuth, RespondToAuthChallenge)"
    # Not in our document: the protocol is that of Amazon Cognito, chosen by a header.
    made.add_api_route(
        "/", endpoint(service), methods=["POST"], summary=summary, include_in_schema=False
    )
    return made


def endpoint(service: Vams) -> Callable[[Request], Coroutine[Any, Any, JSONResponse]]:
    """What answers. Logins have threads apart from other requests, which a flood of them must not
    hold up.
    """
    threads = CapacityLimiter(LOGINS_AT_ONCE)
    underway = 0

    async def answer_of(request: Request) -> Answer:
        nonlocal underway
        name, _, operation = request.headers.get("x-amz-target", "").partition(".")
        if name != SERVICE:
            raise LoginRefused("UnknownOperationException", "X-Amz-Target is not known.")
        body = await _body(request)
        if underway >= UNDERWAY_MAX:
            raise LoginRefused("TooManyRequestsException", "Too many requests: try again later.")
        underway += 1
        try:
            return await run_sync(service.cognito.answer, operation, body, limiter=threads)
        finally:
            underway -= 1

    async def sign_in(request: Request) -> JSONResponse:
        """The header X-Amz-Target names the operation. No token and no signature are needed."""
        try:
            answer = await answer_of(request)
        except LoginRefused as refusal:
            content = {"__type": refusal.kind, "message": refusal.message}
            headers = {**NO_CACHE, "x-amzn-ErrorType": refusal.kind}
            return JSONResponse(content, 400, headers, MEDIA_TYPE)
        return JSONResponse(answer, 200, NO_CACHE, MEDIA_TYPE)

    return sign_in


async def _body(request: Request) -> dict[str, Any]:
    try:
        body = await request.json()
        json.dumps(body, ensure_ascii=False).encode()  # half of a pair (\\ud800) is not text
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict):
        raise LoginRefused("SerializationException", "The body must be a JSON object.")
    return cast("dict[str, Any]", body)
