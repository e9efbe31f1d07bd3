"""The same handlers as an AWS Lambda function on a DynamoDB stream, with partial batch failures.

Set `FunctionResponseTypes=["ReportBatchItemFailures"]` on the event source: Lambda then goes on at
the first record that failed, and not at the first of the batch.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any

from sortkey.errors import ChangeRefused, InvalidItem
from sortkey.model.changes import Change, Record
from sortkey.runtime.streams.dead_letters import DeadLetters, Origin
from sortkey.runtime.streams.dispatch import Dispatch, MatchedChange, Unreadable
from sortkey.runtime.streams.handlers import AnyHandler

log = logging.getLogger("sortkey.streams")
Answer = dict[str, list[dict[str, str]]]


def lambda_handler(
    handlers: Sequence[AnyHandler], *, dead_letters: DeadLetters | None = None
) -> Callable[[dict[str, Any], Any], Answer]:
    """Make the entry function of a Lambda: `handler = lambda_handler([announce])`.

    The records of each stream are processed in order up to the first that fails. With
    `dead_letters`, a change that a handler refuses or that its entity cannot read is stored there,
    and does not block the shard.
    """
    dispatch = Dispatch(handlers)

    def handle(event: dict[str, Any], context: Any = None) -> Answer:
        streams: dict[str, list[Record]] = {}
        for record in event["Records"]:
            streams.setdefault(record["eventSourceARN"], []).append(record)
        failed = [
            _Batch(dispatch, dead_letters, arn).deliver(records) for arn, records in streams.items()
        ]
        return {
            "batchItemFailures": [
                {"itemIdentifier": number} for number in failed if number is not None
            ]
        }

    return handle


class _Batch:
    """The records of one stream in one call."""

    def __init__(self, dispatch: Dispatch, dead: DeadLetters | None, stream_arn: str) -> None:
        self._dispatch = dispatch
        self._dead = dead
        # arn:aws:dynamodb:eu-west-1:123456789012:table/Name/stream/2026-01-01T00:00:00.000
        self._origin = Origin(stream_arn.split(":table/", 1)[-1].split("/", 1)[0], stream_arn, "")

    def deliver(self, records: Sequence[Record]) -> str | None:
        """The sequence number of the first record that failed, or None."""
        batches: dict[str, list[MatchedChange]] = {}
        first_failed: str | None = None
        for record in records:
            matches = list(self._dispatch.find(self._origin.table, record))
            singles = [(handler, change) for handler, change in matches if not handler.in_batches]
            if not all(self._take(handler, [change]) for handler, change in singles):
                first_failed = record["dynamodb"]["SequenceNumber"]
                break
            for handler, change in matches:
                if handler.in_batches:
                    batches.setdefault(handler.name, []).append(change)
        failed = [
            self._first_failed(self._dispatch.by_name[name], batch)
            for name, batch in batches.items()
        ]
        return min(
            (number for number in (first_failed, *failed) if number is not None),
            key=int,
            default=None,
        )

    def _first_failed(self, handler: AnyHandler, batch: Sequence[MatchedChange]) -> str | None:
        """Bisect a failing batch to the first change that fails."""
        if self._take(handler, batch):
            return None
        if len(batch) == 1:
            return _record(batch[0])["dynamodb"]["SequenceNumber"]
        middle = len(batch) // 2
        return self._first_failed(handler, batch[:middle]) or self._first_failed(
            handler, batch[middle:]
        )

    def _take(self, handler: AnyHandler, batch: Sequence[MatchedChange]) -> bool:
        try:
            for change in batch:
                if isinstance(change, Unreadable):
                    raise change.error
            self._dispatch.call(handler, [change for change in batch if isinstance(change, Change)])
        except Exception as error:
            numbers = [_record(change)["dynamodb"]["SequenceNumber"] for change in batch]
            log.exception("handler %s failed with %s", handler.name, ", ".join(numbers))
            return len(batch) == 1 and self._bury(handler, _record(batch[0]), error)
        return True

    def _bury(self, handler: AnyHandler, record: Record, error: Exception) -> bool:
        """Store what a retry cannot help. Lambda retries the rest."""
        if self._dead is None or not isinstance(error, (ChangeRefused, InvalidItem)):
            return False
        self._dead.add(handler.name, record, self._origin, error, 1)
        return True


def _record(match: MatchedChange) -> Record:
    return match.record
