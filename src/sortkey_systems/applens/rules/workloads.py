"""Rules on compute and what surrounds it: instances, clusters, functions, secrets, keys, trails."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, cast

from sortkey_systems.applens.estate import is_world
from sortkey_systems.applens.resources import (
    Resource,
    as_list,
    is_false,
    is_set,
    is_true,
    is_unknown,
    json_of,
)
from sortkey_systems.applens.rules.containers import containers_of
from sortkey_systems.applens.rules.definition import Hit, Subject, rule
from sortkey_systems.applens.secrecy import (
    decoded,
    is_literal,
    is_secret,
    is_stated,
    names_a_secret,
    script_secrets,
    without,
)
from sortkey_systems.applens.sensitive import Sensitive

_PASSWORDS = frozenset(
    {
        *(
            "password",
            "passwords",
            "master_password",
            "master_user_password",
            "admin_password",
            "token",
        ),
        *("auth_token", "oauth_token", "client_secret", "shared_secret", "api_secret"),
        *("secret_key", "secret_access_key", "private_key"),
    }
)
"""Attributes that hold a secret in any resource."""
_MAKERS = ("random_", "tls_", "time_", "null_", "terraform_")


@rule(
    "EC2-01",
    "Instance metadata without a session token",
    "E",
    "medium",
    why="A server that can be made to fetch an address gives away the role's credentials (IMDSv1).",
    evidence="the instance or launch template",
    fix='Add metadata_options { http_tokens = "required" }.',
)
def metadata_v1(subject: Subject) -> Iterator[Hit]:
    for resource in subject.of("aws_instance", "aws_spot_instance_request", "aws_launch_template"):
        tokens = resource.get("metadata_options.http_tokens", "optional")
        disabled = resource.get("metadata_options.http_endpoint") == "disabled"
        elsewhere = resource.type != "aws_launch_template" and resource.blocks("launch_template")
        if tokens == "optional" and not disabled and not elsewhere:
            yield Hit((resource.address,))
    for resource in subject.of("aws_launch_configuration"):
        if resource.get("metadata_options.http_tokens") != "required":
            yield Hit((resource.address,))


@rule(
    "SEC-01",
    "Secret written in the source",
    "I",
    "high",
    why="Everyone who can read the repository or the state has it, and so has every copy.",
    evidence="the variable, local or provider that states it, or else the resource; the value itself is not shown",
    fix=(
        "Keep it in Secrets Manager or SSM and refer to it.",
        "Change the secret: it is known now.",
    ),
    confidence="medium",
)
def written_secret(subject: Subject) -> Iterator[Hit]:
    secrets = frozenset[str]()
    for declaration in (
        resource for resource in subject.estate.resources if resource.mode == "declaration"
    ):
        secret_values = {
            name: value for name, value in declaration.attributes.items() if is_secret(name, value)
        }
        secrets |= {value for value in secret_values.values() if not isinstance(value, Sensitive)}
        if secret_values:
            yield Hit((declaration.address,), ", ".join(secret_values))
    for resource in subject.estate.resources:
        if resource.mode == "managed" and not resource.type.startswith(_MAKERS):
            # The literal of a variable is reported there, not again where the variable is used.
            elsewhere = frozenset(secret for secret in secrets if secret not in resource.written)
            plain = (
                replace(resource, attributes=without(elsewhere, resource.attributes))
                if elsewhere
                else resource
            )
            secret_values = [*_stated(plain.attributes), *_kept(plain), *_scripted(plain)]
            secret_values += sorted(
                name for name, value in _environment(plain) if is_secret(name, value)
            )
            if secret_values:
                yield Hit((resource.address,), ", ".join(dict.fromkeys(secret_values)))


def _stated(value: Any, path: str = "") -> Iterator[str]:
    """Paths of attributes that are secrets by their name and have a literal value."""
    if isinstance(value, list):
        for item in cast(list[Any], value):
            yield from _stated(item, path)
    elif isinstance(value, dict):
        for name, inner in cast(dict[str, Any], value).items():
            where = f"{path}.{name}" if path else name
            if name in _PASSWORDS and any(is_stated(part) for part in as_list(inner)):
                yield where
            else:
                yield from _stated(inner, where)


def _kept(resource: Resource) -> Iterator[str]:
    """The values of resources that store secrets, if they are literals in the source."""
    if (
        resource.type == "aws_ssm_parameter"
        and resource.get("type") == "SecureString"
        and is_stated(resource.get("value"))
    ):
        yield "value"
    if resource.type == "aws_secretsmanager_secret_version":
        text = resource.get("secret_string", "")
        inner = json_of(text)
        if isinstance(inner, dict):
            pairs = cast(dict[str, Any], inner).items()
            yield from (
                f"secret_string.{name}"
                for name, value in pairs
                if names_a_secret(name) and is_literal(value)
            )
        elif is_stated(text):
            yield "secret_string"


def _scripted(resource: Resource) -> Iterator[str]:
    for name in ("user_data", "user_data_base64"):
        for secret in script_secrets(decoded(str(resource.get(name, "")))):
            yield f"{name}: {secret}"


def _environment(resource: Resource) -> Iterator[tuple[str, Any]]:
    if resource.type == "aws_lambda_function":
        variables = resource.get("environment.variables", {})
        yield from cast(dict[str, Any], variables).items() if isinstance(variables, dict) else ()
    elif resource.type == "aws_codebuild_project":
        for block in resource.blocks("environment.environment_variable"):
            if block.get("type", "PLAINTEXT") == "PLAINTEXT":
                yield str(block.get("name")), block.get("value")
    for container in containers_of(resource):
        for pair in as_list(container.get("environment")):
            if isinstance(pair, dict):
                yield str(cast(Any, pair).get("name")), cast(Any, pair).get("value")


@rule(
    "SEC-02",
    "Secret in a plain parameter",
    "I",
    "medium",
    why="A parameter of type String is not encrypted, and more may read it.",
    evidence="the parameter",
    fix="Set type = SecureString.",
    confidence="medium",
)
def plain_parameter(subject: Subject) -> Iterator[Hit]:
    for resource in subject.of("aws_ssm_parameter"):
        name = str(resource.get("name", resource.name))
        if resource.get("type") in ("String", "StringList") and names_a_secret(name):
            yield Hit((resource.address,))


@rule(
    "EKS-01",
    "Kubernetes API open to the internet",
    "E",
    "high",
    why="A stolen token, or a flaw in the API server, can be used from anywhere.",
    evidence="the cluster",
    fix="Set endpoint_public_access = false, or list addresses in public_access_cidrs.",
)
def public_cluster(subject: Subject) -> Iterator[Hit]:
    for resource in subject.of("aws_eks_cluster"):
        public = resource.get("vpc_config.endpoint_public_access", True)
        if not is_false(public) and not is_unknown(public):
            cidrs = as_list(resource.get("vpc_config.public_access_cidrs"))
            if not cidrs or any(is_world(cidr) for cidr in cidrs):
                yield Hit((resource.address,))


@rule(
    "EKS-02",
    "Kubernetes without audit logs",
    "R",
    "medium",
    why="Who did what in the cluster is not recorded.",
    evidence="the cluster",
    fix='Set enabled_cluster_log_types to at least ["api", "audit", "authenticator"].',
)
def cluster_logs(subject: Subject) -> Iterator[Hit]:
    for resource in subject.of("aws_eks_cluster"):
        logs = resource.get("enabled_cluster_log_types")
        if not is_unknown(logs) and "audit" not in as_list(logs):
            yield Hit((resource.address,))


@rule(
    "EKS-03",
    "Kubernetes secrets not encrypted with a customer managed key",
    "I",
    "low",
    why="Secrets in etcd are protected by the disk's encryption only.",
    evidence="the cluster",
    fix="Add encryption_config with a KMS key for secrets.",
)
def cluster_secrets(subject: Subject) -> Iterator[Hit]:
    for resource in subject.of("aws_eks_cluster"):
        if not resource.blocks("encryption_config"):
            yield Hit((resource.address,))


@rule(
    "KMS-01",
    "Key is never rotated",
    "I",
    "low",
    why="What one key protects grows for ever.",
    evidence="the key",
    fix="Set enable_key_rotation = true.",
)
def key_rotation(subject: Subject) -> Iterator[Hit]:
    for resource in subject.of("aws_kms_key"):
        symmetric = (
            resource.get("customer_master_key_spec", resource.get("key_spec", "SYMMETRIC_DEFAULT"))
            == "SYMMETRIC_DEFAULT"
        )
        usage = resource.get("key_usage", "ENCRYPT_DECRYPT") == "ENCRYPT_DECRYPT"
        if symmetric and usage and not is_set(resource.get("enable_key_rotation")):
            yield Hit((resource.address,))


@rule(
    "LOG-01",
    "Trail is incomplete",
    "R",
    "medium",
    why="Calls in other regions are not recorded, or the record can be changed unseen.",
    evidence="the trail",
    fix="Set is_multi_region_trail and enable_log_file_validation to true, and leave enable_logging on.",
)
def incomplete_trail(subject: Subject) -> Iterator[Hit]:
    for resource in subject.of("aws_cloudtrail"):
        names = ("is_multi_region_trail", "enable_log_file_validation")
        missing = [name for name in names if not is_set(resource.get(name))]
        off = is_false(resource.get("enable_logging"))
        if off or missing:
            yield Hit(
                (resource.address,),
                ", ".join([*missing, *(["enable_logging"] if off else [])]),
                "high" if off else None,
            )


@rule(
    "LOG-02",
    "Detection switched off",
    "R",
    "medium",
    why="What was set up to notice an attack does not look.",
    evidence="the detector, recorder or hub",
    fix="Switch it on, or remove it where another account does its work.",
)
def detection_off(subject: Subject) -> Iterator[Hit]:
    switches = (
        ("aws_guardduty_detector", "enable"),
        ("aws_config_configuration_recorder_status", "is_enabled"),
    )
    for kind, switch in (*switches, ("aws_accessanalyzer_analyzer", "enabled")):
        for resource in subject.of(kind):
            if is_false(resource.get(switch)):
                yield Hit((resource.address,))


_ENDED = re.compile(
    r"^(python(2\.7|3\.[678])|nodejs(\d|1[0-8])?(\.\w+)?|ruby2\.\d|dotnet(core.*|[56])|go1\.x|java8)$"
)


@rule(
    "FN-01",
    "Function on a runtime that gets no more fixes",
    "E",
    "medium",
    why="Known flaws of the language stay open, and AWS stops updates of such functions.",
    evidence="the function",
    fix="Move to a runtime that AWS supports.",
)
def ended_runtime(subject: Subject) -> Iterator[Hit]:
    for resource in subject.of("aws_lambda_function"):
        if _ENDED.match(str(resource.get("runtime", ""))):
            yield Hit((resource.address,), str(resource.get("runtime")))


@rule(
    "COG-01",
    "User pool without a second factor",
    "S",
    "medium",
    why="A password that leaked elsewhere is enough to log in.",
    evidence="the user pool",
    fix="Set mfa_configuration to OPTIONAL or ON.",
)
def no_second_factor(subject: Subject) -> Iterator[Hit]:
    for resource in subject.of("aws_cognito_user_pool"):
        if resource.get("mfa_configuration", "OFF") == "OFF":
            yield Hit((resource.address,))


@rule(
    "COG-02",
    "Identity pool gives credentials to anyone",
    "S",
    "medium",
    why="Guests get keys of AWS without logging in; their role is all that is between them and the account.",
    evidence="the identity pool",
    fix="Set allow_unauthenticated_identities = false, or give guests a role that can do almost nothing.",
)
def guests(subject: Subject) -> Iterator[Hit]:
    for resource in subject.of("aws_cognito_identity_pool"):
        if is_true(resource.get("allow_unauthenticated_identities")):
            yield Hit((resource.address,))


@rule(
    "MSK-01",
    "Kafka takes plain text, or clients that nobody knows",
    "I",
    "medium",
    why="Messages travel in the clear, or anyone in the network may read and write them.",
    evidence="the cluster",
    fix='Set encryption_info.encryption_in_transit.client_broker to "TLS", and client_authentication to IAM or TLS.',
)
def plaintext_kafka(subject: Subject) -> Iterator[Hit]:
    for resource in subject.of("aws_msk_cluster"):
        plain = "PLAINTEXT" in str(
            resource.get("encryption_info.encryption_in_transit.client_broker", "TLS")
        )
        if plain or is_true(resource.get("client_authentication.unauthenticated")):
            yield Hit((resource.address,))
