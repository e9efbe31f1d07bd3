"""An append-only record of who did what to what. Nothing here changes, replaces or deletes a
record. On AWS, grant nobody `dynamodb:UpdateItem` or `dynamodb:DeleteItem` on its table.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from sortkey.model.entity import Entity
from sortkey.model.fields import camel
from sortkey.model.instants import Instant
from sortkey.model.keys import index, key, query
from sortkey.model.operations import Put
from sortkey.model.tables import GSI, Table
from sortkey.runtime.store import Store

audit_table = Table(
    "sortkey-audit",
    key=("PK", "SK"),
    indexes=[GSI("by-day", "GSI1PK", "GSI1SK", doc="All records of a day, in UTC.")],
    doc="Who did what to what, and whether it was allowed. Only appended to.",
)

Outcome = Literal["done", "denied", "failed"]


class AuditRecord(Entity, table=audit_table, kind="Audit", names=camel):
    """One thing that somebody did, or was not allowed to do."""

    subject: Annotated[str, Field(min_length=1, examples=["asset/db-1/asset-7"])]
    """What the action was done to, by a name that the system chooses."""
    at: Instant
    id: Annotated[str, Field(pattern=r"^[^#]+$", examples=["9f86d0818f4a"])]
    """Distinguishes records of the same instant."""
    actor: Annotated[str, Field(min_length=1, examples=["ada@example.com"])]
    action: Annotated[str, Field(min_length=1, examples=["asset.delete"])]
    outcome: Outcome = "done"
    detail: dict[str, Any] = Field(default_factory=dict[str, Any])
    """Further details. Never a secret: records are kept for long and read by many."""
    day: str = Field(default_factory=lambda known: known["at"].astimezone(UTC).strftime("%Y-%m-%d"))

    @key("SUBJECT#{subject:free}", "{at}#{id}")
    def key(*, subject: str, at: Instant, id: str):
        """One record."""

    @query(key)
    def of_subject(*, subject: str):
        """Everything that happened to a subject, in order; `.descending()` for the latest first."""

    @index("by-day", "DAY#{day}", "{at}#{id}")
    def of_day(*, day: str):
        """Everything of a day, as 2026-11-01, in order."""


def audit_write(
    actor: str,
    action: str,
    subject: str,
    detail: Mapping[str, Any] | None = None,
    *,
    outcome: Outcome = "done",
    at: datetime | None = None,
    id: str | None = None,
) -> Put[AuditRecord]:
    """A record as a write, for the same transaction as the change it records."""
    record = AuditRecord(
        subject=subject,
        at=at or datetime.now(UTC),
        id=id or secrets.token_hex(6),
        actor=actor,
        action=action,
        outcome=outcome,
        detail=dict(detail or {}),
    )
    return Put(record, "create")


def audit(
    store: Store,
    actor: str,
    action: str,
    subject: str,
    detail: Mapping[str, Any] | None = None,
    *,
    outcome: Outcome = "done",
    at: datetime | None = None,
    id: str | None = None,
) -> AuditRecord:
    """Append a record. Raises AlreadyExists if one with the same subject, instant and id exists."""
    return store.create(
        audit_write(actor, action, subject, detail, outcome=outcome, at=at, id=id).entity
    )
