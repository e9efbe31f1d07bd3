"""The errors of the library: what a program that uses Sortkey meets. The tree is drawn in
`sortkey.errors`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


class SortkeyError(Exception):
    """The root of the tree."""


class FolderInUse(SortkeyError):
    """A data folder is owned by another process. `address` is where that process answers, if it
    serves.

    An owner `is_interim` if it took the folder over from one that had ended: it gives it back to a
    server that asks.
    """

    def __init__(
        self,
        folder: str,
        pid: int,
        address: str | None = None,
        token: str | None = None,
        *,
        is_interim: bool = False,
    ) -> None:
        self.folder, self.pid, self.address, self.token, self.is_interim = (
            folder,
            pid,
            address,
            token,
            is_interim,
        )
        how = (
            f"it answers on {address}"
            if address
            else "it serves nothing: stop it, or open another folder"
        )
        super().__init__(f"the folder {folder} is held by process {pid}; {how}")


class NotConfigured(SortkeyError):
    """Something that a connection needs is missing or wrong. The message says what, and where it
    can be given.
    """


class ModelError(SortkeyError):
    """A model or a call of it is wrong, whatever is stored. The message says what to write
    instead.
    """


class KeyValueError(ModelError, ValueError):
    """A value cannot stand in a key: it does not fit its width, or would make two keys equal."""


class StoredValueError(ModelError, ValueError):
    """A value cannot be stored: a number that DynamoDB does not have."""


class StoreError(SortkeyError):
    """A store could not do what it was asked."""


class NotFound(StoreError):
    """There is no item under the key."""


class TableMissing(StoreError):
    """The table of an item is not there. `store.ensure` makes it."""


class ConditionFailed(StoreError):
    """The condition of a write does not hold. `item` is what is stored, as an entity; None where
    there is nothing.
    """

    def __init__(self, message: str, item: Any = None) -> None:
        super().__init__(message)
        self.item = item


class AlreadyExists(ConditionFailed):
    """`create` found an item under the key, or a unique value that another item has."""


class StaleVersion(ConditionFailed):
    """`save` found a newer version than the one that was read. Read again, change that, save."""


class TransitionRefused(ConditionFailed):
    """A status cannot follow the one that is stored."""


class ObjectNotFound(NotFound):
    """There is no object under the key, or none in that version."""


class PreconditionFailed(ConditionFailed):
    """An object is there already, where it may be written once; or is not the one that was read."""


class ObjectCorrupt(StoreError):
    """The bytes of an object are not those that were written: their SHA-256 or their size
    differs.
    """


class LinkRefused(StoreError):
    """A presigned URL that was not made here, has expired, or was made for another request."""


class TransactionFailed(StoreError):
    """A transaction was cancelled: nothing of it is written. `reasons` has one entry for each
    operation that failed.
    """

    def __init__(self, message: str, reasons: list[Any]) -> None:
        super().__init__(message)
        self.reasons = reasons


class BatchIncomplete(StoreError):
    """A batch could not be finished in time. `left` is what was not done, `done` what was."""

    def __init__(self, message: str, left: list[Any], done: list[Any]) -> None:
        super().__init__(message)
        self.left = left
        self.done = done


class ItemTooLarge(StoreError):
    """An item of more than 400 KB. `sizes` are the bytes of its attributes, the largest first."""

    def __init__(self, message: str, sizes: list[tuple[str, int]]) -> None:
        super().__init__(message)
        self.sizes = sizes


class Throttled(StoreError):
    """The service refused for load, also after all retries."""


class Unreachable(StoreError):
    """The service gave no answer, also after all retries. A write may or may not have been done.

    Where nothing `was_sent`, because no connection could be made, it was not done.
    """

    def __init__(self, message: str, *, was_sent: bool = True) -> None:
        super().__init__(message)
        self.was_sent = was_sent


class StorageFailed(StoreError):
    """The disk is full, or broken. Nothing of the call was written, and what was acknowledged
    before is safe.
    """


class InvalidItem(StoreError):
    """A stored item does not fit its entity. `item` is what is stored; `table` and `key` say where,
    and `faults` has a line for each thing that is wrong."""

    def __init__(
        self,
        message: str,
        item: Any,
        *,
        table: str = "",
        key: Mapping[str, Any] | None = None,
        faults: Sequence[str] = (),
    ) -> None:
        super().__init__(message)
        self.item = item
        self.table = table
        self.key = dict(key or {})
        self.faults = list(faults)


class BadCursor(StoreError):
    """A cursor that this store did not give out, or gave out for another query or tenant."""


class LeaseLost(StoreError):
    """Another process has taken over what this one was doing: it took too long, or seemed to be
    gone.
    """


class ChangeRefused(SortkeyError):
    """Raise it in a stream handler for a change that will never fit: it becomes a dead letter
    without another try.
    """


class MessageTooLarge(SortkeyError):
    """A message of more than 256 KB, which no topic carries: put the content into an object and
    send its key.
    """


class JobError(SortkeyError):
    """Something is wrong with a job."""


class JobConflict(JobError):
    """A job was enqueued again under the same idempotency key, but as another one. Use
    another key.
    """


class JobNotEnded(JobError, TimeoutError):
    """A job has not ended in the time that was given. It runs, or waits, all the same."""


class GiveUp(JobError):
    """Raise it in a job function where trying again is of no use: the job fails at once."""


class JobStopped(JobError):
    """A job function should end here. Let it pass: the worker knows what to do."""


class JobCancelled(JobStopped):
    """Somebody has cancelled the job."""


class JobTimedOut(JobStopped):
    """The job has run for longer than its timeout."""


class JobInterrupted(JobStopped):
    """The worker is being stopped. The job is taken up again, from its last step or checkpoint."""


class JobLost(JobStopped):
    """The job is no longer this worker's: nothing that it writes counts any more."""


class SandboxError(SortkeyError):
    """A function in a process of its own did not come to its end, or what it gave cannot
    be sent.
    """


class MemoryLimitExceeded(SandboxError):
    """The function needs more memory than its process may have."""


class TimeLimitExceeded(SandboxError):
    """The function took longer than it may."""


class ProcessDied(SandboxError):
    """The process of the function ended before it answered. The message has the signal or the exit
    code.
    """


class SearchError(SortkeyError):
    """A search index could not do what it was asked."""


class SearchIndexMissing(SearchError):
    """There is no such index, or it does not fit the declaration of its documents. `ensure()` makes
    it.
    """


class SearchIndexInUse(SearchError):
    """Another process writes the index. It can be read all the same."""

    def __init__(self, folder: str, pid: int) -> None:
        self.folder, self.pid = folder, pid
        super().__init__(
            f"the search index in {folder} is written by process {pid}: write through that "
            "process, or stop it"
        )


class SearchWritesFailed(SearchError):
    """Documents were not written. `ids` are those, each with the reason; the others of the same
    call are written.
    """

    def __init__(self, message: str, ids: dict[str, str]) -> None:
        super().__init__(message)
        self.ids = ids


class TransferRefused(SortkeyError):
    """An export, import, backup, restore or copy cannot begin. Nothing was changed; the message
    says what to do.
    """


class TransferFailed(SortkeyError):
    """An export, import, backup, restore or copy broke off. The message says where, and how to
    continue.
    """
