"""Events of buckets on S3, as AWS writes them, and from a real queue."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest

from sortkey_systems.vams.model import S3AssetBucket
from sortkey_systems.vams.sync.bucket_watch import BucketWatch
from sortkey_systems.vams.sync.mapping import ObjectEvent
from sortkey_systems.vams.sync.s3_events import S3Events, events_of
from tests.contract.topics_adapters import moto_server
from tests.systems.vams.host import Requests, hosted
from tests.systems.vams.upload_client import listed, paths


def notification(key: str, name: str = "ObjectCreated:Put", version_id: str = "v1") -> str:
    """A message of S3, with the fields that AWS documents. Keys are encoded as in a form."""
    record = {
        "eventVersion": "2.1",
        "eventSource": "aws:s3",
        "eventName": name,
        "s3": {
            "bucket": {"name": "plant", "arn": "arn:aws:s3:::plant"},
            "object": {
                "key": key,
                "size": 4,
                "eTag": "e",
                "versionId": version_id,
                "sequencer": "0",
            },
        },
    }
    return json.dumps({"Records": [record]})


def test_a_notification_of_s3_names_bucket_key_and_version() -> None:
    # S3 encodes keys: a plus sign is a space.
    assert list(events_of(notification("pump/a+b%2Bc%C3%BC.glb"))) == [
        ("plant", ObjectEvent("pump/a b+cü.glb", "v1", False))
    ]
    removed = notification("pump/a.glb", "ObjectRemoved:DeleteMarkerCreated")
    assert list(events_of(removed)) == [("plant", ObjectEvent("pump/a.glb", "v1", True))]


def test_a_notification_may_come_through_a_topic() -> None:
    # One bucket can notify only one queue directly; with a topic several programs listen.
    wrapped = json.dumps({"Type": "Notification", "Message": notification("pump/a.glb")})
    assert [event.key for _, event in events_of(wrapped)] == ["pump/a.glb"]


def test_an_event_of_eventbridge_is_read_too() -> None:
    # Its keys are not encoded, and its names have hyphens.
    event = {
        "source": "aws.s3",
        "detail-type": "Object Created",
        "detail": {
            "bucket": {"name": "plant"},
            "object": {"key": "pump/a+b.glb", "version-id": "v1"},
        },
    }
    assert list(events_of(json.dumps(event))) == [("plant", ObjectEvent("pump/a+b.glb", "v1"))]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "not JSON",
        "[]",
        '{"Service": "Amazon S3", "Event": "s3:TestEvent", "Bucket": "plant"}',
        '{"Records": 7}',
        '{"Records": [{"eventName": "ObjectCreated:Put", "s3": {"bucket": {}}}]}',
        notification("a/b.glb", "ReducedRedundancyLostObject"),
        '{"Message": "{\\"Message\\": \\"{\\\\\\"Message\\\\\\": \\\\\\"x\\\\\\"}\\"}"}',
        "[" * 100_000,
    ],
)
def test_other_messages_are_left_out(text: str) -> None:
    # S3 sends a test message first, and anybody with access to the queue can send anything.
    assert list(events_of(text)) == []


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    with moto_server() as address:
        yield address


@pytest.mark.slow  # the server takes seconds to start
@pytest.mark.xdist_group("vams-s3-events")
def test_events_in_a_queue_are_mapped_and_deleted(tmp_path: Path, endpoint: str) -> None:
    # The same mapping as for folders. The longest prefix of a bucket's records decides.
    session: Any = boto3.Session("test", "test", region_name="us-east-1")
    client: Any = session.client("sqs", endpoint_url=endpoint)
    url = client.create_queue(QueueName="vams-events")["QueueUrl"]
    with hosted(tmp_path / "data") as requests:
        inner = S3AssetBucket(bucket_id="in", bucket_name="plant", base_assets_prefix="in/")
        requests.service.store.put(inner.changed(bucket_id="root", base_assets_prefix="/"))
        requests.service.store.put(inner)
        requests.make_database("plant", defaultBucketId="in")
        stored = requests.service.resources.buckets["plant"].put("in/pump/a b.glb", b"glTF")
        for key in ("in/pump/a+b.glb", "in/pump/gone.glb"):
            message = notification(key, version_id=stored.version_id)
            client.send_message(QueueUrl=url, MessageBody=message)
        client.send_message(QueueUrl=url, MessageBody="nonsense")
        _mark_as_seen(requests)
        assert BucketWatch(requests.service, S3Events(client, url)).look() == 1
        assert paths(listed(requests, "pump")) == ["/a b.glb"]
    left = client.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
    assert left["ApproximateNumberOfMessages"] == "0"
    assert left["ApproximateNumberOfMessagesNotVisible"] == "0"


def _mark_as_seen(requests: Requests) -> None:
    """As if the buckets were on S3, where only events tell of changes."""
    for bucket in requests.service.store.scan(S3AssetBucket):
        requests.service.store.put(bucket.changed(watched_position=1 << 40))
