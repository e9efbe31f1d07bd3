"""POST /: the login service of the password login, in the protocol of Amazon's SDK."""

from __future__ import annotations

from typing import Any, cast

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse

from sortkey_systems.vams.access.cognito import LoginRefused
from sortkey_systems.vams.routes.error_shape import NO_CACHE, Route
from sortkey_systems.vams.service import Vams

SERVICE = "AWSCognitoIdentityProviderService"
MEDIA_TYPE = "application/x-amz-json-1.1"


def router(service: Vams) -> APIRouter:
    """The one route of the login service."""
    made = APIRouter(route_class=Route, tags=["login"])

    @made.post("/", summary="Sign in (InitiateAuth, RespondToAuthChallenge)")
    async def sign_in(request: Request) -> JSONResponse:
        """The header X-Amz-Target names the operation. No token and no signature are needed."""
        name, _, operation = request.headers.get("x-amz-target", "").partition(".")
        try:
            if name != SERVICE:
                raise LoginRefused("UnknownOperationException", "X-Amz-Target is not known.")
            body = await _body(request)
            answer = await run_in_threadpool(service.cognito.answer, operation, body)
        except LoginRefused as refusal:
            content = {"__type": refusal.kind, "message": refusal.message}
            headers = {**NO_CACHE, "x-amzn-ErrorType": refusal.kind}
            return JSONResponse(content, 400, headers, MEDIA_TYPE)
        return JSONResponse(answer, 200, NO_CACHE, MEDIA_TYPE)

    _ = sign_in
    return made


async def _body(request: Request) -> dict[str, Any]:
    try:
        body = await request.json()
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict):
        raise LoginRefused("SerializationException", "The body must be a JSON object.")
    return cast("dict[str, Any]", body)
