"""Which entries from the internet require authentication, by their own settings, and which kind.

They still count as exposed in `internetExposedCount`, but paths through them are marked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from sortkey_systems.applens.estate import Estate
from sortkey_systems.applens.resources import Resource, is_unknown

Guard = Callable[[Estate, Resource], str]
CREDENTIALS = "credentials"


def guards(estate: Estate, exposed: Iterable[str]) -> dict[str, str]:
    """The authentication of each entry by address: IAM, an authorizer. Entries that accept anyone
    are left out.
    """
    entries = (
        estate.by_address[address] for address in sorted(exposed) if address in estate.by_address
    )
    guards_of = {
        entry.address: GUARDED[entry.type](estate, entry)
        for entry in entries
        if entry.type in GUARDED
    }
    return {address: guard for address, guard in guards_of.items() if guard}


def _function_url(estate: Estate, url: Resource) -> str:
    """IAM: `authorization_type` is AWS_IAM"""
    return "IAM" if url.get("authorization_type") == "AWS_IAM" else ""


def _rest_api(estate: Estate, api: Resource) -> str:
    """IAM or an authorizer: each method but OPTIONS has an `authorization`, and the API is not made
    from `body`
    """
    if api.get("body"):
        return ""
    methods = estate.parts(api, "aws_api_gateway_method")
    return _all_of(
        [
            method.get("authorization")
            for method in methods
            if method.get("http_method") != "OPTIONS"
        ]
    )


def _http_api(estate: Estate, api: Resource) -> str:
    """IAM or an authorizer: each route but OPTIONS has one (of a WebSocket `$connect`), and none is
    made otherwise
    """
    if api.get("target") or api.get("body"):
        return ""
    routes = {
        str(part.get("route_key", "")): part for part in estate.parts(api, "aws_apigatewayv2_route")
    }
    if api.get("protocol_type") == "WEBSOCKET":  # checked once, when the connection is made
        routes = {key: route for key, route in routes.items() if key == "$connect"}
    return _all_of(
        [
            route.get("authorization_type")
            for key, route in routes.items()
            if not key.startswith("OPTIONS ")
        ]
    )


def _graphql(estate: Estate, api: Resource) -> str:
    """IAM or an authorizer: neither `authentication_type` nor an additional one is API_KEY"""
    more = [
        block.get("authentication_type")
        for block in api.blocks("additional_authentication_provider")
    ]
    kinds = [api.get("authentication_type"), *more]
    return "" if "API_KEY" in kinds else _all_of(kinds)


def _load_balancer(estate: Estate, lb: Resource) -> str:
    """A login: each listener and each rule of one that passes requests on has an authenticate
    action before
    """
    listeners = [
        part for kind in ("aws_lb_listener", "aws_alb_listener") for part in estate.parts(lb, kind)
    ]
    kinds = ("aws_lb_listener_rule", "aws_alb_listener_rule")
    rules = [
        rule for listener in listeners for kind in kinds for rule in estate.parts(listener, kind)
    ]
    actions = [
        [
            str(action.get("type"))
            for name in ("default_action", "action")
            for action in block.blocks(name)
        ]
        for block in (*listeners, *rules)
    ]
    passing = [
        types for types in actions if not types or not set(types) <= {"redirect", "fixed-response"}
    ]
    asking = [
        any(kind.startswith(("authenticate-", "jwt-validation")) for kind in types)
        for types in passing
    ]
    return "a login" if asking and all(asking) else ""


def _credentials(estate: Estate, resource: Resource) -> str:
    """Credentials, always"""
    return CREDENTIALS


def _all_of(kinds: Sequence[object]) -> str:
    """The authentication that all of them require. Empty if one requires none, or it is not
    known.
    """
    names = [
        kind
        for kind in kinds
        if isinstance(kind, str) and kind not in ("", "NONE") and not is_unknown(kind)
    ]
    if not names or len(names) < len(kinds):
        return ""
    return "IAM" if set(names) == {"AWS_IAM"} else "an authorizer"


GUARDED: dict[str, Guard] = {
    "aws_lambda_function_url": _function_url,
    "aws_api_gateway_rest_api": _rest_api,
    "aws_apigatewayv2_api": _http_api,
    "aws_appsync_graphql_api": _graphql,
    "aws_lb": _load_balancer,
    "aws_alb": _load_balancer,
    "aws_eks_cluster": _credentials,
    "aws_transfer_server": _credentials,
}
