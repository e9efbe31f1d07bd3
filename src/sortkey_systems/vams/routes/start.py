"""What a client asks when it starts: the version, the configuration, its profile and the pages it
may see.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path
from pydantic import BaseModel, ConfigDict, Field

from sortkey_systems.vams.access.objects import VERBS, Verb, WebObject
from sortkey_systems.vams.failures import Denied
from sortkey_systems.vams.model import AppFeatureEnabled
from sortkey_systems.vams.routes.callers import Me
from sortkey_systems.vams.routes.error_shape import ERRORS, Route
from sortkey_systems.vams.service import Vams

VERSION = "2.5.1"
UNUSED = "undefined"
UNUSED_SETTINGS = (
    "cognitoIdentityPoolId",
    "externalOAuthIdpURL",
    "externalOAuthIdpClientId",
    "externalOAuthIdpScope",
    "externalOAuthIdpScopeMfa",
    "externalOAuthIdpTokenEndpoint",
    "externalOAuthIdpAuthorizationEndpoint",
    "externalOAuthIdpDiscoveryEndpoint",
    "contentSecurityPolicy",
)

UserPath = Annotated[str, Path(max_length=256, examples=["ines@example.com"])]


class WebRoute(BaseModel):
    """A page of the web application and the verb it is opened with."""

    model_config = ConfigDict(extra="allow")
    method: str = "GET"
    route__path: Annotated[str, Field(max_length=1024)]


class RoutesRequest(BaseModel):
    """Pages to ask about."""

    routes: Annotated[list[WebRoute], Field(max_length=500)]


def public_router(service: Vams) -> APIRouter:
    """Without a token."""
    router = APIRouter(route_class=Route, tags=["start"])

    @router.get("/api/version", summary="The version of the interface", responses=ERRORS)
    def version() -> dict[str, str]:
        return {"version": VERSION}

    @router.get("/api/amplify-config", summary="The configuration of clients", responses=ERRORS)
    def configuration() -> dict[str, str]:
        """Where the interface is and how to sign in."""
        pool = service.installation.pool
        return {
            "api": service.resources.url,
            "region": "us-east-1",
            "cognitoUserPoolId": pool.pool_id,
            "cognitoAppClientId": pool.client_id,
            "stackName": "sortkey",
            "bannerHtmlMessage": "",
            **dict.fromkeys(UNUSED_SETTINGS, UNUSED),
        }

    @router.get(
        "/{pool_id}/.well-known/jwks.json",
        summary="The key that tokens are checked by",
        responses=ERRORS,
    )
    def keys(pool_id: str) -> dict[str, Any]:
        if pool_id != service.installation.pool.pool_id:
            raise Denied
        return service.signing_key.document()

    _ = version, configuration, keys
    return router


def known_router(service: Vams) -> APIRouter:
    """For every caller who is known."""
    router = APIRouter(route_class=Route, tags=["start"])

    @router.get("/secure-config", summary="The features of the installation", responses=ERRORS)
    def secure_configuration(me: Me) -> dict[str, str]:
        features = sorted(each.feature_name for each in service.store.scan(AppFeatureEnabled))
        return {
            "featuresEnabled": ",".join(features),
            "webDeployedUrl": service.resources.url,
            "locationServiceApiUrl": "",
        }

    @router.get("/auth/loginProfile/{user_id}", summary="My profile", responses=ERRORS)
    @router.post("/auth/loginProfile/{user_id}", summary="My profile, stored", responses=ERRORS)
    def login_profile(user_id: UserPath, me: Me) -> dict[str, Any]:
        """The profile of the caller. It is created when it is first asked for."""
        if user_id != me.user_id:
            service.audit.record(
                "AUTHORIZATION", me, "denied", f"loginProfile/{user_id}", is_denied=True
            )
            raise Denied
        return {"message": {"Items": [service.users.profile(me)]}}

    @router.post("/auth/routes", summary="The web pages that I may see", responses=ERRORS)
    def web_routes(wanted: RoutesRequest, me: Me) -> dict[str, Any]:
        """Those of the given pages that the caller may open."""
        allowed = [
            route.model_dump()
            for route in wanted.routes
            if (verb := _verb(route.method)) is not None
            and service.access.allowed(me, verb, WebObject(route.route__path))
        ]
        return {"allowedRoutes": allowed, "email": me.user_id}

    _ = secure_configuration, login_profile, web_routes
    return router


def _verb(method: str) -> Verb | None:
    return next((verb for verb in VERBS if verb == method.upper()), None)
