"""IAM documents: each access may do what it needs on the table and the buckets, and no more."""

from __future__ import annotations

import json
import re
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest

import sortkey
import sortkey.engine
from sortkey import Put, Store
from sortkey.connect.embedded import EmbeddedBackend
from sortkey_systems.jobengine.buckets import BACKUPS, LOGS, REPORTS, Buckets
from sortkey_systems.jobengine.logs.search import LogFilter, recent, search_logs
from sortkey_systems.jobengine.model import (
    Job,
    StageJob,
    get_journey_complete,
    model,
    table,
)
from sortkey_systems.jobengine.policies import Access, bucket_encryption, bucket_policy, policy
from sortkey_systems.jobengine.reports.kinds import make_report
from sortkey_systems.jobengine.reports.reports import get_job_reports
from tests.systems.jobengine.conftest import ID
from tests.systems.jobengine.examples import JOB, stored
from tests.systems.jobengine.log_lines import JOB as JOB_ID
from tests.systems.jobengine.log_lines import STAGE, read, written
from tests.systems.jobengine.recording import Recording


def allows(document: dict[str, Any], action: str, resource: str) -> bool:
    """As IAM decides for a document that only allows."""
    return any(
        statement["Effect"] == "Allow"
        and action in statement["Action"]
        and any(fnmatchcase(resource, pattern) for pattern in statement["Resource"])
        for statement in document["Statement"]
    )


TABLE = "arn:aws:dynamodb:eu-west-1:123456789012:table/TransformationSystem"
LOG_FILE = f"arn:aws:s3:::{LOGS}/journeys/{ID}/stages/raw_analysis/executions/JOB-1/logs/schema_extraction.json"
PART_FILE = f"arn:aws:s3:::{LOGS}/journeys/{ID}/stages/raw_analysis/executions/JOB-1/unfinished/x/00000001.jsonl"


@pytest.mark.accepts("JE-78")
@pytest.mark.parametrize(
    ("action", "resource", "reader", "writer"),
    [
        ("dynamodb:GetItem", TABLE, True, True),
        ("dynamodb:Query", TABLE, True, True),
        ("dynamodb:Query", f"{TABLE}/index/GSI1", True, True),
        ("dynamodb:PutItem", TABLE, False, True),
        ("dynamodb:UpdateItem", TABLE, False, True),
        ("dynamodb:DeleteItem", TABLE, False, True),
        ("dynamodb:BatchWriteItem", TABLE, False, True),
        ("dynamodb:Scan", TABLE, False, False),
        ("dynamodb:DeleteTable", TABLE, False, False),
        ("dynamodb:Query", f"{TABLE}Backup", False, False),
        ("s3:GetObject", LOG_FILE, True, True),
        ("s3:GetObject", f"arn:aws:s3:::{REPORTS}/journeys/x", True, True),
        ("s3:ListBucket", f"arn:aws:s3:::{LOGS}", True, True),
        ("s3:PutObject", LOG_FILE, False, True),
        ("s3:PutObject", f"arn:aws:s3:::{BACKUPS}/journeys/x/backup.json", False, True),
        ("s3:DeleteObject", LOG_FILE, False, False),
        ("s3:DeleteObjectVersion", LOG_FILE, False, False),
        ("s3:DeleteObjectVersion", PART_FILE, False, True),
        ("s3:GetObject", "arn:aws:s3:::somebody-elses/journeys/x", False, False),
    ],
)
def test_JE_78_a_policy_allows_what_its_access_needs_and_nothing_else(
    action: str, resource: str, reader: bool, writer: bool
) -> None:
    # The document's policies forget the index, batches and S3; and none of both may scan.
    assert allows(policy("read"), action, resource) is reader
    assert allows(policy("full"), action, resource) is writer


@pytest.mark.accepts("JE-51", "JE-78")
def test_JE_78_only_an_explicit_purge_may_remove_logs() -> None:
    # Logs are never lost, also not to a program that may write everything.
    assert allows(policy("full", purge=True), "s3:DeleteObjectVersion", LOG_FILE)
    ours = policy("full", prefix="mycompany-")
    assert allows(ours, "s3:GetObject", LOG_FILE.replace(LOGS, f"mycompany-{LOGS}"))
    assert not allows(ours, "s3:GetObject", LOG_FILE)


@pytest.mark.parametrize("access", ["read", "full"])
def test_a_policy_is_a_document_of_IAM(access: Access) -> None:
    # It goes to AWS as JSON; statements have names of letters and digits, actions a service and a
    # name.
    document = json.loads(json.dumps(policy(access)))
    assert document["Version"] == "2012-10-17"
    for statement in document["Statement"]:
        assert statement["Sid"].isalnum()
        assert all(
            re.fullmatch(r"(dynamodb|s3):[A-Z][A-Za-z]+", action) for action in statement["Action"]
        )
        assert all(resource.startswith("arn:aws:") for resource in statement["Resource"])


@pytest.mark.accepts("JE-77")
def test_JE_77_nothing_goes_without_TLS_and_nothing_lies_without_encryption() -> None:
    # Table and buckets with keys of KMS, which encrypt with AES-256; nothing older than TLS 1.2.
    assert table.definition()["SSESpecification"] == {"Enabled": True, "SSEType": "KMS"}
    (rule,) = bucket_encryption("alias/ours")["Rules"]
    assert rule["ApplyServerSideEncryptionByDefault"] == {
        "SSEAlgorithm": "aws:kms",
        "KMSMasterKeyID": "alias/ours",
    }
    plain, old = bucket_policy(LOGS)["Statement"]
    assert plain["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}
    assert old["Condition"] == {"NumericLessThan": {"s3:TlsVersion": "1.2"}}
    assert {plain["Effect"], old["Effect"]} == {"Deny"}


@pytest.mark.accepts("JE-78", "JE-65")
def test_JE_78_reading_needs_no_more_than_the_read_only_policy(tmp_path: Path) -> None:
    # Every request that the logs and reports make is held against the documents.
    backend = Recording(EmbeddedBackend(sortkey.engine.open(":memory:")))
    store, buckets = Store(backend), Buckets.open(str(tmp_path / "{bucket}"))
    store.ensure(model)
    backend.seen.clear()
    job = Job.from_item(stored(JOB))
    store.transact(Put(job), Put(StageJob.of(job)))
    written(buckets.logs, "schema_extraction", 100, store=store)
    make_report(buckets, store, ID, JOB_ID, "summary")
    assert _denied(backend, "full") == []
    backend.seen.clear()
    read(buckets.logs)
    search_logs(buckets.logs, store, ID, STAGE, JOB_ID, LogFilter.of(level="error"))
    recent(store, JOB_ID)
    list(get_job_reports(buckets.reports, store, ID, JOB_ID, STAGE))
    [store.collection(each) for each in get_journey_complete(ID)]
    assert backend.seen
    assert _denied(backend, "read") == []
    store.close()


def _denied(backend: Recording, access: Access) -> list[str]:
    """What was asked and is not allowed. A transaction is allowed by the writes in it, which all
    are puts here.
    """
    named = {"TransactWriteItems": "PutItem"}
    asked = [
        (named.get(name, name), f"{TABLE}/index/{index}" if index else TABLE)
        for name, index in backend.seen
    ]
    return [
        name for name, resource in asked if not allows(policy(access), f"dynamodb:{name}", resource)
    ]
