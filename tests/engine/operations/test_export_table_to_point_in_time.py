"""Exports: the files in a bucket's folder, and their descriptions."""

from __future__ import annotations

import gzip
import hashlib
import json
from base64 import b64encode

import pytest

from sortkey.engine import exports
from tests.engine.tables import ARN, NOW, failure, put, table

TABLE = f"{ARN}tbl"


@pytest.fixture
def buckets(engine, tmp_path):
    engine.buckets = tmp_path / "buckets"
    engine.call("CreateTable", table())
    recovery = {
        "TableName": "tbl",
        "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True},
    }
    engine.call("UpdateContinuousBackups", recovery)
    return engine.buckets


def export(engine, **members):
    request = {"TableArn": TABLE, "S3Bucket": "bucket", **members}
    return engine.call("ExportTableToPointInTime", request)["ExportDescription"]


def describe(engine, description):
    return engine.call("DescribeExport", {"ExportArn": description["ExportArn"]})[
        "ExportDescription"
    ]


def lines(buckets, description):
    """Follow the manifests to the lines, checking every checksum on the way."""
    summary = json.loads((buckets / "bucket" / description["ExportManifest"]).read_bytes())
    manifest = buckets / "bucket" / summary["manifestFilesS3Key"]
    digest = b64encode(hashlib.md5(manifest.read_bytes()).digest())
    assert manifest.with_suffix(".md5").read_bytes() == digest
    found = []
    for entry in map(json.loads, manifest.read_text().splitlines()):
        packed = (buckets / "bucket" / entry["dataFileS3Key"]).read_bytes()
        assert entry["md5Checksum"] == b64encode(hashlib.md5(packed).digest()).decode()
        content = [json.loads(line) for line in gzip.decompress(packed).splitlines()]
        assert len(content) == entry["itemCount"]
        found += content
    assert summary["itemCount"] == len(found)
    return found


def test_an_export_is_the_table_of_an_instant_in_dynamodb_json(engine, buckets, clock):
    # The same files as on S3: what reads AWS's exports reads ours.
    put(engine, {"a": {"S": "x"}, "n": {"N": "1"}, "b": {"B": "AAE="}})
    clock.now += 5
    put(engine, {"a": {"S": "late"}})
    begun = export(engine, ExportTime=NOW + 2, S3Prefix="some/prefix")
    assert begun["ExportStatus"] == "IN_PROGRESS"
    done = describe(engine, begun)
    assert done["ExportStatus"] == "COMPLETED"
    assert done["ItemCount"] == 1
    assert done["ExportManifest"].startswith("some/prefix/AWSDynamoDB/01800000005000-")
    assert lines(buckets, done) == [
        {"Item": {"a": {"S": "x"}, "n": {"N": "1"}, "b": {"B": "AAE="}}}
    ]
    summary = json.loads((buckets / "bucket" / done["ExportManifest"]).read_bytes())
    assert summary["exportTime"] == "2027-01-15T08:00:02.000Z"
    assert summary["outputFormat"] == "DYNAMODB_JSON"


def test_a_large_table_is_written_in_several_files_in_the_background(engine, buckets, monkeypatch):
    # A file is one slice: a million items must not hold up the requests.
    monkeypatch.setattr(exports, "FILE_ROWS", 10)
    monkeypatch.setattr("sortkey.engine.jobs.SLICES_AT_ONCE", 1)
    for number in range(35):
        put(engine, {"a": {"S": str(number)}})
    begun = export(engine)
    assert describe(engine, begun)["ExportStatus"] == "IN_PROGRESS"
    put(engine, {"a": {"S": "during"}})
    for _ in range(12):
        engine.work()
    done = describe(engine, begun)
    assert done["ExportStatus"] == "COMPLETED"
    assert {line["Item"]["a"]["S"] for line in lines(buckets, done)} == set(map(str, range(35)))
    assert (
        len(list((buckets / "bucket" / done["ExportManifest"]).parent.glob("data/*.json.gz"))) == 4
    )


def test_an_empty_file_beside_the_manifests_says_that_an_export_has_begun(engine, buckets):
    # Documented: tools that wait for an export look for it.
    manifest = buckets / "bucket" / describe(engine, export(engine))["ExportManifest"]
    assert manifest.with_name("_started").read_bytes() == b""


def test_an_empty_table_has_an_empty_file(engine, buckets):
    assert lines(buckets, describe(engine, export(engine))) == []


def test_an_incremental_export_has_each_changed_item_once(engine, buckets, clock):
    # The oldest old image and the newest new one of the period; what changed before or after is not
    # in it.
    put(engine, {"a": {"S": "kept"}})
    put(engine, {"a": {"S": "changed"}, "n": {"N": "0"}})
    put(engine, {"a": {"S": "deleted"}})
    clock.now += 100
    for number in (1, 2):
        clock.now += 1
        put(engine, {"a": {"S": "changed"}, "n": {"N": str(number)}})
    put(engine, {"a": {"S": "new"}})
    engine.call("DeleteItem", {"TableName": "tbl", "Key": {"a": {"S": "deleted"}}})
    clock.now = NOW + 2000
    put(engine, {"a": {"S": "late"}})
    period = {"ExportFromTime": NOW + 50, "ExportToTime": NOW + 1500}
    for view in ("NEW_AND_OLD_IMAGES", "NEW_IMAGE"):
        specification = {**period, "ExportViewType": view}
        begun = export(
            engine, ExportType="INCREMENTAL_EXPORT", IncrementalExportSpecification=specification
        )
        found = {line["Keys"]["a"]["S"]: line for line in lines(buckets, describe(engine, begun))}
        assert set(found) == {"changed", "new", "deleted"}
        assert found["changed"]["NewImage"]["n"] == {"N": "2"}
        assert found["changed"]["Metadata"] == {
            "WriteTimestampMicros": {"N": str(int(NOW + 102) * 1_000_000)}
        }
        assert "NewImage" not in found["deleted"]
        assert ("OldImage" in found["deleted"]) == (view == "NEW_AND_OLD_IMAGES")
        assert "OldImage" not in found["new"]
    assert found["changed"].get("OldImage") is None


def test_an_export_can_be_filtered_and_projected(engine, buckets, monkeypatch):
    # As a scan: a filter may look at keys, and slices in which nothing is wanted leave no file.
    monkeypatch.setattr(exports, "FILE_ROWS", 1)
    for number in range(5):
        put(engine, {"a": {"S": str(number)}, "n": {"N": str(number)}, "big": {"S": "x"}})
    wanted = {
        "FilterExpression": "a > :one AND #n < :four",
        "ProjectionExpression": "a, nowhere",
        "ExpressionAttributeNames": {"#n": "n"},
        "ExpressionAttributeValues": {":one": {"S": "1"}, ":four": {"N": "4"}},
    }
    begun = export(engine, FilterSpecification=wanted)
    for _ in range(9):
        engine.work()
    done = describe(engine, begun)
    assert done["FilterSpecification"] == wanted
    assert (done["ExportStatus"], done["ItemCount"]) == ("COMPLETED", 2)
    found = sorted(line["Item"]["a"]["S"] for line in lines(buckets, done))
    assert found == ["2", "3"]
    assert all(line["Item"].keys() == {"a"} for line in lines(buckets, done))
    begun = export(engine, FilterSpecification={"FilterExpression": "attribute_exists(nowhere)"})
    for _ in range(9):
        engine.work()
    assert lines(buckets, describe(engine, begun)) == []


def test_an_export_of_one_partition(engine, buckets):
    # As a query: one partition, and a condition on the sort key.
    engine.call("CreateTable", table("pair", key="a b", attributes="a b:N"))
    recovery = {
        "TableName": "pair",
        "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True},
    }
    engine.call("UpdateContinuousBackups", recovery)
    for name in "xy":
        for number in (9, 10, 11):
            put(engine, {"a": {"S": name}, "b": {"N": str(number)}}, "pair")
    values = {":a": {"S": "x"}, ":b": {"N": "10"}}
    wanted = {"KeyConditionExpression": "a = :a AND b >= :b", "ExpressionAttributeValues": values}
    begun = export(engine, TableArn=ARN + "pair", FilterSpecification=wanted)
    found = [line["Item"] for line in lines(buckets, describe(engine, begun))]
    assert sorted((item["a"]["S"], int(item["b"]["N"])) for item in found) == [("x", 10), ("x", 11)]
    both = {**wanted, "KeyConditionExpression": "a = :a", "FilterExpression": "b > :b"}
    request = {"TableArn": ARN + "pair", "S3Bucket": "bucket", "FilterSpecification": both}
    assert failure(engine, "ExportTableToPointInTime", request) == (
        "ValidationException: Filter Expression can only contain non-primary key attributes: "
        "Primary key attribute: b"
    )


def test_an_incremental_export_is_filtered_by_the_latest_image(engine, buckets, clock):
    # By the old one of an item that is gone; both images are projected.
    for name in ("stays", "goes", "other"):
        put(engine, {"a": {"S": name}, "n": {"N": "1"}})
    clock.now += 100
    put(engine, {"a": {"S": "stays"}, "n": {"N": "2"}, "m": {"S": "x"}})
    put(engine, {"a": {"S": "other"}, "n": {"N": "3"}})
    engine.call("DeleteItem", {"TableName": "tbl", "Key": {"a": {"S": "goes"}}})
    clock.now = NOW + 2000
    specification = {"ExportFromTime": NOW + 50, "ExportToTime": NOW + 1500}
    wanted = {
        "FilterExpression": "n < :three",
        "ProjectionExpression": "n",
        "ExpressionAttributeValues": {":three": {"N": "3"}},
    }
    members = {"IncrementalExportSpecification": specification, "FilterSpecification": wanted}
    begun = export(engine, ExportType="INCREMENTAL_EXPORT", **members)
    found = {line["Keys"]["a"]["S"]: line for line in lines(buckets, describe(engine, begun))}
    assert {name: (line.get("OldImage"), line.get("NewImage")) for name, line in found.items()} == {
        "stays": ({"n": {"N": "1"}}, {"n": {"N": "2"}}),
        "goes": ({"n": {"N": "1"}}, None),
    }


def test_the_same_token_is_the_same_export(engine, buckets):
    # A client that retries must not export twice.
    first, second = (export(engine, ClientToken="token") for _ in range(2))
    assert first["ExportArn"] == second["ExportArn"]
    request = {"TableArn": TABLE, "S3Bucket": "elsewhere", "ClientToken": "token"}
    assert failure(engine, "ExportTableToPointInTime", request).startswith(
        "ExportConflictException: "
    )


def test_exports_are_listed_newest_first_in_pages(engine, buckets, clock):
    arns = []
    for _ in range(3):
        clock.now += 1
        arns.insert(0, export(engine)["ExportArn"])
    first = engine.call("ListExports", {"TableArn": TABLE, "MaxResults": 2})
    rest = engine.call("ListExports", {"NextToken": first["NextToken"]})
    listed = [each["ExportArn"] for each in first["ExportSummaries"] + rest["ExportSummaries"]]
    assert listed == arns
    assert "NextToken" not in rest
    assert engine.call("ListExports", {"TableArn": f"{ARN}other"}) == {"ExportSummaries": []}


def test_exports_of_several_tables_are_listed_in_reverse_order_of_their_arns(
    engine, buckets, clock
):
    # As AWS documents it: by the table's name first, then by time; pages go on where the last one
    # ended.
    engine.call("CreateTable", table("zzz" * 50))
    recovery = {
        "TableName": "zzz" * 50,
        "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True},
    }
    engine.call("UpdateContinuousBackups", recovery)
    arns = []
    for arn in (TABLE, ARN + "zzz" * 50) * 2:
        clock.now += 1
        arns.append(export(engine, TableArn=arn)["ExportArn"])
    listed, token = [], {}
    while token is not None:
        page = engine.call("ListExports", {"MaxResults": 1, **token})
        listed += [summary["ExportArn"] for summary in page["ExportSummaries"]]
        token = {"NextToken": page["NextToken"]} if "NextToken" in page else None
    assert listed == sorted(arns, reverse=True)


@pytest.mark.parametrize("prefix", ["../out", "a/../../out", "..", "/../out", "ok/.."])
def test_a_prefix_cannot_lead_out_of_its_bucket(engine, buckets, prefix):
    # The server writes files on behalf of whoever may call it.
    request = {"TableArn": TABLE, "S3Bucket": "bucket", "S3Prefix": prefix}
    assert failure(engine, "ExportTableToPointInTime", request).startswith("ValidationException: ")
    assert not buckets.exists()


def test_a_link_in_the_bucket_is_not_followed_out_of_it(engine, buckets, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (buckets / "bucket").mkdir(parents=True)
    (buckets / "bucket" / "link").symlink_to(outside)
    request = {"TableArn": TABLE, "S3Bucket": "bucket", "S3Prefix": "link"}
    assert failure(engine, "ExportTableToPointInTime", request).startswith("ValidationException: ")
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"TableArn": f"{ARN}none"}, f"TableNotFoundException: Table not found: {ARN}none"),
        ({"TableArn": ""}, "ValidationException: Invalid TableArn: Invalid Table ARN"),
        (
            {"TableArn": "none"},
            "ValidationException: One or more parameter values were invalid: tableArn is not a "
            "valid ARN",
        ),
        (
            {"TableArn": TABLE + "/index/gsi"},
            "ValidationException: Invalid Request: Table ARN is invalid.",
        ),
        (
            {"S3SseKmsKeyId": "key"},
            "ValidationException: Invalid Request: KMS Key Id is not supported for this encryption "
            "type",
        ),
        (
            {"ExportType": "INCREMENTAL_EXPORT"},
            "ValidationException: Invalid Request: Incremental Export Specification expected when "
            "export type is set "
            "as Incremental Export",
        ),
        (
            {"IncrementalExportSpecification": {}},
            "ValidationException: Invalid Request: Export Type expected to be Incremental Export "
            "when incremental "
            "export specification is provided",
        ),
        (
            {"ExportType": "INCREMENTAL_EXPORT", "IncrementalExportSpecification": {}},
            "ValidationException: Invalid Request: ExportFromTime must be provided in "
            "IncrementalExportSpecification",
        ),
        (
            {
                "ExportType": "INCREMENTAL_EXPORT",
                "IncrementalExportSpecification": {"ExportFromTime": NOW - 9},
            },
            "InvalidExportTimeException: Incremental export period from time cannot be less than "
            "the table creation "
            "time : 2027-01-15T07:59:51Z",
        ),
        (
            {
                "ExportType": "INCREMENTAL_EXPORT",
                "IncrementalExportSpecification": {"ExportFromTime": NOW},
            },
            "InvalidExportTimeException: Difference between export period from time and export "
            "period to time is less "
            "than 15 minutes",
        ),
        (
            {"FilterSpecification": {"FilterExpression": "a = :x"}},
            "ValidationException: Invalid FilterExpression: An expression attribute value used in "
            "expression is not "
            "defined; attribute value: :x",
        ),
        (
            {
                "FilterSpecification": {
                    "KeyConditionExpression": "n = :n",
                    "ExpressionAttributeValues": {":n": {"N": "1"}},
                }
            },
            "ValidationException: Query condition missed key schema element: a",
        ),
        (
            {"ExportFormat": "ION"},
            "ValidationException: ExportFormat ION is not offered here; use DYNAMODB_JSON",
        ),
        (
            {"ExportTime": NOW - 5},
            "InvalidExportTimeException: Export Time is invalid",
        ),
    ],
)
def test_an_export_that_cannot_be_is_refused(engine, buckets, members, message):
    assert (
        failure(
            engine, "ExportTableToPointInTime", {"TableArn": TABLE, "S3Bucket": "bucket", **members}
        )
        == message
    )


def test_an_export_needs_recovery_and_in_memory_has_a_bucket_that_passes(engine):
    # Programs that export are tried out against `serve --memory` too.
    engine.call("CreateTable", table())
    request = {"TableArn": TABLE, "S3Bucket": "bucket"}
    assert failure(engine, "ExportTableToPointInTime", request) == (
        "PointInTimeRecoveryUnavailableException: Point in time recovery is not enabled for table "
        "'tbl'"
    )
    recovery = {
        "TableName": "tbl",
        "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True},
    }
    engine.call("UpdateContinuousBackups", recovery)
    put(engine, {"a": {"S": "x"}})
    done = describe(engine, export(engine))
    assert lines(engine.buckets, done) == [{"Item": {"a": {"S": "x"}}}]
    engine.close()
    assert not engine.buckets.exists()


def test_a_disk_that_refuses_fails_the_export_and_nothing_else(engine, buckets):
    (buckets / "bucket").mkdir(parents=True)
    (buckets / "bucket" / "AWSDynamoDB").write_text("a file where a folder should be")
    done = describe(engine, export(engine))
    assert done["ExportStatus"] == "FAILED"
    assert done["FailureMessage"]


def test_an_unknown_export_is_not_found(engine):
    arn = f"{ARN}tbl/export/01600000000000-abcdef01"
    missing = f"ExportNotFoundException: Export not found: Export not found: {arn}"  # sic
    assert failure(engine, "DescribeExport", {"ExportArn": arn}) == missing
    assert (
        failure(engine, "DescribeExport", {"ExportArn": "x" * 40})
        == "ValidationException: Invalid Export ARN"
    )
    assert (
        failure(engine, "DescribeImport", {"ImportArn": arn})
        == "ValidationException: Invalid Import ARN"
    )
