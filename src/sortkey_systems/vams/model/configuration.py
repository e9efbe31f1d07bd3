"""Configuration tables: the features that are enabled, and the asset buckets."""

from typing import Annotated

from pydantic import Field

from sortkey import GSI, Entity, Table, camel, index, key, query
from sortkey_systems.vams.model.identifiers import Identifier

app_feature_enabled_storage = Table(
    "AppFeatureEnabledStorageTable",
    key=("featureName",),
    doc="Stores the features that are enabled.",
)

s3_asset_buckets_storage = Table(
    "S3AssetBucketsStorageTable",
    key=("bucketId", "bucketName:baseAssetsPrefix"),
    indexes=[GSI("bucketNameGSI", "bucketName", "baseAssetsPrefix", projection="ALL")],
    doc="Stores the buckets that hold assets, and the prefix under which.",
)


class AppFeatureEnabled(Entity, table=app_feature_enabled_storage, names=camel):
    """A feature that is enabled by being here."""

    feature_name: Annotated[str, Field(examples=["LOCATIONSERVICES"])]

    @key("{featureName}")
    def key(*, feature_name: str):
        """Whether a feature is enabled."""


class S3AssetBucket(Entity, table=s3_asset_buckets_storage, names=camel):
    """A bucket of assets. The prefix `/` means its root."""

    bucket_id: Annotated[Identifier, Field(examples=["bucket-plant"])]
    bucket_name: Annotated[Identifier, Field(examples=["plant-assets"])]
    base_assets_prefix: Annotated[str, Field(examples=["/"])] = "/"
    watched_position: int | None = None
    """Changes of the bucket up to this position are mapped to assets."""

    @key("{bucketId}", "{bucketName}:{baseAssetsPrefix}")
    def key(*, bucket_id: str, bucket_name: str, base_assets_prefix: str):
        """An asset bucket with its prefix."""

    @query(key)
    def by_id(*, bucket_id: str):
        """An asset bucket by its id alone."""

    @index("bucketNameGSI", "{bucketName}", "{baseAssetsPrefix}")
    def by_name(*, bucket_name: str, base_assets_prefix: str | None = None):
        """Asset buckets by the bucket's name: one for each prefix in it."""
