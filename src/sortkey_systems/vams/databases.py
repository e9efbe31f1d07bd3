"""Databases: collections of assets, each with a bucket for new assets.

`assetCount` is kept with every change of an asset, never counted by a scan.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, Field, field_validator

from sortkey import Delete, Put, Store, Update, attr
from sortkey.errors import ConditionFailed, TransactionFailed
from sortkey_systems.vams.access.callers import Caller
from sortkey_systems.vams.access.control import Access
from sortkey_systems.vams.access.objects import DatabaseObject, Verb
from sortkey_systems.vams.answers import now_text
from sortkey_systems.vams.buckets import Buckets
from sortkey_systems.vams.failures import Invalid, NotThere
from sortkey_systems.vams.model import Asset, Database, Pipeline, S3AssetBucket, Workflow

if TYPE_CHECKING:
    from sortkey_systems.vams.asset_counts import AssetCounts

GLOBAL = "GLOBAL"
"""The id under which pipelines, workflows and schemas belong to every database."""
EXTENSIONS_MAX = 200
_DATABASE_ID = re.compile(r"[A-Za-z0-9_-]{4,63}")
_EXTENSION = re.compile(r"\.[A-Za-z0-9][A-Za-z0-9._+-]{0,31}")

Description = Annotated[str, Field(min_length=4, max_length=256)]
BucketId = Annotated[str, Field(min_length=1, max_length=256, pattern="^[^:#]+$")]
Extensions = Annotated[str, Field(max_length=4096)]


class DatabaseChange(BaseModel):
    """What can be changed of a database. What is not given stays."""

    description: Description | None = None
    defaultBucketId: BucketId | None = None
    restrictMetadataOutsideSchemas: bool | None = None
    restrictFileUploadsToExtensions: Extensions | None = None

    @field_validator("restrictFileUploadsToExtensions")
    @classmethod
    def _listed(cls, value: str | None) -> str | None:
        return value if value is None else extensions_text(value)


class NewDatabase(DatabaseChange):
    """A database as it is created."""

    databaseId: str

    @field_validator("databaseId")
    @classmethod
    def _named(cls, value: str) -> str:
        if not is_database_id(value):
            raise ValueError("use 4 to 63 letters, digits, _ and -, and not GLOBAL")
        return value


class Databases:
    """The databases of an installation."""

    def __init__(self, store: Store, access: Access, buckets: Buckets, counts: AssetCounts) -> None:
        self._store, self._access, self._buckets = store, access, buckets
        self._counts = counts

    # -- reads

    def find(self, database_id: str) -> Database | None:
        """A database by its id, or None. It asks for no permission."""
        if not is_database_id(database_id):
            return None
        return self._store.find(Database.key(database_id=database_id), consistent=True)

    def get(
        self, caller: Caller, database_id: str, verb: Verb = "GET", *, is_deleted: bool = False
    ) -> Database:
        """A database that the caller may use in this way; with `is_deleted` also a deleted one.
        Raises NotThere and Denied.
        """
        found = self.find(database_id)
        if found is None and is_deleted and is_database_id(database_id):
            key = Database.key(database_id=database_id).archived()
            found = self._store.find(key, consistent=True)
        if found is None:
            raise NotThere("Database not found")
        self._access.require(caller, verb, DatabaseObject(database_id))
        return found

    def list(self, caller: Caller, *, show_deleted: bool = False) -> Sequence[Database]:
        """The databases that the caller may see, by their ids. An id that is in use again hides
        the deleted database of that id.
        """
        is_visible = self._access.filter(caller)
        every = self._store.scan(Database)
        found = (
            {each.database_id: each for each in every if each.in_archive} if show_deleted else {}
        )
        found.update({each.database_id: each for each in every if not each.in_archive})
        return [found[name] for name in sorted(found) if is_visible(DatabaseObject(name))]

    # -- writes

    def create(self, caller: Caller, wanted: NewDatabase) -> Database:
        """A new database."""
        database_id = wanted.databaseId
        self._access.require(caller, "POST", DatabaseObject(database_id))
        if wanted.description is None:
            raise Invalid("description is needed: 4 to 256 characters")
        if wanted.defaultBucketId is None:
            raise Invalid("defaultBucketId is needed: GET /buckets lists the buckets")
        self._check_bucket(wanted.defaultBucketId)
        database = Database(
            database_id=database_id,
            description=wanted.description,
            date_created=now_text(),
            default_bucket_id=wanted.defaultBucketId,
            restrict_metadata_outside_schemas=bool(wanted.restrictMetadataOutsideSchemas),
            restrict_file_uploads_to_extensions=wanted.restrictFileUploadsToExtensions or "",
            asset_count=0,
        )
        try:
            self._store.create(database)
        except ConditionFailed:
            raise Invalid(f"Database {database_id} already exists") from None
        self._record(caller, "create", database_id)
        return database

    def change(self, caller: Caller, database_id: str, wanted: DatabaseChange) -> Database:
        """Change a database. What is not given stays."""
        self.get(caller, database_id, "PUT")
        values: dict[str, Any] = {
            "description": wanted.description,
            "default_bucket_id": wanted.defaultBucketId,
            "restrict_metadata_outside_schemas": wanted.restrictMetadataOutsideSchemas,
            "restrict_file_uploads_to_extensions": wanted.restrictFileUploadsToExtensions,
        }
        changes = {name: value for name, value in values.items() if value is not None}
        if not changes:
            raise Invalid("nothing to change: give at least one field of the database")
        if wanted.defaultBucketId is not None:
            self._check_bucket(wanted.defaultBucketId)
        try:
            changed = self._store.update(Database.key(database_id=database_id), set=changes)
        except ConditionFailed:
            raise NotThere("Database not found") from None
        self._record(caller, "update", database_id)
        return changed

    def delete(self, caller: Caller, database_id: str) -> None:
        """Delete a database that is empty: its row moves to `<id>#deleted`."""
        database = self.get(caller, database_id, "DELETE")
        self._check_empty(database_id)
        key, count = Database.key(database_id=database_id), attr(Database.asset_count)
        known = database.asset_count  # a new asset changes it
        is_unchanged = count.missing() if known is None else count == known
        there = attr(Database.database_id).exists()
        try:
            self._store.transact(
                Put(database.moved_to_archive(True)), Delete(key, there & is_unchanged)
            )
        except TransactionFailed:
            raise Invalid("the database was changed meanwhile: try again") from None
        self._record(caller, "delete", database_id)

    # -- counts

    def count_write(self, database_id: str, change: int) -> Update[Database] | None:
        """The write that keeps the count of active assets, for the transaction that changes their
        number. None if the database does not exist.
        """
        database = self.find(database_id)
        if database is None:
            return None
        key, count = Database.key(database_id=database_id), attr(Database.asset_count)
        if database.asset_count is None:  # written by another program: counted once, now
            before = self._store.count(Asset.of_database(database_id=database_id).consistent())
            return Update(key, (count.set(before + change),), when=count.missing())
        return Update(key, (count.add(change),), when=count.exists())

    def answers(self, caller: Caller, databases: Sequence[Database]) -> Sequence[dict[str, Any]]:
        """Databases as lists show them, with the number of assets that the caller may see."""
        counts = self._counts.of(caller, databases)
        buckets = self._buckets.by_ids(each.default_bucket_id for each in databases)
        return [
            _answer(each, counts[each.database_id], buckets.get(each.default_bucket_id or ""))
            for each in databases
        ]

    # --

    def _check_bucket(self, bucket_id: str) -> None:
        if self._buckets.lookup(bucket_id) is None:
            raise Invalid("defaultBucketId names no known bucket: GET /buckets lists them")

    def _check_empty(self, database_id: str) -> None:
        for what, query in (
            ("assets", Asset.of_database(database_id=database_id)),
            ("workflows", Workflow.of_database(database_id=database_id)),
            ("pipelines", Pipeline.of_database(database_id=database_id)),
        ):
            if self._store.first(query.consistent()) is not None:
                raise Invalid(f"Database contains active {what}: delete or archive them first")

    def _record(self, caller: Caller, action: str, database_id: str) -> None:
        self._access.audit.record(
            "ACTIONS", caller, f"database.{action}", f"database/{database_id}"
        )


def is_database_id(text: str) -> bool:
    """Whether a text can be the id of a database."""
    return bool(_DATABASE_ID.fullmatch(text)) and text.upper() != GLOBAL


def extensions_text(value: str) -> str:
    """A list of extensions as it is stored: ".glb,.gltf". Raises ValueError."""
    several = [each.strip().lower() for each in value.split(",") if each.strip()]
    if len(several) > EXTENSIONS_MAX:
        raise ValueError(f"at most {EXTENSIONS_MAX} extensions")
    for each in several:
        if not _EXTENSION.fullmatch(each):
            raise ValueError('write extensions as ".glb,.gltf", or ".all" for any')
    return ",".join(dict.fromkeys(several))


def _answer(database: Database, count: int, bucket: S3AssetBucket | None) -> dict[str, Any]:
    return {
        "databaseId": database.database_id,
        "description": database.description or "",
        "dateCreated": database.date_created or "",
        "assetCount": count,
        "defaultBucketId": database.default_bucket_id,
        "bucketName": bucket.bucket_name if bucket else None,
        "baseAssetsPrefix": bucket.base_assets_prefix if bucket else None,
        "restrictMetadataOutsideSchemas": bool(database.restrict_metadata_outside_schemas),
        "restrictFileUploadsToExtensions": database.restrict_file_uploads_to_extensions or "",
    }
