"""The outbox: a row for each notice to each subscriber, until some time after its delivery."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from sortkey import GSI, Entity, EpochSeconds, Instant, Table, camel, index, key
from sortkey_systems.vams.model.identifiers import AssetId, DatabaseId

notices_table = Table(
    "vams-notices",
    key=("noticeId",),
    indexes=[
        GSI("StatusIndex", "status", "createdAt", doc="Notices by status, in order."),
        GSI("AssetIndex", "databaseId:assetId", "createdAt", projection="KEYS_ONLY"),
    ],
    ttl="expiresAt",
    doc="Notices to subscribers of assets, and whether they were delivered.",
)

Status = Literal["pending", "sent", "failed"]


class Notice(Entity, table=notices_table, names=camel):
    """A notice to one user about one change of an asset."""

    notice_id: Annotated[str, Field(examples=["9f86d081884c7d659a2feaa0c55ad015"])]
    """It follows from the change and the user, so that a change is recorded once."""
    status: Status = "pending"
    user_id: str
    address: str
    """The e-mail address of the user when the notice was written."""
    database_id: DatabaseId
    asset_id: AssetId
    change: str
    subject: str
    text: str
    attempts: int = 0
    last_error: str | None = None
    created_at: Instant
    sent_at: Instant | None = None
    expires_at: EpochSeconds

    @key("{noticeId}")
    def key(*, notice_id: str):
        """A notice."""

    @index("StatusIndex", "{status}", "{createdAt}")
    def by_status(*, status: Status):
        """Notices with a status, in the order of the changes."""

    @index("AssetIndex", "{databaseId}:{assetId}", "{createdAt}")
    def of_asset(*, database_id: str, asset_id: str):
        """Notices about an asset, in the order of the changes."""
