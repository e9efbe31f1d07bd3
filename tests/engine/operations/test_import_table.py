"""Imports: a new table from files in a bucket's folder."""

from __future__ import annotations

import gzip
import json

import pytest

from tests.engine.tables import ARN, described, failure, index, put, scan, table


@pytest.fixture
def bucket(engine, tmp_path):
    engine.buckets = tmp_path / "buckets"
    folder = engine.buckets / "bucket"
    folder.mkdir(parents=True)
    return folder


def lines(*items):
    return b"".join(json.dumps({"Item": item}).encode() + b"\n" for item in items)


def request(format="DYNAMODB_JSON", compression="NONE", prefix="", parameters=None, **members):
    return {
        "S3BucketSource": {"S3Bucket": "bucket", "S3KeyPrefix": prefix},
        "InputFormat": format,
        "InputCompressionType": compression,
        "TableCreationParameters": parameters or table(),
        **members,
    }


def import_(engine, *arguments, **members):
    """The description at the end."""
    begun = engine.call("ImportTable", request(*arguments, **members))["ImportTableDescription"]
    assert begun["ImportStatus"] == "IN_PROGRESS"
    for _ in range(20):
        engine.work()
    return engine.call("DescribeImport", {"ImportArn": begun["ImportArn"]})[
        "ImportTableDescription"
    ]


def test_what_was_exported_can_be_imported(engine, bucket):
    # The round trip, also into a table with an index that the first one did not have.
    engine.call("CreateTable", table("source"))
    recovery = {
        "TableName": "source",
        "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True},
    }
    engine.call("UpdateContinuousBackups", recovery)
    for number in range(5):
        put(engine, {"a": {"S": str(number)}, "n": {"N": str(number)}}, "source")
    engine.call(
        "ExportTableToPointInTime",
        {"TableArn": f"{ARN}source", "S3Bucket": "bucket", "S3Prefix": "p"},
    )
    wanted = table(attributes="a n:N", GlobalSecondaryIndexes=[index("byn", "n")])
    done = import_(engine, "DYNAMODB_JSON", "GZIP", "p/AWSDynamoDB/", wanted)
    assert done["ImportStatus"] == "COMPLETED"
    counts = {
        name: done[name] for name in ("ProcessedItemCount", "ImportedItemCount", "ErrorCount")
    }
    assert counts == {"ProcessedItemCount": 5, "ImportedItemCount": 5, "ErrorCount": 0}
    assert sorted(scan(engine), key=str) == sorted(scan(engine, "source"), key=str)
    assert len(scan(engine, IndexName="byn")) == 5
    assert described(engine)["TableStatus"] == "ACTIVE"


def test_a_bad_line_is_counted_and_the_others_are_imported(engine, bucket):
    # AWS imports what it can, says how many it could not, and calls that a failure.
    good = {"a": {"S": "good"}}
    bad = [{"b": {"S": "no key"}}, {"a": {"N": "1"}}, {"a": {"S": "x"}, "n": {"N": "nan"}}]
    content = lines(*bad, good) + b"not json\n[]\n" + lines({"a": {"S": "x" * 3000}})
    (bucket / "items.json").write_bytes(content)
    done = import_(engine)
    assert scan(engine) == [good]
    assert (done["ProcessedItemCount"], done["ImportedItemCount"], done["ErrorCount"]) == (7, 1, 6)
    assert done["ProcessedSizeBytes"] == len(content)
    assert done["ImportStatus"] == "FAILED"
    assert done["FailureCode"] == "ItemValidationError"


def test_csv_has_the_keys_types_and_text_for_the_rest(engine, bucket):
    # As AWS: only key columns are typed. A header in the request makes the first line data.
    (bucket / "items.csv").write_text('a,n,text\nx,1,"with, comma"\ny,2,3\n')
    wanted = table(attributes="a n:N", GlobalSecondaryIndexes=[index("byn", "n")])
    assert import_(engine, "CSV", parameters=wanted)["ImportedItemCount"] == 2
    assert sorted(scan(engine), key=str) == [
        {"a": {"S": "x"}, "n": {"N": "1"}, "text": {"S": "with, comma"}},
        {"a": {"S": "y"}, "n": {"N": "2"}, "text": {"S": "3"}},
    ]
    (bucket / "items.csv").write_text("x;1\n")
    options = {"Csv": {"Delimiter": ";", "HeaderList": ["a", "z"]}}
    import_(engine, "CSV", parameters=table("second"), InputFormatOptions=options)
    assert scan(engine, "second") == [{"a": {"S": "x"}, "z": {"S": "1"}}]


def test_a_large_import_goes_on_in_the_background_and_after_a_restart(tmp_path, clock, monkeypatch):
    # The table is closed until it is full; a new process skips what is in it already.
    from sortkey.engine import imports
    from tests.engine.tables import new_engine

    monkeypatch.setattr(imports, "SLICE_RECORDS", 10)
    monkeypatch.setattr("sortkey.engine.jobs.SLICES_AT_ONCE", 1)
    folder = tmp_path / "buckets" / "bucket"
    folder.mkdir(parents=True)
    for file in range(2):
        items = [{"a": {"S": f"{file}/{number}"}} for number in range(25)]
        (folder / f"{file}.json.gz").write_bytes(gzip.compress(lines(*items)))
    with new_engine(tmp_path, clock) as engine:
        begun = engine.call("ImportTable", request(compression="GZIP"))["ImportTableDescription"]
        engine.work()
        assert failure(engine, "Scan", {"TableName": "tbl"}).startswith(
            "ResourceNotFoundException: "
        )
    imports._open.clear()
    with new_engine(tmp_path, clock) as engine:
        for _ in range(10):
            engine.work()
        done = engine.call("DescribeImport", {"ImportArn": begun["ImportArn"]})[
            "ImportTableDescription"
        ]
        assert done["ImportStatus"] == "COMPLETED"
        assert done["ImportedItemCount"] == 50
        assert len(scan(engine)) == 50


def test_a_missing_bucket_or_prefix_fails_the_import(engine, bucket):
    assert import_(engine, prefix="nothing/")["FailureCode"] == "S3NoSuchKey"
    bucket.rmdir()
    done = import_(engine, parameters=table("second"))
    assert (done["ImportStatus"], done["FailureCode"]) == ("FAILED", "S3NoSuchBucket")


def test_a_file_that_is_not_gzip_fails_the_import(engine, bucket):
    (bucket / "items.json.gz").write_bytes(lines({"a": {"S": "x"}}))
    assert import_(engine, compression="GZIP")["ImportStatus"] == "FAILED"


@pytest.mark.parametrize(
    ("members", "message"),
    [
        (
            {"InputFormat": "ION"},
            "ValidationException: InputFormat ION is not offered here; use DYNAMODB_JSON or CSV",
        ),
        (
            {"InputCompressionType": "ZSTD"},
            "ValidationException: InputCompressionType ZSTD is not offered here; use GZIP or NONE",
        ),
        (
            {"TableCreationParameters": table("exists")},
            "ResourceInUseException: Table already exists: exists",
        ),
    ],
)
def test_an_import_that_cannot_be_is_refused(engine, bucket, members, message):
    engine.call("CreateTable", table("exists"))
    assert failure(engine, "ImportTable", {**request(), **members}) == message


def test_a_prefix_cannot_lead_out_of_its_bucket(engine, bucket, tmp_path):
    # It would read any file that the server can.
    (tmp_path / "secret.json").write_bytes(lines({"a": {"S": "secret"}}))
    assert failure(engine, "ImportTable", request(prefix="../../secret")).startswith(
        "ValidationException: "
    )
    (bucket / "link.json").symlink_to(tmp_path / "secret.json")
    assert import_(engine)["FailureCode"] == "S3NoSuchKey"


def test_the_same_token_is_the_same_import(engine, bucket):
    (bucket / "items.json").write_bytes(lines({"a": {"S": "x"}}))
    first = import_(engine, ClientToken="token")
    again = engine.call("ImportTable", request(ClientToken="token"))["ImportTableDescription"]
    assert again["ImportArn"] == first["ImportArn"]
    other = {**request(ClientToken="token"), "InputFormat": "CSV"}
    assert failure(engine, "ImportTable", other).startswith("ImportConflictException: ")


def test_imports_are_listed_newest_first_in_pages(engine, bucket, clock):
    arns = []
    for number in range(3):
        clock.now += 1
        arns.insert(0, import_(engine, parameters=table(f"tbl{number}"))["ImportArn"])
    first = engine.call("ListImports", {"PageSize": 2})
    rest = engine.call("ListImports", {"NextToken": first["NextToken"]})
    assert [
        each["ImportArn"] for each in first["ImportSummaryList"] + rest["ImportSummaryList"]
    ] == arns
    arn = f"{ARN}tbl/import/01600000000000-abcdef01"
    assert (
        failure(engine, "DescribeImport", {"ImportArn": arn})
        == f"ImportNotFoundException: Import not found: {arn}"
    )
