"""Which asset an object of a bucket belongs to. An asset that is not known is created, and a
database where the bucket has none.

What VAMS has written itself is left alone: it carries a mark. Mapping an object twice is fine.
"""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING

from pydantic import ValidationError

from sortkey import Objects
from sortkey.errors import KeyValueError, ObjectNotFound
from sortkey_systems.vams.access.callers import Caller
from sortkey_systems.vams.assets.creation import LOCATION_CLAIM
from sortkey_systems.vams.assets.places import RESERVED
from sortkey_systems.vams.assets.values import NewAsset, asset_id_of
from sortkey_systems.vams.databases import NewDatabase
from sortkey_systems.vams.failures import Failure, NotThere
from sortkey_systems.vams.files.content_types import check_name
from sortkey_systems.vams.files.origins import is_ours
from sortkey_systems.vams.files.paths import file_path
from sortkey_systems.vams.model import Asset, AuthEntity, Database, S3AssetBucket
from sortkey_systems.vams.model.documents import prefix_of

if TYPE_CHECKING:
    from sortkey_systems.vams.service import Vams

log = logging.getLogger("sortkey.vams")

DESCRIPTION = "Found in the bucket"
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9\-._ ]+")
_NOT_IN_IDS = re.compile(r"[^A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class ObjectEvent:
    """An object was written to a bucket, or deleted from it."""

    key: str
    version_id: str | None = None
    is_delete: bool = False
    at: datetime | None = None


class Mapping:
    """Brings the objects of a bucket into the tables."""

    def __init__(self, service: Vams) -> None:
        self._service = service

    def map(self, bucket: S3AssetBucket, events: list[ObjectEvent]) -> int:
        """Map what has happened in a bucket. Returns how many files of others were found."""
        objects = self._service.buckets.objects_of(bucket)
        others = tuple(self._service.buckets.inner_prefixes(bucket))
        by_folder: dict[str, dict[str, ObjectEvent]] = {}
        for event in events:
            place = None if event.key.startswith(others) else _place_of(bucket, event.key)
            if place is not None and _is_foreign(objects, event):
                folder, path = place
                by_folder.setdefault(folder, {})[path] = event
        for folder, found in by_folder.items():
            try:
                self._enter(bucket, folder, found)
            except Failure as error:
                log.warning("%s: %s is not mapped: %s", bucket.bucket_name, folder, error)
        return sum(not event.is_delete for found in by_folder.values() for event in found.values())

    def _enter(self, bucket: S3AssetBucket, folder: str, found: dict[str, ObjectEvent]) -> None:
        """Bring files into the asset of their folder."""
        caller, objects = (
            self._service.access.system_caller(),
            self._service.buckets.objects_of(bucket),
        )
        taken = [
            path for path, event in found.items() if _is_taken(path) and _exists(objects, event)
        ]
        asset = self._asset(bucket, folder)
        if asset is None:
            if not taken:
                return  # deleted again, or nothing that an asset takes
            asset = self._create(caller, bucket, folder)
        if asset.in_archive or not any(_is_news(asset, event) for event in found.values()):
            return
        self._service.files.entered(caller, asset, taken, "sync")

    def _asset(self, bucket: S3AssetBucket, folder: str) -> Asset | None:
        """The asset whose files are in a folder of the bucket."""
        location = f"{prefix_of(bucket)}{folder}/"
        for asset in self._service.assets.by_id(folder):
            is_here = asset.bucket_id == bucket.bucket_id
            if is_here and (asset.asset_location is None or asset.asset_location.key == location):
                return asset
        key = AuthEntity.key(entity_type=LOCATION_CLAIM, sk=f"{bucket.bucket_id}:{location}")
        claim = self._service.store.find(key, consistent=True)
        owner = (claim.definition or {}) if claim else {}
        if not owner:
            return None
        return self._service.assets.find(owner["databaseId"], owner["assetId"], archived=True)

    def _create(self, caller: Caller, bucket: S3AssetBucket, folder: str) -> Asset:
        database = self._database(caller, bucket)
        name = _NOT_IN_NAMES.sub("-", folder)[:256]
        try:
            wanted = NewAsset(
                databaseId=database.database_id,
                assetId=asset_id_of(folder),
                assetName=name,
                description=DESCRIPTION,
                isDistributable=True,
                bucketExistingKey=f"{prefix_of(bucket)}{folder}/",
            )
        except (ValidationError, ValueError) as error:
            raise NotThere(f"the folder cannot be an asset: {error}") from None
        return self._service.assets.create(caller, wanted)

    def _database(self, caller: Caller, bucket: S3AssetBucket) -> Database:
        """The database of a bucket: the first that has it, or a new one."""
        databases = self._service.databases.list(caller)
        for database in databases:
            if database.default_bucket_id == bucket.bucket_id:
                return database
        wanted = NewDatabase(
            databaseId=_database_id(bucket, {each.database_id for each in databases}),
            description=DESCRIPTION,
            defaultBucketId=bucket.bucket_id,
        )
        return self._service.databases.create(caller, wanted)


def _place_of(bucket: S3AssetBucket, key: str) -> tuple[str, str] | None:
    """The folder of an asset, and the path within it. None if the key is not of an asset."""
    prefix = prefix_of(bucket)
    folder, slash, rest = key.removeprefix(prefix).partition("/")
    is_asset = key.startswith(prefix) and folder and slash and rest and not rest.endswith("/")
    if not is_asset or folder.lower() in RESERVED:
        return None
    try:
        return folder, file_path(f"/{rest}")
    except Failure:
        return None


def _is_foreign(objects: Objects, event: ObjectEvent) -> bool:
    """Whether another program has written an object that is still there. Of a delete nobody knows
    whose it is.
    """
    if event.is_delete:
        return True
    try:
        return not is_ours(objects.head(event.key, event.version_id))
    except (ObjectNotFound, KeyValueError):
        return False


def _exists(objects: Objects, event: ObjectEvent) -> bool:
    try:
        objects.head(event.key)
    except (ObjectNotFound, KeyValueError):
        return False
    return True


def _is_news(asset: Asset, event: ObjectEvent) -> bool:
    """Whether the asset has not changed since: our own deletes are followed by a change of it."""
    if not event.is_delete or event.at is None or asset.updated_at is None:
        return True
    return asset.updated_at < event.at


def _is_taken(path: str) -> bool:
    """Whether an asset takes such a file. One that it refuses stays in the bucket, without
    workflows.
    """
    try:
        check_name(path)
    except Failure:
        return False
    return True


def _database_id(bucket: S3AssetBucket, taken: set[str]) -> str:
    name = _NOT_IN_IDS.sub("-", bucket.bucket_name)[:48]
    if len(name) >= 4 and name not in taken and name.upper() != "GLOBAL":
        return name
    return f"{name}-{sha256(bucket.bucket_id.encode()).hexdigest()[:8]}"
