"""Asset Links (V2), Asset Links Metadata: directional relationships between assets."""

from typing import Annotated, Literal

from pydantic import Field

from sortkey import GSI, Entity, Table, camel, index, key, query
from sortkey_systems.vams.model.identifiers import AssetId, AssetLinkId, DatabaseId, MetadataKey

asset_links_storage = Table(
    "AssetLinksStorageTableV2",
    key=("assetLinkId",),
    indexes=[
        GSI(
            "fromAssetGSI",
            "fromAssetDatabaseId:fromAssetId",
            "toAssetDatabaseId:toAssetId",
            projection="KEYS_ONLY",
        ),
        GSI(
            "toAssetGSI",
            "toAssetDatabaseId:toAssetId",
            "fromAssetDatabaseId:fromAssetId",
            projection="KEYS_ONLY",
        ),
    ],
    stream="NEW_IMAGE",
    doc="Stores directional relationships between assets (parent, child, related).",
)

asset_links_metadata_storage = Table(
    "AssetLinksMetadataStorageTable",
    key=("assetLinkId", "metadataKey"),
    stream="NEW_IMAGE",
    doc="Stores metadata attached to asset relationships.",
)


class AssetLink(Entity, table=asset_links_storage, names=camel):
    """A relationship from one asset to another: from the parent to its child, or between related
    ones.
    """

    asset_link_id: AssetLinkId
    from_asset_database_id: DatabaseId
    from_asset_id: Annotated[AssetId, Field(examples=["pump-hall"])]
    to_asset_database_id: DatabaseId
    to_asset_id: AssetId
    relationship_type: Literal["parentChild", "related"]
    asset_link_alias_id: str | None = None
    """Distinguishes several links from a parent to the same child."""
    tags: tuple[str, ...] | None = None
    created_by: str | None = None

    @key("{assetLinkId}")
    def key(*, asset_link_id: str):
        """An asset link."""

    @index("fromAssetGSI", "{fromAssetDatabaseId}:{fromAssetId}", "{toAssetDatabaseId}:{toAssetId}")
    def from_asset(
        *,
        from_asset_database_id: str,
        from_asset_id: str,
        to_asset_database_id: str | None = None,
        to_asset_id: str | None = None,
    ):
        """Links from an asset: to its children, and to related assets."""

    @index("toAssetGSI", "{toAssetDatabaseId}:{toAssetId}", "{fromAssetDatabaseId}:{fromAssetId}")
    def to_asset(
        *,
        to_asset_database_id: str,
        to_asset_id: str,
        from_asset_database_id: str | None = None,
        from_asset_id: str | None = None,
    ):
        """Links to an asset: from its parents, and from related assets."""


class AssetLinkMetadata(Entity, table=asset_links_metadata_storage, names=camel):
    """A metadata key-value pair of a link."""

    asset_link_id: AssetLinkId
    metadata_key: Annotated[MetadataKey, Field(examples=["alias"])]
    metadata_value: str
    metadata_value_type: str = "string"

    @key("{assetLinkId}", "{metadataKey}")
    def key(*, asset_link_id: str, metadata_key: str):
        """A metadata value of a link."""

    @query(key)
    def of_link(*, asset_link_id: str):
        """Metadata attached to a link."""
