"""Dead letters: changes that a handler could not process. They are stored, and can be listed,
replayed and dropped.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from traceback import format_exception

import orjson

from sortkey.model.attributes import attr
from sortkey.model.changes import Record
from sortkey.runtime.store import Store
from sortkey.runtime.streams.dispatch import Dispatch, Unreadable
from sortkey.runtime.streams.state import DeadLetter, DeadLetterPart

PART_BYTES = 300 * 1024
"""The part of a record that a letter holds. An item has at most 400 KB, a record up to twice as
much.
"""
TRACE_CHARACTERS = 8000
ERROR_CHARACTERS = 2000


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a record was read."""

    table: str
    stream_arn: str
    shard_id: str


@dataclass(frozen=True, slots=True)
class Replayed:
    """The result of a replay: letters that succeeded and were dropped, and letters that failed
    again.
    """

    done: list[DeadLetter]
    failed: list[DeadLetter]


class DeadLetters:
    """The dead letters of one worker."""

    def __init__(self, store: Store, worker: str, clock: Callable[[], float]) -> None:
        self._store = store
        self._clock = clock
        self.worker = worker

    def add(
        self, handler: str, record: Record, origin: Origin, error: BaseException, attempts: int
    ) -> DeadLetter:
        """Store a record that failed."""
        packed = zlib.compress(orjson.dumps(record))
        pieces = [packed[start : start + PART_BYTES] for start in range(0, len(packed), PART_BYTES)]
        letter = DeadLetter(
            worker=self.worker,
            failed_at=datetime.fromtimestamp(self._clock(), UTC),
            change_id=record["eventID"],
            handler=handler,
            table=origin.table,
            stream_arn=origin.stream_arn,
            shard_id=origin.shard_id,
            sequence_number=record["dynamodb"]["SequenceNumber"],
            error=_error_text(error),
            trace=_trace(error),
            attempts=attempts,
            record=pieces[0],
            parts=len(pieces) - 1,
        )
        for number, piece in enumerate(pieces[1:], 1):
            self._store.put(self._part(letter, number, piece))
        return self._store.put(letter)  # last, so that a listed letter is complete

    def list(self, limit: int = 1000) -> list[DeadLetter]:
        """The oldest first."""
        return self._store.query(DeadLetter.of_worker(worker=self.worker).consistent().limit(limit))

    def record(self, letter: DeadLetter) -> Record:
        """The stream's record, as it was read."""
        rest: list[DeadLetterPart] = []
        if letter.parts:
            query = DeadLetterPart.of_letter(
                worker=letter.worker, change_id=letter.change_id, handler=letter.handler
            ).consistent()
            rest = self._store.query(query)
        return orjson.loads(zlib.decompress(letter.record + b"".join(part.record for part in rest)))

    def drop(self, letter: DeadLetter) -> None:
        """Delete a letter. The change itself is not affected."""
        self._store.delete(letter)
        if self._is_told_again(letter):
            return  # the parts are shared with that one
        for number in range(1, letter.parts + 1):
            self._store.delete(
                DeadLetterPart.key(
                    worker=letter.worker,
                    change_id=letter.change_id,
                    handler=letter.handler,
                    number=number,
                )
            )

    def replay(self, dispatch: Dispatch, letters: Sequence[DeadLetter] | None = None) -> Replayed:
        """Give letters to their handlers once more; those that succeed are dropped. Oldest
        first.
        """
        replayed = Replayed([], [])
        for letter in self.list() if letters is None else letters:
            try:
                self._again(dispatch, letter)
            except Exception as error:
                replayed.failed.append(self._failed_again(letter, error))
            else:
                self.drop(letter)
                replayed.done.append(letter)
        return replayed

    def _again(self, dispatch: Dispatch, letter: DeadLetter) -> None:
        if letter.handler not in dispatch.by_name:
            raise LookupError(
                f"the worker has no handler {letter.handler}: add it, or drop the letter"
            )
        matching = [
            change
            for handler, change in dispatch.find(letter.table, self.record(letter))
            if handler.name == letter.handler
        ]
        if not matching:
            raise LookupError(
                f"{letter.handler} no longer accepts changes like this one: change it, or drop the "
                "letter"
            )
        for change in matching:
            if isinstance(change, Unreadable):
                raise change.error
            dispatch.call(dispatch.by_name[letter.handler], [change])

    def _is_told_again(self, letter: DeadLetter) -> bool:
        """Whether another letter shares the parts: the same change may fail twice after a crash."""
        same = (attr(DeadLetter.change_id) == letter.change_id) & (
            attr(DeadLetter.handler) == letter.handler
        )
        others = DeadLetter.of_worker(worker=letter.worker).consistent().where(same)
        return letter.parts > 0 and self._store.first(others) is not None

    def _failed_again(self, letter: DeadLetter, error: Exception) -> DeadLetter:
        again = letter.changed(
            error=_error_text(error), trace=_trace(error), attempts=letter.attempts + 1
        )
        return self._store.put(again)

    def _part(self, letter: DeadLetter, number: int, piece: bytes) -> DeadLetterPart:
        about = {"worker": letter.worker, "change_id": letter.change_id, "handler": letter.handler}
        return DeadLetterPart(**about, number=number, record=piece)


def _error_text(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"[:ERROR_CHARACTERS]


def _trace(error: BaseException) -> str:
    return "".join(format_exception(error))[-TRACE_CHARACTERS:]
