"""Kinds of AWS resources: which hold data, and which surface each belongs to. In the tables the
first match wins.
"""

from __future__ import annotations

import re
from functools import cache

SURFACES = {
    "public": "takes requests from the internet, by its own settings (see internetExposedCount)",
    "data": "holds data, or the keys and secrets that open it",
    "iam": "says who may do what",
    "build": "makes or holds the software that runs",
    "control": "watches, configures, names or schedules others",
    "internal": "everything else: networks, and compute that the internet does not reach directly",
}

DATASTORES = re.compile(
    r"^aws_(s3_bucket|dynamodb_table|db_instance|rds_cluster|rds_global_cluster|redshift_cluster"
    r"|redshiftserverless_namespace|elasticache_(cluster|replication_group|serverless_cache)|memorydb_cluster"
    r"|opensearch_domain|elasticsearch_domain|opensearchserverless_collection|efs_file_system"
    r"|fsx_\w+_file_system|docdb_cluster|neptune_cluster|timestreamwrite_(database|table)|keyspaces_table"
    r"|glacier_vault|ebs_volume|backup_vault|dax_cluster|s3_directory_bucket|s3tables_table_bucket)$"
)
"""Storage services. Resources that only configure one (aws_s3_bucket_policy), queues and streams do
not count.
"""

_SURFACES = [
    (
        r"aws_(kms|secretsmanager|ssm_parameter|sqs|kinesis|msk|db_|rds|dynamodb|elasticache|s3_bucket)",
        "data",
    ),
    (
        r"aws_(iam|cognito|lambda_permission|ssoadmin|organizations|ram|acmpca|\w*_policy$|\w*policy_attachment$)",
        "iam",
    ),
    (r"aws_(code|ecr|imagebuilder|amplify|ami)", "build"),
    (
        r"aws_(cloudwatch|cloudtrail|config|guardduty|securityhub|inspector|flow_log|sns|scheduler|ssm)",
        "control",
    ),
    (
        r"aws_(route53|acm|wafv2|waf|shield|backup|budgets|autoscaling_(policy|schedule)|appautoscaling|xray)",
        "control",
    ),
    (r"(module|null_resource|random_|time_|tls_|local_|template_|archive_|terraform_)", "control"),
]


def is_datastore(kind: str) -> bool:
    return DATASTORES.match(kind) is not None


@cache
def surface_of(kind: str) -> str:
    """The surface of a kind that the internet does not reach directly."""
    if is_datastore(kind):
        return "data"
    return next((surface for pattern, surface in _SURFACES if re.match(pattern, kind)), "internal")
