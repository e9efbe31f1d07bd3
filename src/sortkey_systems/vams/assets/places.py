"""Where the files of an asset are: a bucket, and the prefix of their keys.

Relative paths begin with a slash, keys do not.
"""

from __future__ import annotations

from dataclasses import dataclass

from sortkey import Objects
from sortkey_systems.vams.buckets import Buckets
from sortkey_systems.vams.failures import NotThere
from sortkey_systems.vams.model import Asset, S3AssetBucket
from sortkey_systems.vams.model.documents import prefix_of

RESERVED = frozenset(
    {
        *("temp-upload", "temp-uploads", "preview", "previews", "pipeline", "pipelines"),
        *("workspace", "workspaces"),
    }
)
"""First folders of a bucket that are not assets."""


@dataclass(frozen=True, slots=True)
class AssetPlace:
    """The place of an asset. `prefix` ends with a slash."""

    objects: Objects
    prefix: str

    def key(self, relative_path: str) -> str:
        """The key of the object at a path within the asset."""
        return self.prefix + relative_path.lstrip("/")

    def relative(self, key: str) -> str:
        """The path within the asset of an object's key."""
        return "/" + key.removeprefix(self.prefix)


def default_location(bucket: S3AssetBucket, asset_id: str) -> str:
    """The prefix of a new asset's keys."""
    return f"{prefix_of(bucket)}{asset_id}/"


def place_of(asset: Asset, buckets: Buckets) -> AssetPlace:
    """The place of an asset. Raises NotThere if its bucket is not known."""
    if asset.bucket_id is None:
        raise NotThere("the asset has no bucket")
    bucket = buckets.find(asset.bucket_id)
    location = asset.asset_location
    prefix = location.key if location is not None else default_location(bucket, asset.asset_id)
    return AssetPlace(buckets.objects_of(bucket), prefix if prefix.endswith("/") else f"{prefix}/")
