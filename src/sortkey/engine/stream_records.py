"""A change of the journal as a stream record, with the images of the stream's view type."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import orjson
from orjson import Fragment

from sortkey.engine.streams import Feed, sequence_text
from sortkey.storage.journal import TTL, Entry
from sortkey.values.sizes import item_size

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

SERVICE = {"PrincipalId": "dynamodb.amazonaws.com", "Type": "Service"}
"""Who deleted an expired item."""

_SHOWS_NEW = frozenset({"NEW_IMAGE", "NEW_AND_OLD_IMAGES"})
_SHOWS_OLD = frozenset({"OLD_IMAGE", "NEW_AND_OLD_IMAGES"})


def describe(engine: Engine, feed: Feed, entry: Entry) -> tuple[dict[str, Any], int]:
    """The record, and its size."""
    content, size = _content(feed, entry)
    record: dict[str, Any] = {
        # The same at every reading, so that consumers can drop duplicates.
        "eventID": hashlib.blake2b(
            f"{feed.number}/{entry.seq}".encode(), digest_size=16
        ).hexdigest(),
        "eventName": _event_name(entry),
        "eventVersion": "1.1",
        "eventSource": "aws:dynamodb",
        "awsRegion": engine.region,
        "dynamodb": content,
    }
    if entry.actor == TTL:
        record["userIdentity"] = SERVICE
    return record, size


def _event_name(entry: Entry) -> str:
    if entry.old is None:
        return "INSERT"
    return "REMOVE" if entry.new is None else "MODIFY"


def _content(feed: Feed, entry: Entry) -> tuple[dict[str, Any], int]:
    item = orjson.loads(entry.new or entry.old or b"{}")
    keys = {element["AttributeName"]: item[element["AttributeName"]] for element in feed.key_schema}
    size = item_size(keys)
    content: dict[str, Any] = {"ApproximateCreationDateTime": entry.at_ms // 1000, "Keys": keys}
    if entry.new is not None and feed.view in _SHOWS_NEW:
        content["NewImage"] = Fragment(entry.new)
        size += item_size(item)
    if entry.old is not None and feed.view in _SHOWS_OLD:
        content["OldImage"] = Fragment(entry.old)
        size += item_size(item if entry.new is None else orjson.loads(entry.old))
    content["SequenceNumber"] = sequence_text(entry.seq)
    content["SizeBytes"] = size
    content["StreamViewType"] = feed.view
    return content, size
