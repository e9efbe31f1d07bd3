"""Rules on what faces callers: load balancers, CloudFront, API Gateway, function URLs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sortkey_systems.applens.resources import Resource, as_list, is_false, is_true, is_unknown
from sortkey_systems.applens.rules.definition import Hit, Subject, rule

_LISTENER_RULES = ("aws_lb_listener_rule", "aws_alb_listener_rule")
_WEAK_POLICY = re.compile(
    r"ELBSecurityPolicy-(2015|2016-08|TLS-1-0|TLS-1-1|FS-2018-06|FS-1-1|TLS13-1-0|TLS13-1-1)"
)


@rule(
    "EDGE-01",
    "Load balancer takes plain HTTP",
    "I",
    "medium",
    why="Passwords and sessions go over the network in the clear.",
    evidence="the listener and its load balancer",
    fix="Listen on HTTPS with a certificate, and let the HTTP listener only redirect to it.",
)
def plaintext_listener(subject: Subject) -> Iterator[Hit]:
    for listener in subject.of("aws_lb_listener", "aws_alb_listener"):
        rules = [rule for kind in _LISTENER_RULES for rule in subject.estate.parts(listener, kind)]
        actions = [
            *listener.blocks("default_action"),
            *(action for rule in rules for action in rule.blocks("action")),
        ]
        plain = (
            listener.get("protocol", "HTTP" if listener.get("port") in (80, "80") else "") == "HTTP"
        )
        if plain and not all(map(_is_harmless, actions)):
            balancer = listener.targets("load_balancer_arn")
            inside = bool(balancer) and not subject.exposed & set(balancer)
            yield Hit((listener.address, *balancer), severity="low" if inside else None)
    for elb in subject.of("aws_elb"):
        if any(str(block.get("lb_protocol")).lower() == "http" for block in elb.blocks("listener")):
            yield Hit((elb.address,), severity=None if elb.address in subject.exposed else "low")


def _is_harmless(action: dict[str, Any]) -> bool:
    """A fixed response, or a redirect to HTTPS. A redirect without a protocol stays with HTTP."""
    if action.get("type") != "redirect":
        return action.get("type") == "fixed-response"
    return all(
        str(redirect.get("protocol", "HTTP")) != "HTTP"
        for redirect in as_list(action.get("redirect"))
    )


@rule(
    "EDGE-02",
    "TLS policy allows old protocols",
    "I",
    "medium",
    why="TLS 1.0 and 1.1 have known weaknesses. The policy that a listener has when none is given allows them.",
    evidence="the listener",
    fix="Set ssl_policy to ELBSecurityPolicy-TLS13-1-2-2021-06.",
)
def weak_tls_policy(subject: Subject) -> Iterator[Hit]:
    for listener in subject.of("aws_lb_listener", "aws_alb_listener"):
        if listener.get("protocol") in ("HTTPS", "TLS"):
            policy = str(listener.get("ssl_policy", ""))
            if not policy or _WEAK_POLICY.match(policy):
                yield Hit((listener.address,), policy or "the default", None if policy else "low")


@rule(
    "EDGE-03",
    "CloudFront serves plain HTTP",
    "I",
    "medium",
    why="Visitors can be read and their pages changed on the way.",
    evidence="the distribution",
    fix='Set viewer_protocol_policy to "redirect-to-https" or "https-only" on every behaviour.',
)
def cloudfront_http(subject: Subject) -> Iterator[Hit]:
    for resource in subject.of("aws_cloudfront_distribution"):
        behaviours = [
            *resource.blocks("default_cache_behavior"),
            *resource.blocks("ordered_cache_behavior"),
        ]
        if any(block.get("viewer_protocol_policy") == "allow-all" for block in behaviours):
            yield Hit((resource.address,))


@rule(
    "EDGE-04",
    "CloudFront or API domain allows old TLS",
    "I",
    "medium",
    why="With a custom certificate and no minimum version, TLS 1.0 is allowed.",
    evidence="the distribution or domain name",
    fix="Set minimum_protocol_version to TLSv1.2_2021, and security_policy of an API's domain to TLS_1_2.",
)
def cloudfront_tls(subject: Subject) -> Iterator[Hit]:
    for resource in subject.of("aws_cloudfront_distribution"):
        own = resource.get("viewer_certificate.acm_certificate_arn") or resource.get(
            "viewer_certificate.iam_certificate_id"
        )
        version = str(resource.get("viewer_certificate.minimum_protocol_version", "TLSv1"))
        if own and not is_unknown(version) and not re.match(r"TLSv1\.[23]", version):
            yield Hit((resource.address,), version)
    for resource in subject.of("aws_api_gateway_domain_name"):
        if resource.get("security_policy") == "TLS_1_0":
            yield Hit((resource.address,), "TLS_1_0")


@rule(
    "EDGE-05",
    "CloudFront reaches its origin over plain HTTP",
    "I",
    "medium",
    why="Half of the way is in the clear although the visitor sees a lock.",
    evidence="the distribution",
    fix='Set origin_protocol_policy to "https-only".',
)
def cloudfront_origin(subject: Subject) -> Iterator[Hit]:
    for resource in subject.of("aws_cloudfront_distribution"):
        origins = resource.blocks("origin.custom_origin_config")
        if any(
            origin.get("origin_protocol_policy") in ("http-only", "match-viewer")
            for origin in origins
        ):
            yield Hit((resource.address,))


@rule(
    "API-01",
    "Public route without authentication",
    "S",
    "high",
    why="Anyone on the internet can call what stands behind it.",
    evidence="the method, route or function URL, and its API or function",
    fix=(
        "Set an authorizer: IAM, JWT, Cognito or Lambda.",
        "If it is meant to be public, check that it is throttled.",
    ),
    confidence="medium",
)
def open_route(subject: Subject) -> Iterator[Hit]:
    for method in subject.of("aws_api_gateway_method"):
        open_method = method.get("authorization", "NONE") == "NONE" and not is_true(
            method.get("api_key_required")
        )
        if (
            open_method
            and method.get("http_method") != "OPTIONS"
            and _is_public(subject, method, "rest_api_id")
        ):
            yield Hit((method.address, *method.targets("rest_api_id")))
    for route in subject.of("aws_apigatewayv2_route"):
        preflight = str(route.get("route_key", "")).startswith(("OPTIONS ", "$disconnect"))
        if (
            route.get("authorization_type", "NONE") == "NONE"
            and not preflight
            and not is_true(route.get("api_key_required"))
        ):
            yield Hit((route.address, *route.targets("api_id")), severity="medium")
    for api in subject.of("aws_apigatewayv2_api"):
        if api.get("target"):  # makes one route for everything, which has no authorizer
            yield Hit((api.address, *api.targets("target")), severity="medium")
    for api in subject.of("aws_appsync_graphql_api"):
        if api.get("authentication_type") == "API_KEY" and api.address in subject.exposed:
            yield Hit(
                (api.address,), "an API key, which every page that uses it gives away", "medium"
            )
    for url in subject.of("aws_lambda_function_url"):
        if url.get("authorization_type") == "NONE":
            yield Hit((url.address, *url.targets("function_name")))


def _is_public(subject: Subject, part: Resource, path: str) -> bool:
    apis = part.targets(path)
    return not apis or bool(subject.exposed & set(apis))


@rule(
    "API-02",
    "API without throttling",
    "D",
    "medium",
    why="One caller can use up the account's concurrency and its budget.",
    evidence="the stage",
    fix="Set throttling limits on the stage, in aws_api_gateway_method_settings or in a usage plan.",
)
def no_throttling(subject: Subject) -> Iterator[Hit]:
    for stage in subject.of("aws_apigatewayv2_stage"):
        settings = [*stage.blocks("default_route_settings"), *stage.blocks("route_settings")]
        if not any(_limit(block) for block in settings):
            yield Hit((stage.address, *stage.targets("api_id")))
    planned = {
        address
        for plan in subject.of("aws_api_gateway_usage_plan")
        for address in plan.targets("api_stages")
    }
    for stage in subject.of("aws_api_gateway_stage"):
        settings = subject.estate.parts(stage, "aws_api_gateway_method_settings")
        for api in subject.estate.targets(stage, "rest_api_id"):
            settings += subject.estate.parts(api, "aws_api_gateway_method_settings")
        limited = any(_limit(block) for setting in settings for block in setting.blocks("settings"))
        if not limited and stage.address not in planned:
            yield Hit((stage.address, *stage.targets("rest_api_id")))


def _limit(block: dict[str, Any]) -> bool:
    value = block.get("throttling_rate_limit")
    return value is not None and value not in (-1, "-1")


@rule(
    "API-03",
    "API without access logs",
    "R",
    "low",
    why="Nobody can say who called what.",
    evidence="the stage",
    fix="Set access_log_settings.",
)
def no_access_logs(subject: Subject) -> Iterator[Hit]:
    for stage in subject.of("aws_apigatewayv2_stage", "aws_api_gateway_stage"):
        if not stage.blocks("access_log_settings"):
            yield Hit((stage.address,))


@rule(
    "API-04",
    "API accepts calls from any website",
    "S",
    "low",
    why="Any page that a user visits can call the API from the user's browser.",
    evidence="the API or function URL",
    fix="List the origins of your own sites.",
    confidence="medium",
)
def any_origin(subject: Subject) -> Iterator[Hit]:
    for kind, block in (
        ("aws_apigatewayv2_api", "cors_configuration"),
        ("aws_lambda_function_url", "cors"),
    ):
        for resource in subject.of(kind):
            if "*" in as_list(resource.get(f"{block}.allow_origins")):
                credentials = is_true(resource.get(f"{block}.allow_credentials"))
                yield Hit((resource.address,), severity="high" if credentials else None)
    for resource in subject.of("aws_s3_bucket_cors_configuration"):
        for cors in resource.blocks("cors_rule"):
            methods = {*as_list(cors.get("allowed_methods"))} - {"GET", "HEAD"}
            if "*" in as_list(cors.get("allowed_origins")) and methods:
                yield Hit(
                    (resource.address, *resource.targets("bucket")),
                    ", ".join(sorted(map(str, methods))),
                )


@rule(
    "EDGE-06",
    "Public entry without a web application firewall",
    "D",
    "low",
    why="Known attacks and floods reach the application itself.",
    evidence="the load balancer, distribution or stage",
    fix="Associate an AWS WAF web ACL with managed rules.",
    confidence="medium",
)
def no_waf(subject: Subject) -> Iterator[Hit]:
    for resource in subject.of(
        "aws_lb", "aws_alb", "aws_cloudfront_distribution", "aws_api_gateway_rest_api"
    ):
        if (
            resource.address not in subject.exposed
            or resource.get("load_balancer_type") == "network"
            or resource.get("web_acl_id")
        ):
            continue
        parts = [resource, *subject.estate.parts(resource, "aws_api_gateway_stage")]
        if not any(subject.estate.parts(part, "aws_wafv2_web_acl_association") for part in parts):
            yield Hit((resource.address,))


@rule(
    "EDGE-07",
    "Files are taken over FTP",
    "I",
    "medium",
    why="Passwords and files go over the network in the clear.",
    evidence="the server",
    fix="Use SFTP, FTPS or AS2.",
)
def plain_ftp(subject: Subject) -> Iterator[Hit]:
    for resource in subject.of("aws_transfer_server"):
        if "FTP" in as_list(resource.get("protocols")):
            yield Hit((resource.address,))


@rule(
    "EDGE-08",
    "Public entry without access logs",
    "R",
    "low",
    why="Nobody can say who asked for what, and when an attack began.",
    evidence="the load balancer or distribution",
    fix="Set access_logs of the load balancer, and logging_config of the distribution.",
)
def no_entry_logs(subject: Subject) -> Iterator[Hit]:
    for resource in subject.of("aws_lb", "aws_alb", "aws_elb", "aws_cloudfront_distribution"):
        stated = resource.blocks(
            "logging_config" if resource.type == "aws_cloudfront_distribution" else "access_logs"
        )
        off = all(is_false(block.get("enabled")) for block in stated)
        if resource.address in subject.exposed and off:
            yield Hit((resource.address,))


@rule(
    "EDGE-09",
    "CloudFront with its default certificate",
    "I",
    "low",
    why="With the certificate of *.cloudfront.net no minimum of TLS can be set: visitors may use TLS 1.0.",
    evidence="the distribution",
    fix="Use a name and an ACM certificate of your own, with minimum_protocol_version TLSv1.2_2021.",
)
def default_certificate(subject: Subject) -> Iterator[Hit]:
    for resource in subject.of("aws_cloudfront_distribution"):
        if is_true(resource.get("viewer_certificate.cloudfront_default_certificate")):
            yield Hit((resource.address,))
