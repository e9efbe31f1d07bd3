"""Figures and documents of the AI Job Engine: what storage costs, who may do what on AWS, what is
measured.
"""

from __future__ import annotations

import json
import re
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest

import sortkey
import sortkey.engine
from sortkey import Metrics, Put, Store
from sortkey.connect.embedded import EmbeddedBackend
from sortkey.errors import ItemTooLarge, Throttled
from sortkey_systems.jobengine.buckets import BACKUPS, LOGS, REPORTS, Buckets
from sortkey_systems.jobengine.costs import Volume, estimate
from sortkey_systems.jobengine.logs.search import LogFilter, recent, search_logs
from sortkey_systems.jobengine.model import (
    Job,
    Journey,
    Log,
    Stage,
    StageJob,
    get_journey_complete,
    model,
    table,
)
from sortkey_systems.jobengine.policies import Access, bucket_encryption, bucket_policy, policy
from sortkey_systems.jobengine.reports.kinds import make_report
from sortkey_systems.jobengine.reports.reports import get_job_reports
from sortkey_systems.jobengine.stages.default_stages import default_stages
from tests.systems.jobengine.conftest import ID
from tests.systems.jobengine.examples import JOB, JOURNEY, LOG, stored
from tests.systems.jobengine.log_lines import JOB as JOB_ID
from tests.systems.jobengine.log_lines import STAGE, read, written
from tests.systems.jobengine.recording import Recording


@pytest.mark.accepts("JE-70", "JE-72")
def test_JE_72_the_documents_volume_costs_what_its_prices_say() -> None:
    # 180 GB × $0.023 is its $4.14; 180 GB × $0.25 is $45, and not its $375.
    found = estimate()
    assert found.volume.gigabytes_a_day == 6
    assert found.volume.gigabytes == 180
    assert found.volume.items_a_job == 150
    assert round(found.s3, 2) == 4.14
    assert found.dynamodb == 45
    assert round(found.times_cheaper) == 11
    assert found.s3 < found.hybrid < found.dynamodb
    assert 0.85 < found.saved < 0.92


@pytest.mark.accepts("JE-72")
def test_JE_72_the_estimator_prints_its_own_result() -> None:
    # A person reads it; no figure of the document is copied.
    assert estimate().text() == (
        "100 jobs a day of 60 MB are 6 GB a day, 180 GB a month.\n"
        "S3 only        $    4.14 a month\n"
        "DynamoDB only  $   45.00 a month, in 150 items a job\n"
        "hybrid         $    4.89 a month, 3.02 GB of it in the table; 89% less than DynamoDB "
        "only\n"
    )


def test_an_estimate_follows_the_volume() -> None:
    # Twice as many jobs cost twice as much; no item in the table, and the hybrid is S3.
    assert estimate(Volume(jobs_a_day=200)).s3 == 2 * estimate().s3
    alone = estimate(Volume(indexed_share=0, reports_a_job=0))
    assert alone.hybrid == alone.s3
    assert estimate(Volume(log_megabytes=0.1, report_megabytes=0.1)).volume.items_a_job == 1


# -- policies


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


@pytest.mark.accepts("JE-79")
def test_JE_79_the_five_metrics_of_the_document_are_counted() -> None:
    # Under the names of CloudWatch, also where there is no CloudWatch.
    metrics = Metrics()
    backend = Recording(EmbeddedBackend(sortkey.engine.open(":memory:")))
    with Store(backend, metrics=metrics) as store:
        store.ensure(model)
        metrics.families.clear()  # a table that is not there yet is an error to CloudWatch too
        store.put(Journey.from_item(stored(JOURNEY)))
        store.batch_write(default_stages(ID))
        store.query(Stage.of_journey(journey_id=ID))
        with pytest.raises(ItemTooLarge):
            store.put(Log.from_item(stored(LOG)).changed(message="x" * 410_000))
        backend.is_busy = True
        with pytest.raises(Throttled):
            store.find(Journey.key(journey_id=ID))
    totals = metrics.totals()
    assert set(totals) == {
        "ConsumedReadCapacityUnits",
        "ConsumedWriteCapacityUnits",
        "UserErrors",
        "SystemErrors",
        "ThrottledRequests",
    }
    assert totals["ConsumedReadCapacityUnits"] == 1.0  # six stages: 4 to 8 KB, half price
    assert totals["ConsumedWriteCapacityUnits"] >= 14  # seven items, in the table and in the index
    assert (totals["UserErrors"], totals["SystemErrors"], totals["ThrottledRequests"]) == (1, 0, 1)
