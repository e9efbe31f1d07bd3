"""Applies a change exactly once. Handlers are called at least once: after a crash, the last changes
come again.

The writes of a handler go into one transaction with a guard item.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from sortkey.errors import TransactionFailed
from sortkey.model.changes import Change
from sortkey.model.operations import Put, Write
from sortkey.runtime.store import Store
from sortkey.runtime.streams.state import Applied

KEPT = timedelta(days=30)
"""How long a guard stays. A stream keeps changes for a day; dead letters may be replayed later."""


def once(change: Change[Any] | str, by: str, *, at: datetime | None = None) -> Put[Applied]:
    """The guard for a change, or for any id: a write for `store.transact`, which fails if the guard
    exists.

    `by` names what is done once, so that several handlers can guard the same change.
    """
    moment = at or (change.at if isinstance(change, Change) else datetime.now(UTC))
    id = change.id if isinstance(change, Change) else change
    return Put(Applied(change_id=id, by=by, expires_at=moment + KEPT), "create")


def apply_once(store: Store, change: Change[Any] | str, by: str, *writes: Write[Any]) -> bool:
    """Make the writes, unless they were already made for this change. Returns whether it did.

    All of the writes and the guard, or none. Raises TransactionFailed if one of the writes is
    refused.
    """
    try:
        store.transact(once(change, by), *writes)
    except TransactionFailed as failed:
        if not was_applied(failed):
            raise
        return False
    return True


def was_applied(failed: TransactionFailed) -> bool:
    """Whether the guard failed, which is the first operation: the change was applied before."""
    return any(
        reason.index == 0 and reason.code == "ConditionalCheckFailed" for reason in failed.reasons
    )
