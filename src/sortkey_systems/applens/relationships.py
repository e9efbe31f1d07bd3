"""What a reference means: its relationship, and which way requests or rights flow along it.

Rows are patterns of source kind, attribute and target kind; the first match wins. `>` flows with
the reference, `<` against it (a listener refers to its balancer, requests go from the balancer to
the listener).
"""

from __future__ import annotations

import re
from functools import cache

RELATIONSHIPS = {
    "belongs_to": "is placed in a network, a cluster or an API",
    "routes_to": "passes requests on",
    "invokes": "calls a function, or starts a workflow",
    "assumes_role": "acts with the rights of a role",
    "attaches_to": "adds a setting, a policy or a disk to another resource",
    "grants_actions": "a policy allows actions on it",
    "guarded_by": "a security group or web ACL filters its traffic",
    "allows_from": "a security group lets another in",
    "encrypted_with": "is encrypted with a key",
    "logs_to": "writes logs to it",
    "reads_from": "is configured with it, or takes messages from it",
    "depends_on": "any other reference, and depends_on",
}

CROSSING = {"routes_to", "invokes", "assumes_role", "grants_actions", "reads_from", "allows_from"}
"""Relationships that carry requests or rights: only these can cross a trust boundary."""

_POLICY = r"aws_iam_(policy|role_policy|user_policy|group_policy|role)"
_GROUP_RULES = r"aws_(security_group|default_security|vpc_security_group_)"
_MACHINES = r"aws_(ecs_service|autoscaling_group|instance)"
_LOGS = (
    r".*(logging_config|access_log|access_logs|log_destination|s3_bucket_name|cloud_watch_logs).*"
)
_API_PARTS = r"aws_(api_gateway|apigatewayv2)_(integration|method|route|resource|authorizer)$"
_TABLE = [
    (r".*", r"depends_on", r".*", "depends_on", ""),
    (
        r".*",
        r".*kms_(master_)?key(_id|_arn|s)?|.*kms_key_identifier|.*key_arn",
        r"aws_kms",
        "encrypted_with",
        "",
    ),
    (_GROUP_RULES, r".*security_group.*", r"aws_\w*sec", "allows_from", ""),
    (r"aws_security_group_rule", r"security_group_id", r".*", "attaches_to", ""),
    (r".*", r".*security_group(s|_ids|_id)?", r"aws_(default_)?security_group", "guarded_by", ""),
    (r".*", r"web_acl_(id|arn)", r".*", "guarded_by", ""),
    (r"aws_wafv2_web_acl_association", r"resource_arn", r".*", "attaches_to", ""),
    (
        _POLICY + "$",
        r"(policy|inline_policy.*)",
        r"(?!aws_iam|data|module).*",
        "grants_actions",
        ">",
    ),
    (
        r"aws_iam_(role_policy|role_policy_attachment)$",
        r"role",
        r"aws_iam_role",
        "attaches_to",
        "<",
    ),
    (r"aws_iam_policy_attachment$", r"roles", r"aws_iam_role", "attaches_to", "<"),
    (r"aws_iam_(role_)?policy_attachment$", r"policy_arn", r"aws_iam_policy", "attaches_to", ">"),
    (r"aws_iam_role$", r"managed_policy_arns", r"aws_iam_policy", "attaches_to", ">"),
    (r"aws_ecs_task_definition", r"execution_role_arn", r"aws_iam_role", "assumes_role", ""),
    (r".*", r".*iam_instance_profile(\.\w+)?", r"aws_iam", "assumes_role", ">"),
    (r".*", r".*role(_arn|_name)?|.*role_arns", r"aws_iam_role", "assumes_role", ">"),
    (r"aws_(lb|alb)_listener(_rule)?$", r"(load_balancer|listener)_arn", r".*", "attaches_to", "<"),
    (
        r"aws_(lb|alb)_listener(_rule)?$",
        r"(default_)?action.*",
        r".*target_group",
        "routes_to",
        ">",
    ),
    (r"aws_(lb|alb)_target_group_attachment", r"target_group_arn", r".*", "attaches_to", "<"),
    (r"aws_(lb|alb)_target_group_attachment", r"target_id", r".*", "routes_to", ">"),
    (r"aws_(ecs_service|autoscaling_\w+)", r".*target_group_arns?", r".*", "attaches_to", "<"),
    (r"aws_autoscaling_attachment", r"autoscaling_group_name", r".*", "routes_to", ">"),
    (r"aws_elb$", r"instances", r".*", "routes_to", ">"),
    (_MACHINES, r"(task_definition|launch_\w+.*|mixed.*)", r".*", "reads_from", ">"),
    (r"aws_lambda_permission", r"source_arn", r".*", "grants_actions", "<"),
    (r"aws_lambda_permission", r"function_name", r".*", "grants_actions", ">"),
    (r"aws_lambda_event_source_mapping", r"event_source_arn", r".*", "reads_from", "<"),
    (r"aws_(sns_topic_subscription)", r"topic_arn", r".*", "reads_from", "<"),
    (r"aws_cloudwatch_event_target", r"rule", r".*", "reads_from", "<"),
    (r"aws_s3_bucket_notification", r"bucket", r".*", "attaches_to", "<"),
    (r"aws_s3_bucket_logging", r"target_bucket", r".*", "logs_to", ""),
    (r".*", _LOGS, r".*", "logs_to", ""),
    (_API_PARTS, r"(rest_)?api_id", r".*", "belongs_to", "<"),
    (r"aws_apigatewayv2_route", r"target", r".*", "routes_to", ">"),
    (
        r"aws_(api_gateway|apigatewayv2)_integration$",
        r"(uri|integration_uri)",
        r"aws_(lambda|sfn)",
        "invokes",
        ">",
    ),
    (
        r"aws_(api_gateway|apigatewayv2)_integration$",
        r"(uri|integration_uri|connection_id)",
        r".*",
        "routes_to",
        ">",
    ),
    (r"aws_appsync_datasource", r"api_id", r".*", "belongs_to", "<"),
    (
        r"aws_appsync_datasource",
        r"(lambda_config|dynamodb_config|http_config).*",
        r".*",
        "routes_to",
        ">",
    ),
    (r"aws_cloudfront_distribution", r"origin\.(domain_name|s3.*)", r".*", "routes_to", ">"),
    (r"aws_route53_record", r"(alias.*|records)", r".*", "routes_to", ">"),
    (r"aws_rds_cluster_instance", r"cluster_identifier", r".*", "belongs_to", ">"),
    (r"aws_eks_(node_group|fargate_profile|addon)", r"cluster_name", r".*", "belongs_to", "<"),
    (r"aws_sfn_state_machine", r"definition", r".*", "invokes", ">"),
    (r".*", r".*", r"aws_(lambda_function|lambda_alias|sfn_state_machine)", "invokes", ">"),
    (r"aws_s3_bucket_\w+", r"bucket", r"aws_s3_bucket", "attaches_to", ""),
    (r"aws_\w*(association|attachment|_policy)$", r".*", r".*", "attaches_to", ""),
    (
        r".*",
        r".*(subnet|vpc|cluster|db_subnet_group|rest_api|api|availability).*",
        r".*",
        "belongs_to",
        "",
    ),
    (
        r"aws_(lambda_function|ecs_task_definition)",
        r"(environment|container_definitions).*",
        r".*",
        "reads_from",
        "",
    ),
]


@cache
def relationship(source: str, path: str, target: str) -> tuple[str, str]:
    """The relationship of a reference, and its flow: `>`, `<` or none."""
    for kind, attribute, other, name, flow in _TABLE:
        if re.match(kind, source) and re.fullmatch(attribute, path) and re.match(other, target):
            return name, flow
    return "depends_on", ""
