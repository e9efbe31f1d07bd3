"""The errors that the library raises to its callers. The tree is drawn in
`sortkey.errors`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


class SortkeyError(Exception):
    """The root of the tree."""


class FolderInUse(SortkeyError):
    """A data folder is owned by another process. `address` is where that process answers, if it
    serves others.

    An owner `is_interim` if it took the folder over from one that had ended. It returns the folder
    to a server that asks for it.
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
            else "it does not serve others: stop it, or open another folder"
        )
        super().__init__(f"the folder {folder} is in use by process {pid}; {how}")


class NotConfigured(SortkeyError):
    """A setting of a connection is missing or wrong. The message says which, and how to set it."""


class ModelError(SortkeyError):
    """A model, or a use of it, is wrong whatever is stored. The message says what to write
    instead.
    """


class KeyValueError(ModelError, ValueError):
    """A value cannot be part of a key: it exceeds its width, or would make two keys equal."""


class StoredValueError(ModelError, ValueError):
    """A value cannot be stored, such as a number that DynamoDB does not support."""


class StoreError(SortkeyError):
    """An operation of a store failed."""


class NotFound(StoreError):
    """There is no item under the key."""


class TableMissing(StoreError):
    """The table of an item does not exist. `store.ensure` creates it."""


class ConditionFailed(StoreError):
    """The condition of a write does not hold. `item` is the stored entity, or None if there is
    none.
    """

    def __init__(self, message: str, item: Any = None) -> None:
        super().__init__(message)
        self.item = item


class AlreadyExists(ConditionFailed):
    """`create` found an item under the key, or a unique value that another item has."""


class StaleVersion(ConditionFailed):
    """`save` found a newer version than the one that was read. Read it again, change it, save."""


class TransitionRefused(ConditionFailed):
    """A status cannot follow the stored one."""


class ObjectNotFound(NotFound):
    """There is no object under the key, or none in that version."""


class PreconditionFailed(ConditionFailed):
    """An object exists already, or is not the one that was read."""


class ObjectCorrupt(StoreError):
    """The bytes of an object are not those that were written: their SHA-256 or their size
    differs.
    """


class LinkRefused(StoreError):
    """A presigned URL was not made here, has expired, or was made for another request."""


class TransactionFailed(StoreError):
    """A transaction was cancelled and nothing of it was written. `reasons` has one entry per failed
    operation.
    """

    def __init__(self, message: str, reasons: list[Any]) -> None:
        super().__init__(message)
        self.reasons = reasons


class BatchIncomplete(StoreError):
    """A batch could not be finished in time. `unprocessed` is what was not done,
    `processed` what was."""

    def __init__(self, message: str, unprocessed: list[Any], processed: list[Any]) -> None:
        super().__init__(message)
        self.unprocessed = unprocessed
        self.processed = processed


class ItemTooLarge(StoreError):
    """An item of more than 400 KB. `sizes` are the bytes of its attributes, the largest first."""

    def __init__(self, message: str, sizes: list[tuple[str, int]]) -> None:
        super().__init__(message)
        self.sizes = sizes


class Throttled(StoreError):
    """The service is overloaded, even after all retries."""


class Unreachable(StoreError):
    """The service gave no answer, even after all retries. A write may or may not have been done.

    If `was_sent` is False, no connection could be made, and it was not done.
    """

    def __init__(self, message: str, *, was_sent: bool = True) -> None:
        super().__init__(message)
        self.was_sent = was_sent


class StorageFailed(StoreError):
    """The disk is full or broken. Nothing of the call was written. Earlier acknowledged writes are
    safe.
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
    """A cursor that this store did not issue, or issued for another query or tenant."""


class LeaseLost(StoreError):
    """Another process has taken over the work of this one, which took too long or seemed dead."""


class ChangeRefused(SortkeyError):
    """Raise this in a stream handler for a change that can never be handled. It becomes a dead
    letter without retries.
    """


class MessageTooLarge(SortkeyError):
    """A message is over 256 KB, which topics do not accept. Store the content as an object and send
    its key.
    """


class JobError(SortkeyError):
    """Something is wrong with a job."""


class JobConflict(JobError):
    """A different job was enqueued under the same idempotency key. Use another key."""


class JobNotEnded(JobError, TimeoutError):
    """A job has not ended within the timeout. It still runs or waits."""


class GiveUp(JobError):
    """Raise this in a job function if a retry is useless. The job fails at once."""


class JobStopped(JobError):
    """A job function should end here. Do not catch it: the worker handles it."""


class JobCancelled(JobStopped):
    """The job was cancelled."""


class JobTimedOut(JobStopped):
    """The job has run for longer than its timeout."""


class JobInterrupted(JobStopped):
    """The worker is being stopped. The job continues later from its last step or checkpoint."""


class JobLost(JobStopped):
    """The job no longer belongs to this worker, whose writes are ignored."""


class SandboxError(SortkeyError):
    """A function in a separate process did not finish, or its result cannot be sent back."""


class MemoryLimitExceeded(SandboxError):
    """The function needs more memory than its process may have."""


class TimeLimitExceeded(SandboxError):
    """The function exceeded its time limit."""


class ProcessDied(SandboxError):
    """The process of the function ended before it answered. The message has the signal or the exit
    code.
    """


class SearchError(SortkeyError):
    """An operation of a search index failed."""


class SearchIndexMissing(SearchError):
    """The index does not exist, or does not match the declaration of its documents. `ensure()`
    creates it.
    """


class SearchIndexInUse(SearchError):
    """Another process writes the index. It can still be read."""

    def __init__(self, folder: str, pid: int) -> None:
        self.folder, self.pid = folder, pid
        super().__init__(
            f"the search index in {folder} is written by process {pid}: write through that "
            "process, or stop it"
        )


class SearchWritesFailed(SearchError):
    """Some documents were not written. `ids` maps them to the reasons. The others were written."""

    def __init__(self, message: str, ids: dict[str, str]) -> None:
        super().__init__(message)
        self.ids = ids


class TransferRefused(SortkeyError):
    """An export, import, backup, restore or copy cannot start. Nothing was changed. The message
    says what to do.
    """


class TransferFailed(SortkeyError):
    """An export, import, backup, restore or copy was interrupted. The message says where, and how
    to continue.
    """
