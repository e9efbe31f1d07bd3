"""Rules on databases, caches, search domains, queues and streams."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sortkey_systems.applens.exposure import is_for_anyone
from sortkey_systems.applens.policies import resource_statements
from sortkey_systems.applens.resources import is_false, is_set, is_true
from sortkey_systems.applens.rules.definition import Hit, Subject, rule

_STATED = {
    "aws_db_instance": "storage_encrypted",
    "aws_rds_cluster": "storage_encrypted",
    "aws_docdb_cluster": "storage_encrypted",
    "aws_neptune_cluster": "storage_encrypted",
    "aws_redshift_cluster": "encrypted",
}

_DOMAIN_POLICIES = ("aws_opensearch_domain_policy", "aws_elasticsearch_domain_policy")
_UNSAFE = {
    "rds.force_ssl": "0",
    "require_secure_transport": "off",
    "require_ssl": "false",
    "tls": "disabled",
}
"""Database parameters, and the values with which they accept unencrypted connections."""


@rule(
    "DB-01",
    "Database not encrypted at rest",
    "I",
    "high",
    why="A snapshot or a disk that leaves the account can be read. Encryption cannot be switched on later.",
    evidence="the database",
    fix="Set storage_encrypted = true, with a KMS key; restore from an encrypted copy of a snapshot.",
)
def database_encryption(subject: Subject) -> Iterator[Hit]:
    for kind, attribute in _STATED.items():
        for resource in subject.of(kind):
            inherits = any(
                resource.get(name) for name in ("replicate_source_db", "global_cluster_identifier")
            )
            member = kind == "aws_db_instance" and str(resource.get("engine", "")).startswith(
                "aurora"
            )
            if not is_set(resource.get(attribute)) and not inherits and not member:
                yield Hit((resource.address,))


@rule(
    "DB-02",
    "Database has a public address",
    "I",
    "high",
    why="It stands on the internet: a rule of a security group is all that is between.",
    evidence="the database, and the security groups that let the internet in",
    fix=(
        "Set publicly_accessible = false.",
        "Use private subnets, and a bastion or a VPN for people.",
    ),
)
def public_database(subject: Subject) -> Iterator[Hit]:
    kinds = (
        "aws_db_instance",
        "aws_rds_cluster_instance",
        "aws_redshift_cluster",
        "aws_dms_replication_instance",
    )
    more = ("aws_mq_broker", "aws_redshiftserverless_workgroup", "aws_neptune_cluster_instance")
    for resource in subject.of(*kinds, *more):
        if is_true(resource.get("publicly_accessible")):
            groups = [g for g in subject.estate.groups_of(resource) if _is_open(subject, g)]
            yield Hit((resource.address, *groups), severity="critical" if groups else None)


def _is_open(subject: Subject, group: str) -> bool:
    return any(rule.from_anywhere for rule in subject.estate.ingress.get(group, ()))


@rule(
    "DB-03",
    "Database without backups",
    "D",
    "medium",
    why="Terraform's default keeps none: a bad migration or a deletion cannot be undone.",
    evidence="the database",
    fix="Set backup_retention_period to 7 days or more.",
)
def no_backups(subject: Subject) -> Iterator[Hit]:
    for resource in subject.of("aws_db_instance"):
        cluster = str(resource.get("engine", "")).startswith("aurora")
        if (
            resource.get("backup_retention_period", 0) in (0, "0")
            and not resource.get("replicate_source_db")
            and not cluster
        ):
            yield Hit((resource.address,))
    for resource in subject.of(
        "aws_rds_cluster", "aws_docdb_cluster", "aws_neptune_cluster", "aws_redshift_cluster"
    ):
        name = (
            "automated_snapshot_retention_period"
            if resource.type == "aws_redshift_cluster"
            else "backup_retention_period"
        )
        if resource.get(name, 1) in (0, "0"):  # the default is one day
            yield Hit((resource.address,))
    for resource in subject.of("aws_elasticache_replication_group"):
        if resource.get("snapshot_retention_limit", 0) in (0, "0") and not resource.get(
            "replication_group_id"
        ):
            yield Hit((resource.address,), severity="low")


@rule(
    "DB-04",
    "Database can be deleted by one call",
    "D",
    "low",
    why="A wrong plan or a stolen key deletes it.",
    evidence="the database",
    fix="Set deletion_protection = true.",
)
def deletion_protection(subject: Subject) -> Iterator[Hit]:
    for resource in subject.of(
        "aws_db_instance", "aws_rds_cluster", "aws_docdb_cluster", "aws_neptune_cluster"
    ):
        if not is_set(resource.get("deletion_protection")) and not resource.get(
            "replicate_source_db"
        ):
            yield Hit((resource.address,))


@rule(
    "DB-05",
    "Database takes connections without TLS",
    "I",
    "medium",
    why="Passwords and rows go over the network in the clear.",
    evidence="the parameter group or endpoint",
    fix="Set rds.force_ssl = 1, require_secure_transport = ON, require_ssl = true or tls = enabled; ssl_mode of DMS.",
)
def plaintext_connections(subject: Subject) -> Iterator[Hit]:
    kinds = ("db", "rds_cluster", "redshift", "docdb_cluster")
    for group in subject.of(*(f"aws_{kind}_parameter_group" for kind in kinds)):
        for block in group.blocks("parameter"):
            name = str(block.get("name"))
            if str(block.get("value")).lower() in (
                _UNSAFE.get(name, "-"),
                *(("0",) if name in _UNSAFE else ()),
            ):
                yield Hit((group.address,), f"{name} = {block.get('value')}")
    for endpoint in subject.of("aws_dms_endpoint"):
        if endpoint.get("ssl_mode") == "none":
            yield Hit((endpoint.address,), "ssl_mode = none")


@rule(
    "DDB-01",
    "Table without point-in-time recovery",
    "D",
    "medium",
    why="What a bug overwrites or deletes cannot be brought back.",
    evidence="the table",
    fix="Add point_in_time_recovery { enabled = true }.",
)
def no_recovery(subject: Subject) -> Iterator[Hit]:
    for table in subject.of("aws_dynamodb_table"):
        if not is_set(table.get("point_in_time_recovery.enabled")):
            yield Hit((table.address,))


@rule(
    "CACHE-01",
    "Cache not encrypted",
    "I",
    "medium",
    why="Sessions and cached records lie and travel in the clear.",
    evidence="the replication group or cluster",
    fix=(
        "Set at_rest_encryption_enabled and transit_encryption_enabled to true (a single Redis "
        "node has neither).",
        "DAX: server_side_encryption and cluster_endpoint_encryption_type; MemoryDB: leave TLS on.",
    ),
)
def cache_encryption(subject: Subject) -> Iterator[Hit]:
    for resource in subject.of("aws_elasticache_cluster"):
        if resource.get("engine") in ("redis", "valkey") and not resource.get(
            "replication_group_id"
        ):
            yield Hit((resource.address,), "a single node")
    for resource in subject.of("aws_dax_cluster"):
        if not is_set(resource.get("server_side_encryption.enabled")):
            yield Hit((resource.address,), "server_side_encryption")
    for resource in subject.of("aws_memorydb_cluster"):
        if is_false(resource.get("tls_enabled")):
            yield Hit((resource.address,), "tls_enabled")
    for resource in subject.of("aws_elasticache_replication_group"):
        names = ("at_rest_encryption_enabled", "transit_encryption_enabled")
        missing = [name for name in names if not is_set(resource.get(name))]
        if missing and not resource.get("global_replication_group_id"):
            yield Hit((resource.address,), ", ".join(missing))


@rule(
    "SEARCH-01",
    "Search domain not encrypted",
    "I",
    "high",
    why="Documents lie on disks, and travel between nodes or from clients, in the clear.",
    evidence="the domain",
    fix="Enable encrypt_at_rest, node_to_node_encryption and domain_endpoint_options.enforce_https.",
)
def search_encryption(subject: Subject) -> Iterator[Hit]:
    names = (
        "encrypt_at_rest.enabled",
        "node_to_node_encryption.enabled",
        "domain_endpoint_options.enforce_https",
    )
    for resource in subject.of("aws_opensearch_domain", "aws_elasticsearch_domain"):
        missing = [name for name in names if not is_set(resource.get(name))]
        if missing:
            yield Hit(
                (resource.address,), ", ".join(missing), None if names[0] in missing else "medium"
            )


@rule(
    "SEARCH-02",
    "Search domain open to anyone",
    "I",
    "critical",
    why="A domain outside of a VPC whose policy allows anyone is read by scanners within hours.",
    evidence="the domain and its policy",
    fix=("Put the domain into a VPC.", "Name principals or addresses in the access policy."),
)
def open_search(subject: Subject) -> Iterator[Hit]:
    for resource in subject.of("aws_opensearch_domain", "aws_elasticsearch_domain"):
        if resource.blocks("vpc_options") or is_true(
            resource.get("advanced_security_options.enabled")
        ):
            continue
        parts = [part for kind in _DOMAIN_POLICIES for part in subject.estate.parts(resource, kind)]
        holders = [resource, *parts]
        open_holders = [
            holder for holder in holders if any(map(is_for_anyone, resource_statements(holder)))
        ]
        if open_holders:
            yield Hit(
                (
                    resource.address,
                    *(holder.address for holder in open_holders if holder is not resource),
                )
            )
    for resource in subject.of("aws_opensearchserverless_security_policy"):
        if resource.get("type") == "network" and re.search(
            r'"AllowFromPublic":\s*true', str(resource.get("policy"))
        ):
            yield Hit((resource.address,), "AllowFromPublic", "medium")


@rule(
    "MSG-01",
    "Messages not encrypted at rest",
    "I",
    "low",
    why="A topic has no encryption unless it is asked for; a queue may have had it taken away.",
    evidence="the topic, queue or stream",
    fix="Set kms_master_key_id (topics), sqs_managed_sse_enabled (queues) or encryption_type KMS (streams).",
)
def message_encryption(subject: Subject) -> Iterator[Hit]:
    for topic in subject.of("aws_sns_topic"):
        if not topic.get("kms_master_key_id"):
            yield Hit((topic.address,))
    for queue in subject.of("aws_sqs_queue"):
        if is_false(queue.get("sqs_managed_sse_enabled")) and not queue.get("kms_master_key_id"):
            yield Hit((queue.address,), severity="medium")
    for stream in subject.of("aws_kinesis_stream"):
        if stream.get("encryption_type", "NONE") == "NONE":
            yield Hit((stream.address,), severity="medium")


@rule(
    "PATH-01",
    "The internet reaches a datastore",
    "I",
    "low",
    why="Along this path one flaw in the software is enough. If it is intended, every step must be "
    "secure. "
    "Of several paths the worst is shown: medium if the entry accepts anyone, high if a role on it "
    "may do anything too. "
    "One behind IAM or an authorizer comes last, and says so.",
    evidence="the datastore, then the steps from the internet to it",
    fix=(
        "Authenticate at the entry.",
        "Grant each role only the actions and the items that it needs.",
    ),
    confidence="medium",
)
def reachable_datastore(subject: Subject) -> Iterator[Hit]:
    for path in subject.paths:
        if not path.direct:
            severity = None
            if path.unguarded:
                severity = "high" if path.unlimited else "medium"
            yield Hit((path.datastore, *path.steps[1:-1]), str(path), severity)
