"""New assets: their id, their place in the bucket, and one transaction for all of their rows.

An id that a client chooses, and a folder that exists already, are claimed by a row, so that two
assets never share a folder.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from sortkey import Check, Delete, Put, Store, attr
from sortkey.errors import KeyValueError, TransactionFailed
from sortkey_systems.vams.access.callers import Caller
from sortkey_systems.vams.access.control import Access
from sortkey_systems.vams.assets.places import RESERVED, default_location
from sortkey_systems.vams.assets.shapes import asset_object
from sortkey_systems.vams.assets.tag_rules import check_tags
from sortkey_systems.vams.assets.values import NewAsset
from sortkey_systems.vams.buckets import Buckets
from sortkey_systems.vams.databases import Databases
from sortkey_systems.vams.failures import Conflict, Invalid, NotThere
from sortkey_systems.vams.model import (
    Asset,
    AssetVersion,
    AuthEntity,
    Database,
    Location,
    S3AssetBucket,
)
from sortkey_systems.vams.model.documents import prefix_of

TRIES = 5
FIRST_VERSION = "0"
NO_TYPE = "none"
"""The type of an asset without files."""
LOCATION_CLAIM, REMOVAL_MARK = "assetLocation", "assetRemoval"
"""Entity types of rows: folders that are taken, and assets that are being deleted."""

FirstVersion = Callable[[Asset, Caller], Iterable[Put[Any]]]


class Creation:
    """Creates assets."""

    def __init__(
        self,
        store: Store,
        access: Access,
        databases: Databases,
        buckets: Buckets,
        now: Callable[[], datetime],
    ) -> None:
        self._store, self._access, self._now = store, access, now
        self._databases, self._buckets = databases, buckets
        self.first_version: FirstVersion = first_version

    def create(self, caller: Caller, wanted: NewAsset) -> Asset:
        """Store a new asset. Raises NotThere, Denied and Invalid."""
        database = self._databases.find(wanted.databaseId)
        if database is None:
            raise NotThere("Database not found")
        asset = self._draft(caller, wanted)
        self._access.require(caller, "PUT", asset_object(asset))
        tags = check_tags(self._store, wanted.tags or [])
        bucket = self._bucket(database)
        location = self._location(asset, bucket, wanted.bucketExistingKey)
        asset = asset.changed(
            tags=tags, bucket_id=bucket.bucket_id, asset_location=Location(key=location)
        )
        has_claim = bool(wanted.assetId or wanted.bucketExistingKey)
        for _ in range(TRIES):
            try:
                self._store.transact(*self._writes(asset, caller, has_claim))
            except TransactionFailed as failed:
                _explain(failed, asset)
            else:
                return asset
        raise Conflict("the database is being changed by others: try again")

    def undo(self, asset: Asset) -> None:
        """Remove an asset that was just created, if nobody has changed it. What follows its
        creation was refused.
        """
        key = Asset.key(database_id=asset.database_id, asset_id=asset.asset_id)
        count, release = self._databases.count_write(asset.database_id, -1), release_of(asset)
        version = AssetVersion.key(
            database_id=asset.database_id, asset_id=asset.asset_id, asset_version_id=FIRST_VERSION
        )
        writes: list[Any] = [Delete(key, attr(Asset.asset_type) == NO_TYPE), Delete(version)]
        writes += [write for write in (count, release) if write is not None]
        self._store.transact(*writes)

    def _draft(self, caller: Caller, wanted: NewAsset) -> Asset:
        now = self._now()
        return Asset(
            database_id=wanted.databaseId,
            asset_id=wanted.assetId or f"x{uuid.uuid4()}",
            asset_name=wanted.assetName,
            asset_type=NO_TYPE,
            description=wanted.description,
            is_distributable=wanted.isDistributable,
            tags=tuple(wanted.tags or ()),
            current_version_id=FIRST_VERSION,
            created_by=caller.user_id,
            created_at=now,
            updated_at=now,
        )

    def _bucket(self, database: Database) -> S3AssetBucket:
        bucket = self._buckets.lookup(database.default_bucket_id)
        if bucket is None:
            raise Invalid("the database has no bucket: set its defaultBucketId first")
        return bucket

    def _writes(self, asset: Asset, caller: Caller, has_claim: bool) -> list[Any]:
        """Those that can refuse the asset come first: `_explain` knows them by their entities."""
        key = Asset.key(database_id=asset.database_id, asset_id=asset.asset_id)
        count = self._databases.count_write(asset.database_id, 1)
        if count is None:
            raise NotThere("Database not found")
        writes: list[Any] = [
            Put(asset, "create"),
            Check(key.archived(), attr(Asset.asset_id).missing()),
            Check(removal_key(asset), attr(AuthEntity.sk).missing()),
            count,
            *self.first_version(asset, caller),
        ]
        if has_claim:
            claim = location_claim(asset)
            writes.append(Put(claim, "create"))
        return writes

    # -- places

    def _location(self, asset: Asset, bucket: S3AssetBucket, existing: str | None) -> str:
        location = default_location(bucket, asset.asset_id)
        if existing:
            location = self._existing_location(bucket, existing)
        for prefix in self._buckets.inner_prefixes(bucket):
            if prefix.startswith(location) or location.startswith(prefix):
                raise _taken(location)
        first = location.removeprefix(prefix_of(bucket)).split("/")[0]
        others = Asset.of_bucket(bucket_id=bucket.bucket_id, asset_id=first)
        for other in self._store.query(others.hydrated()):
            is_other = other.database_id != asset.database_id or other.asset_id != asset.asset_id
            if is_other and _overlap(other, location):
                raise _taken(location)
        if any(each.definition != _owner(asset) for each in self._claims(bucket, location)):
            raise _taken(location)
        return location

    def _claims(self, bucket: S3AssetBucket, location: str) -> list[AuthEntity]:
        """The rows that claim a folder, or one in it."""
        start = f"{bucket.bucket_id}:{location}"
        query = AuthEntity.of_type(entity_type=LOCATION_CLAIM).between(start, f"{start}\uffff")
        return self._store.query(query.consistent().limit(2))

    def _existing_location(self, bucket: S3AssetBucket, existing: str) -> str:
        """The folder of an asset whose files are in the bucket already."""
        prefix = prefix_of(bucket)
        location = existing.strip("/") + "/"
        inner = location.removeprefix(prefix)
        if not location.startswith(prefix) or inner in ("", "/"):
            raise Invalid("bucketExistingKey must be a folder under the bucket's prefix")
        if inner.split("/")[0].lower() in RESERVED:
            raise Invalid("bucketExistingKey is in a reserved folder of the bucket")
        try:
            page = self._buckets.objects_of(bucket).list(location, limit=1)
        except KeyValueError:
            raise Invalid("bucketExistingKey is not a valid key") from None
        if not page.objects:
            raise Invalid("bucketExistingKey has no files in the bucket")
        for other in self._store.query(Asset.of_bucket(bucket_id=bucket.bucket_id).hydrated()):
            if _overlap(other, location):
                raise _taken(location)
        return location


def first_version(asset: Asset, caller: Caller) -> list[Put[Any]]:
    """The writes of the version "0", which has no files."""
    version = AssetVersion(
        database_id=asset.database_id,
        asset_id=asset.asset_id,
        asset_version_id=FIRST_VERSION,
        comment="Initial Version",
        created_by=caller.user_id,
    )
    return [Put(version)]


def location_claim(asset: Asset) -> AuthEntity:
    """The row that claims the folder of an asset."""
    assert asset.asset_location is not None
    return AuthEntity(
        entity_type=LOCATION_CLAIM,
        sk=f"{asset.bucket_id}:{asset.asset_location.key}",
        definition=_owner(asset),
    )


def release_of(asset: Asset) -> Delete[AuthEntity] | None:
    """The write that releases the folder of an asset. None if it has none."""
    if asset.asset_location is None:
        return None
    claim = location_claim(asset)
    return Delete(AuthEntity.key(entity_type=claim.entity_type, sk=claim.sk))


def removal_key(asset: Asset) -> Any:
    """The key of the mark that an asset is being deleted."""
    return AuthEntity.key(entity_type=REMOVAL_MARK, sk=f"{asset.database_id}:{asset.asset_id}")


def _owner(asset: Asset) -> dict[str, Any]:
    return {"databaseId": asset.database_id, "assetId": asset.asset_id}


def _overlap(other: Asset, location: str) -> bool:
    if other.asset_location is None:
        return True
    there = other.asset_location.key.rstrip("/") + "/"
    return there.startswith(location) or location.startswith(there)


def _taken(location: str) -> Invalid:
    return Invalid(f"another asset has its files in {location}: choose another id or folder")


def _explain(failed: TransactionFailed, asset: Asset) -> None:
    """Raise why an asset cannot be created. Returns if it is worth another try."""
    for reason in failed.reasons:
        if reason.code != "ConditionalCheckFailed":
            continue
        kind = reason.operation.entity_class
        if kind is Asset:
            raise Invalid(f"Asset {asset.asset_id} already exists") from None
        if kind is AuthEntity and isinstance(reason.operation, Put):
            raise _taken(asset.asset_location.key if asset.asset_location else "") from None
        if kind is AuthEntity:
            message = f"Asset {asset.asset_id} is being deleted: try again in a moment"
            raise Invalid(message) from None
