"""Rules on buckets and disks."""

from __future__ import annotations

from collections.abc import Iterator

from sortkey_systems.applens.exposure import public_bucket_evidence
from sortkey_systems.applens.policies import resource_statements
from sortkey_systems.applens.resources import (
    Resource,
    as_list,
    is_false,
    is_set,
    is_true,
    is_unknown,
)
from sortkey_systems.applens.rules.definition import Hit, Subject, rule

_BLOCKS = (
    "block_public_acls",
    "block_public_policy",
    "ignore_public_acls",
    "restrict_public_buckets",
)


@rule(
    "S3-01",
    "Bucket is public",
    "I",
    "critical",
    why="Anyone can read it, or write to it, without an account.",
    evidence="the bucket, and the ACL or policy that opens it",
    fix=(
        "Add aws_s3_bucket_public_access_block with all four set.",
        "Serve public files through CloudFront.",
    ),
)
def public_bucket(subject: Subject) -> Iterator[Hit]:
    for bucket in subject.of("aws_s3_bucket"):
        if evidence := public_bucket_evidence(subject.estate, bucket):
            yield Hit(
                (bucket.address, *(address for address in evidence if address != bucket.address))
            )


@rule(
    "S3-02",
    "Bucket without a public access block",
    "I",
    "medium",
    why="One wrong ACL or policy later makes it public; new buckets are blocked unless someone takes that away.",
    evidence="the bucket, and the block that is not complete",
    fix="Add aws_s3_bucket_public_access_block with all four set to true.",
)
def no_public_access_block(subject: Subject) -> Iterator[Hit]:
    account = list(subject.of("aws_s3_account_public_access_block"))
    for bucket in subject.of("aws_s3_bucket"):
        blocks = [*subject.estate.parts(bucket, "aws_s3_bucket_public_access_block"), *account]
        if not any(
            all(is_true(b.get(name)) or is_unknown(b.get(name)) for name in _BLOCKS) for b in blocks
        ):
            own = [block.address for block in blocks if block not in account]
            yield Hit((bucket.address, *own))


@rule(
    "S3-03",
    "Bucket without stated encryption",
    "I",
    "low",
    why="S3 encrypts with a key of its own; without a setting nobody can audit or take back the use of the key.",
    evidence="the bucket",
    fix="Add aws_s3_bucket_server_side_encryption_configuration, with a KMS key where the data is sensitive.",
)
def bucket_encryption(subject: Subject) -> Iterator[Hit]:
    kind = "aws_s3_bucket_server_side_encryption_configuration"
    for bucket in subject.of("aws_s3_bucket"):
        if not bucket.blocks("server_side_encryption_configuration") and not subject.estate.parts(
            bucket, kind
        ):
            yield Hit((bucket.address,))


@rule(
    "S3-04",
    "Bucket without versioning",
    "T",
    "low",
    why="What is overwritten or deleted, by mistake or by ransomware, is gone.",
    evidence="the bucket",
    fix='Add aws_s3_bucket_versioning with status "Enabled".',
)
def bucket_versioning(subject: Subject) -> Iterator[Hit]:
    for bucket in subject.of("aws_s3_bucket"):
        parts = subject.estate.parts(bucket, "aws_s3_bucket_versioning")
        states = [part.get("versioning_configuration.status") for part in parts]
        enabled = any(state == "Enabled" or is_unknown(state) for state in states)
        if not enabled and not is_true(bucket.get("versioning.enabled")):
            yield Hit((bucket.address,))


@rule(
    "S3-05",
    "Bucket may be used without TLS",
    "I",
    "low",
    why="A client that is set up wrongly sends its data in the clear, and the bucket takes it.",
    evidence="the bucket",
    fix="Deny requests whose aws:SecureTransport is false, in the bucket's policy.",
)
def bucket_tls(subject: Subject) -> Iterator[Hit]:
    for bucket in subject.of("aws_s3_bucket"):
        holders = [bucket, *subject.estate.parts(bucket, "aws_s3_bucket_policy")]
        if any(
            is_unknown(holder.get("policy")) and not resource_statements(holder)
            for holder in holders
        ):
            continue  # only a plan knows it
        if not any(_denies_plaintext(holder) for holder in holders):
            yield Hit((bucket.address,))


def _denies_plaintext(holder: Resource) -> bool:
    return any(
        not statement.allows and "aws:securetransport" in statement.condition_keys()
        for statement in resource_statements(holder)
    )


@rule(
    "S3-06",
    "Bucket without access logs",
    "R",
    "low",
    why="Nobody can say who read or deleted what. Buckets that take logs themselves do not count.",
    evidence="the bucket",
    fix="Add aws_s3_bucket_logging, or data events of CloudTrail.",
    confidence="medium",
)
def bucket_logs(subject: Subject) -> Iterator[Hit]:
    events = any(
        trail.blocks("event_selector.data_resource") for trail in subject.of("aws_cloudtrail")
    )
    for bucket in subject.of("aws_s3_bucket"):
        parts = subject.estate.parts(bucket, "aws_s3_bucket_logging")
        logs = any(
            "log" in str(bucket.get(name, bucket.name)).lower()
            for name in ("bucket", "bucket_prefix")
        )
        if not parts and not bucket.blocks("logging") and not events and not logs:
            yield Hit((bucket.address,))


@rule(
    "DISK-01",
    "Disk not encrypted",
    "I",
    "medium",
    why="A snapshot that is copied or shared gives its data away.",
    evidence="the volume, instance or launch template",
    fix=("Set encrypted = true.", "Or enable aws_ebs_encryption_by_default for the account."),
)
def disk_encryption(subject: Subject) -> Iterator[Hit]:
    if any(
        not is_false(setting.get("enabled", True))
        for setting in subject.of("aws_ebs_encryption_by_default")
    ):
        return
    for volume in subject.of("aws_ebs_volume"):
        if not is_set(volume.get("encrypted")) and not volume.get("snapshot_id"):
            yield Hit((volume.address,))
    for instance in subject.of("aws_instance", "aws_spot_instance_request"):
        disks = [*instance.blocks("root_block_device"), *instance.blocks("ebs_block_device")]
        if not instance.blocks("root_block_device") or any(
            not is_set(disk.get("encrypted")) for disk in disks
        ):
            yield Hit((instance.address,), severity=None if disks else "low")
    for template in subject.of("aws_launch_template"):
        if any(
            not is_set(disk.get("encrypted"))
            for disk in template.blocks("block_device_mappings.ebs")
        ):
            yield Hit((template.address,))


@rule(
    "DISK-02",
    "File system not encrypted",
    "I",
    "high",
    why="Encryption of EFS can only be chosen when it is made.",
    evidence="the file system",
    fix="Set encrypted = true, and move the files to the new file system.",
)
def file_system_encryption(subject: Subject) -> Iterator[Hit]:
    for resource in subject.of("aws_efs_file_system"):
        if not is_set(resource.get("encrypted")):
            yield Hit((resource.address,))


@rule(
    "SHARE-01",
    "Image, snapshot or document shared with everyone",
    "I",
    "high",
    why="Every account of AWS can copy the disk or the database, and read it at leisure.",
    evidence="the permission, snapshot or document",
    fix="Name the accounts that need it.",
)
def shared_with_everyone(subject: Subject) -> Iterator[Hit]:
    for resource in subject.of("aws_ami_launch_permission"):
        if resource.get("group") == "all":
            yield Hit((resource.address,))
    for resource in subject.of(
        "aws_db_snapshot", "aws_db_cluster_snapshot", "aws_db_snapshot_copy"
    ):
        if "all" in as_list(resource.get("shared_accounts")):
            yield Hit((resource.address,))
    for resource in subject.of("aws_ssm_document"):
        if str(resource.get("permissions.account_ids")).lower() == "all":
            yield Hit((resource.address,))
