"""Events of buckets on S3, from an SQS queue. A message is deleted when its events are mapped: what
fails comes again after its visibility timeout.

The queue is named by the environment variable VAMS_BUCKET_EVENTS_QUEUE, by its URL. Messages may
come from S3 itself, through a topic of SNS, or from EventBridge.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator, Mapping
from typing import Any, cast
from urllib.parse import unquote_plus

from sortkey.errors import NotConfigured
from sortkey_systems.vams.model import S3AssetBucket
from sortkey_systems.vams.model.documents import prefix_of
from sortkey_systems.vams.sync.mapping import Mapping as BucketMapping
from sortkey_systems.vams.sync.mapping import ObjectEvent

log = logging.getLogger("sortkey.vams")

QUEUE_VARIABLE, ENDPOINT_VARIABLE = "VAMS_BUCKET_EVENTS_QUEUE", "AWS_ENDPOINT_URL_SQS"
MESSAGES_AT_ONCE, RECEIVES_MAX = 10, 20
_DEPTH_MAX = 3
"""Of messages in messages: SQS holds one of SNS, which holds one of S3."""


def queue_from_environment(environment: Mapping[str, str] = os.environ) -> S3Events | None:
    """The queue that the environment names, or None."""
    url = environment.get(QUEUE_VARIABLE)
    if not url:
        return None
    try:
        import boto3  # pyright: ignore[reportMissingTypeStubs]
    except ImportError:
        raise NotConfigured("events of S3 need boto3: pip install 'sortkey[aws]'") from None
    session: Any = boto3.Session()
    return S3Events(session.client("sqs", endpoint_url=environment.get(ENDPOINT_VARIABLE)), url)


class S3Events:
    """One queue. `client` is boto3's client of SQS."""

    def __init__(self, client: Any, url: str) -> None:
        self._client, self._url = client, url

    def handle(self, mapping: BucketMapping, buckets: list[S3AssetBucket]) -> int:
        """Map the events in the queue. Returns how many files of others were found."""
        found = 0
        for _ in range(RECEIVES_MAX):
            answer = self._client.receive_message(
                QueueUrl=self._url, MaxNumberOfMessages=MESSAGES_AT_ONCE
            )
            messages: list[dict[str, Any]] = answer.get("Messages", [])
            if not messages:
                break
            for message in messages:
                found += _mapped(mapping, buckets, message["Body"])
                receipt = message["ReceiptHandle"]
                self._client.delete_message(QueueUrl=self._url, ReceiptHandle=receipt)
        return found


def events_of(text: str, depth: int = _DEPTH_MAX) -> Iterator[tuple[str, ObjectEvent]]:
    """The events in a message, each with the name of its bucket. Others are left out."""
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return
    if not isinstance(body, dict):
        return
    message = cast(dict[str, Any], body)
    inner = message.get("Message")
    if isinstance(inner, str) and depth > 1:
        yield from events_of(inner, depth - 1)
    records: Any = message.get("Records")
    for record in cast(list[Any], records) if isinstance(records, list) else ():
        yield from _event_of_s3(record)
    if message.get("source") == "aws.s3":
        yield from _event_of_bridge(message)


def _event_of_s3(record: Any) -> Iterator[tuple[str, ObjectEvent]]:
    match record:
        case {
            "eventName": str() as name,
            "s3": {"bucket": {"name": str() as bucket}, "object": {"key": str() as key} as about},
        }:
            kind = name.removeprefix("s3:").partition(":")[0]
            if kind in ("ObjectCreated", "ObjectRemoved"):
                version = about.get("versionId")
                is_delete = kind == "ObjectRemoved"
                yield bucket, ObjectEvent(unquote_plus(key), _text(version), is_delete)
        case _:
            return


def _event_of_bridge(message: Mapping[str, Any]) -> Iterator[tuple[str, ObjectEvent]]:
    match message:
        case {
            "detail-type": ("Object Created" | "Object Deleted") as kind,
            "detail": {
                "bucket": {"name": str() as bucket},
                "object": {"key": str() as key} as about,
            },
        }:
            is_delete = kind == "Object Deleted"
            yield bucket, ObjectEvent(key, _text(about.get("version-id")), is_delete)
        case _:
            return


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _mapped(mapping: BucketMapping, buckets: list[S3AssetBucket], text: str) -> int:
    """Map the events of a message, each in the record with the longest prefix."""
    found: dict[str, list[ObjectEvent]] = {}
    by_id = {bucket.bucket_id: bucket for bucket in buckets}
    for name, event in events_of(text):
        candidates = [
            bucket
            for bucket in buckets
            if bucket.bucket_name == name and event.key.startswith(prefix_of(bucket))
        ]
        if candidates:
            owner = max(candidates, key=lambda bucket: len(prefix_of(bucket)))
            found.setdefault(owner.bucket_id, []).append(event)
    return sum(mapping.map(by_id[bucket_id], events) for bucket_id, events in found.items())
