"""Asset Uploads Storage Table: the file uploads that are in progress."""

from typing import Annotated

from pydantic import Field

from sortkey import GSI, Created, Entity, Instant, Named, Table, camel, index, key, query
from sortkey_systems.vams.model.identifiers import AssetId, DatabaseId, Identifier, UserId

asset_uploads_storage = Table(
    "AssetUploadsStorageTable",
    key=("uploadId", "assetId"),
    indexes=[
        GSI("AssetIdGSI", "assetId", "uploadId", projection="KEYS_ONLY"),
        GSI("DatabaseIdGSI", "databaseId", "uploadId", projection="KEYS_ONLY"),
        GSI("UserIdGSI", "UserId", "createdAt", projection="KEYS_ONLY"),
    ],
    doc="Tracks in-progress file uploads.",
)


class AssetUpload(Entity, table=asset_uploads_storage, names=camel):
    """An upload in progress. Its user's attribute is `UserId`, with a capital U."""

    upload_id: Annotated[Identifier, Field(examples=["upload-7c2"])]
    asset_id: AssetId
    database_id: DatabaseId
    user_id: Annotated[UserId, Named("UserId")]
    upload_type: str | None = None
    file_count: int | None = None
    completed_at: Instant | None = None
    """When all of its files were at their places. The record stays for a week: it counts as a
    start of its user.
    """
    created_at: Annotated[Instant | None, Created] = None

    @key("{uploadId}", "{assetId}")
    def key(*, upload_id: str, asset_id: str):
        """An upload for an asset."""

    @query(key)
    def of_upload(*, upload_id: str):
        """The assets of an upload."""

    @index("AssetIdGSI", "{assetId}", "{uploadId}")
    def of_asset(*, asset_id: str, upload_id: str | None = None):
        """Uploads for an asset."""

    @index("DatabaseIdGSI", "{databaseId}", "{uploadId}")
    def of_database(*, database_id: str, upload_id: str | None = None):
        """Uploads into a database."""

    @index("UserIdGSI", "{UserId}", "{createdAt}")
    def of_user(*, user_id: str):
        """Uploads of a user, in the order of their creation."""
