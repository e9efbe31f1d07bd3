"""Generated from audit.py by tools/generate_async.py: edit that, then `make format`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sortkey.runtime.async_store import AsyncStore
from sortkey.runtime.audit import AuditRecord, Outcome, audit_write


async def audit_async(
    store: AsyncStore,
    actor: str,
    action: str,
    subject: str,
    detail: Mapping[str, Any] | None = None,
    *,
    outcome: Outcome = "done",
    at: datetime | None = None,
    id: str | None = None,
) -> AuditRecord:
    """`audit`, awaited. Append a record. Raises AlreadyExists if one with the same subject, instant
    and id exists.
    """
    return await store.create(
        audit_write(actor, action, subject, detail, outcome=outcome, at=at, id=id).entity
    )
