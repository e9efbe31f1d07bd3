"""IAM documents for AWS: read-only access, full access, and the policy of each bucket.

They are made from the model's table. Neither access may Scan. Full access may delete the parts of
unfinished logs, but no finished log.
"""

from __future__ import annotations

from typing import Any, Literal

from sortkey_systems.jobengine.buckets import BACKUPS, LOGS, REPORTS
from sortkey_systems.jobengine.logs.files import PART_FILE
from sortkey_systems.jobengine.model import table

Access = Literal["read", "full"]
Policy = dict[str, Any]

VERSION = "2012-10-17"
BUCKETS = (LOGS, REPORTS, BACKUPS)
TABLE_READS = ("dynamodb:GetItem", "dynamodb:Query")
TABLE_WRITES = (
    "dynamodb:PutItem",
    "dynamodb:UpdateItem",
    "dynamodb:DeleteItem",
    "dynamodb:ConditionCheckItem",
    "dynamodb:BatchWriteItem",
)
"""A transaction is allowed to a caller who may do each of its writes and checks."""
OBJECT_READS = ("s3:GetObject", "s3:GetObjectVersion")
OBJECT_WRITES = ("s3:PutObject", "s3:AbortMultipartUpload")
BUCKET_READS = ("s3:ListBucket", "s3:ListBucketVersions")
TLS_MIN = "1.2"


def policy(access: Access, *, purge: bool = False, prefix: str = "") -> Policy:
    """The policy of a user or role. `purge` lets full access delete logs, reports and backups.

    `prefix` is what the names of the buckets begin with, as in `s3://mycompany-{bucket}`.
    """
    buckets = [f"arn:aws:s3:::{prefix}{bucket}" for bucket in BUCKETS]
    objects = [f"{bucket}/*" for bucket in buckets]
    if access == "read":
        table_actions, object_actions = TABLE_READS, OBJECT_READS
    else:
        table_actions, object_actions = TABLE_READS + TABLE_WRITES, OBJECT_READS + OBJECT_WRITES
    statements = [
        _allow("Table", table_actions, _table_resources()),
        _allow("Objects", object_actions, objects),
        _allow("Buckets", BUCKET_READS, buckets),
    ]
    if access == "full":
        removable = objects if purge else [f"{buckets[0]}/{_any_part()}"]
        statements.append(
            _allow("Removal", ("s3:DeleteObject", "s3:DeleteObjectVersion"), removable)
        )
    return {"Version": VERSION, "Statement": statements}


def bucket_policy(bucket: str) -> Policy:
    """The policy of a bucket: refuses requests without TLS 1.2 or newer."""
    resources = [f"arn:aws:s3:::{bucket}", f"arn:aws:s3:::{bucket}/*"]
    return {
        "Version": VERSION,
        "Statement": [
            _deny("NoPlainText", resources, {"Bool": {"aws:SecureTransport": "false"}}),
            _deny("NoOldTLS", resources, {"NumericLessThan": {"s3:TlsVersion": TLS_MIN}}),
        ],
    }


def bucket_policies(prefix: str = "") -> dict[str, Policy]:
    """The policy of each bucket, by its name."""
    names = [f"{prefix}{bucket}" for bucket in BUCKETS]
    return {name: bucket_policy(name) for name in names}


def bucket_encryption(kms_key: str | None = None) -> dict[str, Any]:
    """The body of PutBucketEncryption: AES-256 with a KMS key, the account's own unless named."""
    rule: dict[str, Any] = {
        "SSEAlgorithm": "aws:kms",
        **({"KMSMasterKeyID": kms_key} if kms_key else {}),
    }
    return {"Rules": [{"ApplyServerSideEncryptionByDefault": rule, "BucketKeyEnabled": True}]}


def _table_resources() -> list[str]:
    arn = f"arn:aws:dynamodb:*:*:table/{table.name}"
    return [arn, f"{arn}/index/*"] if table.indexes else [arn]


def _any_part() -> str:
    """The keys of the parts of unfinished logs, as a pattern."""
    return "".join(part if isinstance(part, str) else "*" for part in PART_FILE.parts)


def _allow(name: str, actions: tuple[str, ...], resources: list[str]) -> dict[str, Any]:
    return {"Sid": name, "Effect": "Allow", "Action": list(actions), "Resource": resources}


def _deny(name: str, resources: list[str], condition: dict[str, Any]) -> dict[str, Any]:
    about = {
        "Sid": name,
        "Effect": "Deny",
        "Principal": "*",
        "Action": "s3:*",
        "Resource": resources,
    }
    return {**about, "Condition": condition}
