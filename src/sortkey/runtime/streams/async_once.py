"""Generated from once.py by tools/generate_async.py: edit that, then `make format`."""

from __future__ import annotations

from typing import Any

from sortkey.errors import TransactionFailed
from sortkey.model.changes import Change
from sortkey.model.operations import Write
from sortkey.runtime.async_store import AsyncStore
from sortkey.runtime.streams.once import once, was_applied


async def apply_once_async(
    store: AsyncStore, change: Change[Any] | str, by: str, *writes: Write[Any]
) -> bool:
    """`apply_once`, awaited. Make the writes, unless they were already made for this change.
    Returns whether it did.

    All of the writes and the guard, or none. Raises TransactionFailed if one of the writes is
    refused.
    """
    try:
        await store.transact(once(change, by), *writes)
    except TransactionFailed as failed:
        if not was_applied(failed):
            raise
        return False
    return True
