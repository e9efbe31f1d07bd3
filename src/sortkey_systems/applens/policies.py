"""IAM policies as statements, from any form: documents, jsonencode(), heredocs, plans."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

from sortkey_systems.applens.json_depth import loads
from sortkey_systems.applens.resources import Resource, as_list

IDENTITY = {
    "aws_iam_policy": "policy",
    "aws_iam_role_policy": "policy",
    "aws_iam_user_policy": "policy",
    "aws_iam_group_policy": "policy",
    "aws_iam_role": "inline_policy.policy",
    "aws_iot_policy": "policy",
    "aws_ssoadmin_permission_set_inline_policy": "inline_policy",
}
RESOURCE = {
    "aws_s3_bucket_policy": "policy",
    "aws_s3_bucket": "policy",
    "aws_sqs_queue": "policy",
    "aws_sqs_queue_policy": "policy",
    "aws_sns_topic": "policy",
    "aws_sns_topic_policy": "policy",
    "aws_kms_key": "policy",
    "aws_kms_key_policy": "policy",
    "aws_ecr_repository_policy": "policy",
    "aws_secretsmanager_secret": "policy",
    "aws_secretsmanager_secret_policy": "policy",
    "aws_opensearch_domain": "access_policies",
    "aws_opensearch_domain_policy": "access_policies",
    "aws_elasticsearch_domain": "access_policies",
    "aws_elasticsearch_domain_policy": "access_policies",
    "aws_s3_access_point": "policy",
    "aws_s3control_access_point_policy": "policy",
    "aws_efs_file_system_policy": "policy",
    "aws_backup_vault_policy": "policy",
    "aws_cloudwatch_event_bus_policy": "policy",
    "aws_glacier_vault": "access_policy",
}


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement. Single values become lists of one. `principals` contains `*` for anyone."""

    effect: str
    actions: tuple[str, ...]
    resources: tuple[str, ...]
    principals: tuple[tuple[str, str], ...]
    conditions: tuple[tuple[str, str, tuple[str, ...]], ...]
    everything_but: bool = False
    """NotAction, NotResource or NotPrincipal: everything else is allowed."""

    @property
    def allows(self) -> bool:
        return self.effect == "Allow"

    @property
    def anyone(self) -> bool:
        return any(who == "*" for kind, who in self.principals if kind in ("*", "AWS"))

    def condition_keys(self) -> set[str]:
        return {key.lower() for _, key, _ in self.conditions}


def identity_statements(resource: Resource) -> list[Statement]:
    path = IDENTITY.get(resource.type)
    return _at(resource, path) if path else []


def resource_statements(resource: Resource) -> list[Statement]:
    path = RESOURCE.get(resource.type)
    return _at(resource, path) if path else []


def trust_statements(resource: Resource) -> list[Statement]:
    return _at(resource, "assume_role_policy") if resource.type == "aws_iam_role" else []


def _at(resource: Resource, path: str) -> list[Statement]:
    outer, _, inner = path.partition(".")
    texts = (
        [block.get(inner) for block in resource.blocks(outer)] if inner else [resource.get(outer)]
    )
    return [statement for text in texts if isinstance(text, str) for statement in statements(text)]


@lru_cache(maxsize=4096)
def statements(text: str) -> tuple[Statement, ...]:
    """The statements of a policy's JSON. Empty for other text, such as a value known only to a
    plan.
    """
    try:
        document = loads(re.sub(r"^\s+", "", text))
    except ValueError:
        return ()
    if not isinstance(document, dict):
        return ()
    entries = as_list(cast(dict[str, Any], document).get("Statement"))
    return tuple(
        _statement(cast(dict[str, Any], entry)) for entry in entries if isinstance(entry, dict)
    )


def _statement(body: dict[str, Any]) -> Statement:
    conditions = [
        (str(test), str(key), tuple(str(value) for value in as_list(values)))
        for test, keys in cast(dict[str, Any], body.get("Condition") or {}).items()
        if isinstance(keys, dict)
        for key, values in cast(dict[str, Any], keys).items()
    ]
    return Statement(
        effect=str(body.get("Effect", "Allow")),
        actions=tuple(str(action) for action in as_list(body.get("Action"))),
        resources=tuple(str(resource) for resource in as_list(body.get("Resource"))),
        principals=tuple(_principals(body.get("Principal"))),
        conditions=tuple(conditions),
        everything_but=any(name in body for name in ("NotAction", "NotResource", "NotPrincipal")),
    )


def _principals(value: Any) -> list[tuple[str, str]]:
    if isinstance(value, str):
        return [(value if value == "*" else "AWS", value)]
    if not isinstance(value, dict):
        return []
    kinds = cast(dict[str, Any], value)
    return [(kind, str(who)) for kind, whom in kinds.items() for who in as_list(whom)]
