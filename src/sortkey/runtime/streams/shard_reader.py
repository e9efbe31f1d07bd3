"""Reads one shard page by page, and replaces expired iterators."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import Any

from sortkey.errors import (
    ExpiredIteratorException,
    ResourceNotFoundException,
    TrimmedDataAccessException,
)
from sortkey.model.changes import Record
from sortkey.runtime.metrics import Metrics, counter
from sortkey.runtime.streams.shards import Call
from sortkey.runtime.streams.state import Shard

log = logging.getLogger("sortkey.streams")
PAGE_RECORDS = 1000
GAPS = counter(
    "sortkey_stream_gaps_total",
    "How often changes may have been lost because they were read too late.",
)


@dataclass(frozen=True, slots=True)
class RecordPage:
    """Some records in order. `is_end` if these are the last of a closed shard. `has_gap` if the
    stream has dropped records before them.
    """

    records: list[Record]
    is_end: bool = False
    has_gap: bool = False


class ShardReader:
    """Continues after the checkpoint of a shard, or begins at its start or at an iterator."""

    def __init__(self, call: Call, shard: Shard, iterator: str | None = None) -> None:
        self._call = call
        self._shard = shard
        self._after = shard.sequence_number
        self._iterator = iterator
        self._is_done = False

    def next(self) -> RecordPage:
        """The next page, which may be empty. Call it again only when the last one is processed."""
        if self._is_done:
            return RecordPage([], is_end=True)
        try:
            return self._read()
        except ExpiredIteratorException:
            self._iterator = None
            return self._read()
        except TrimmedDataAccessException:
            self._after = self._iterator = None
            return replace(self._read(), has_gap=True)
        except ResourceNotFoundException:
            self._is_done = True  # the stream keeps a shard for a day
            return RecordPage([], is_end=True, has_gap=True)

    def _read(self) -> RecordPage:
        if self._iterator is None:
            self._iterator = shard_iterator(self._call, self._shard, self._after)
        answer = self._call("GetRecords", {"ShardIterator": self._iterator, "Limit": PAGE_RECORDS})
        self._iterator = answer.get("NextShardIterator")
        self._is_done = self._iterator is None
        records: list[Record] = answer["Records"]
        if records:
            self._after = records[-1]["dynamodb"]["SequenceNumber"]
        return RecordPage(records, self._is_done)


def shard_iterator(call: Call, shard: Shard, after: str | None, *, latest: bool = False) -> str:
    """An iterator after a sequence number, at the start of the shard, or at its current end."""
    request: dict[str, Any] = {"StreamArn": shard.stream_arn, "ShardId": shard.shard_id}
    if after is not None:
        request |= {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": after}
    else:
        request["ShardIteratorType"] = "LATEST" if latest else "TRIM_HORIZON"
    return call("GetShardIterator", request)["ShardIterator"]


def tell_gap(shard: Shard, table: str, metrics: Metrics | None) -> None:
    """Log and count that changes may be lost."""
    log.error(
        "worker %s: changes of %s in %s may be lost: a stream keeps them for a day, and the worker "
        "is further behind. "
        "Compare what its handlers keep with the table",
        shard.worker,
        table,
        shard.shard_id,
    )
    if metrics is not None:
        metrics.add(GAPS, 1, worker=shard.worker, table=table)
