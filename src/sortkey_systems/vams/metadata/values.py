"""`Metadata`: values of databases, assets, files and links, read and written by the rules of their
schemas.

A write is checked as a whole before anything is stored. Up to a hundred values are stored in one
transaction; more of them in several, which are undone together if one fails.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, Field, field_validator

from sortkey import Delete, Put
from sortkey.errors import TransactionFailed
from sortkey_systems.vams.access.callers import SYSTEM_USER, Caller
from sortkey_systems.vams.failures import Conflict, Failure, Invalid, NotThere
from sortkey_systems.vams.metadata.access import OwnerAccess
from sortkey_systems.vams.metadata.expectations import Expected, expectations_of
from sortkey_systems.vams.metadata.owners import (
    GLOBAL,
    FileKind,
    FileOwner,
    Owner,
    existence_of,
    key_and_value,
)
from sortkey_systems.vams.metadata.rules import (
    Value,
    problems_of,
    problems_of_deletion,
    with_defaults,
)
from sortkey_systems.vams.metadata.value_types import STRING
from sortkey_systems.vams.model import (
    WHOLE_ASSET,
    Asset,
    AssetFileMetadata,
    FileAttribute,
    MetadataSchema,
    file_metadata_in_version,
)

if TYPE_CHECKING:
    from sortkey_systems.vams.service import Vams

VALUES_MAX = 500
"""Of one entity and kind."""
VALUE_CHARACTERS_MAX = 100_000
WRITES_MAX = 99
"""In one transaction, besides the check that the owner exists."""
SORT_KEY_BYTES_MAX = 1024
PROBLEMS_SHOWN_MAX = 10
_LOCKS = 64

MetadataKey = Annotated[str, Field(min_length=1, max_length=256, pattern=r"^[^:\x00]+$")]


class MetadataItem(BaseModel):
    """A value as clients write it."""

    metadataKey: MetadataKey
    metadataValue: Annotated[str, Field(max_length=VALUE_CHARACTERS_MAX)]
    metadataValueType: Annotated[str, Field(max_length=64)] = STRING

    @field_validator("metadataValueType")
    @classmethod
    def _in_lower_case(cls, value: str) -> str:
        return value.lower()


@dataclass(frozen=True, slots=True)
class Deletion:
    """What a deletion did: the keys that are gone, and those that were not there."""

    deleted: list[str]
    missing: list[str]


class Metadata:
    """The values of an installation. `owners` finds whose they are, with permission."""

    def __init__(self, service: Vams) -> None:
        self.owners = OwnerAccess(service)
        self._service, self._store = service, service.store
        self._locks = [threading.Lock() for _ in range(_LOCKS)]

    # -- reads

    def values(self, owner: Owner) -> dict[str, Value]:
        """The values of an owner, by key."""
        return dict(key_and_value(row) for row in self._store.query(owner.rows()))

    def expected(self, owner: Owner) -> dict[str, Expected]:
        """What schemas expect of an owner."""
        databases = dict.fromkeys((*owner.database_ids, GLOBAL))
        schemas = [
            schema
            for database_id in databases
            for schema in self._store.query(
                MetadataSchema.of_entity_type_in_database(
                    database_id=database_id, metadata_entity_type=owner.entity_type
                )
            )
        ]
        return expectations_of(schemas, owner.file_path)

    def is_restricted(self, owner: Owner) -> bool:
        """Whether a database of the owner allows fields of schemas only."""
        databases = (self._service.databases.find(each) for each in owner.database_ids)
        return any(each and each.restrict_metadata_outside_schemas for each in databases)

    def in_version(self, owner: FileOwner, version_id: str) -> dict[str, Value]:
        """The values as they were in a version, by its id or alias. Raises NotThere."""
        asset = owner.asset
        version = self._service.versions.resolve(asset, version_id)
        rows = self._store.query(
            file_metadata_in_version(
                database_id=asset.database_id,
                asset_id=asset.asset_id,
                asset_version_id=version.asset_version_id,
                type=owner.kind,
                file_path=owner.path,
            )
        )
        return {
            row.metadata_key: Value(row.metadata_value, row.metadata_value_type) for row in rows
        }

    # -- writes

    def write(
        self, caller: Caller, owner: Owner, items: Sequence[MetadataItem], *, replace: bool = False
    ) -> list[str]:
        """Store values, and the defaults of fields that are missing. With `replace`, all other
        values are deleted. Returns the keys that were stored; SYSTEM_USER is not bound to schemas.
        """
        given = _given(owner, items)
        with self._lock(owner):
            before = self.values(owner)
            result = dict(given) if replace else {**before, **given}
            if caller.user_id != SYSTEM_USER:
                expected = self.expected(owner)
                result = with_defaults(expected, result)
                written = [key for key in result if key in given or result[key] != before.get(key)]
                restricted = self.is_restricted(owner)
                _refuse(problems_of(expected, result, written, is_restricted=restricted))
            else:
                written = list(given)
                _refuse(problems_of({}, result, written, is_restricted=False))
            self._check_size(owner, result)
            self._store_changes(owner, before, {key: result[key] for key in written}, result)
        self._record(caller, owner, "metadata.update", written)
        return written

    def delete(self, caller: Caller, owner: Owner, keys: Sequence[str]) -> Deletion:
        """Delete values. Fields that are required, or that others depend on, cannot be deleted."""
        with self._lock(owner):
            before = self.values(owner)
            wanted = list(dict.fromkeys(keys))
            deleted = [key for key in wanted if key in before]
            remaining = {key: value for key, value in before.items() if key not in wanted}
            if caller.user_id != SYSTEM_USER:
                _refuse(problems_of_deletion(self.expected(owner), remaining, deleted))
            self._store_changes(owner, before, {}, remaining)
        self._record(caller, owner, "metadata.delete", deleted)
        return Deletion(deleted=deleted, missing=[key for key in wanted if key not in before])

    # -- for other parts, without permission

    def of_asset(self, asset: Asset) -> dict[str, str]:
        """The metadata of an asset itself, as key and text."""
        return self._texts(FileOwner(asset))

    def of_file(self, asset: Asset, path: str) -> dict[str, str]:
        """The metadata of a file, as key and text."""
        return self._texts(FileOwner(asset, path))

    def attributes_of_file(self, asset: Asset, path: str) -> dict[str, str]:
        """The attributes of a file, as key and text."""
        return self._texts(FileOwner(asset, path, "attribute"))

    def typed(
        self, asset: Asset, path: str = WHOLE_ASSET, kind: FileKind = "metadata"
    ) -> dict[str, Value]:
        """Values of an asset or a file with their types."""
        return self.values(FileOwner(asset, path, kind))

    def write_unchecked(
        self,
        asset: Asset,
        path: str,
        kind: FileKind,
        items: Sequence[MetadataItem | Mapping[str, Any]],
        *,
        replace: bool = False,
    ) -> list[str]:
        """Store values past the schemas, as SYSTEM_USER. The path `/` is the asset itself. Raises
        Invalid for a value that is not of its type.
        """
        wanted = [
            item if isinstance(item, MetadataItem) else MetadataItem.model_validate(item)
            for item in items
        ]
        owner = FileOwner(asset, path, kind)
        return self.write(Caller(SYSTEM_USER), owner, wanted, replace=replace)

    def copied(self, asset: Asset, old_path: str, target: Asset, new_path: str) -> None:
        """Give a copy of a file the metadata and attributes of the file, and nothing else."""
        for kind in _KINDS:
            values = self.typed(asset, old_path, kind)
            owner = FileOwner(target, new_path, kind)
            with self._lock(owner):
                self._store_changes(owner, self.values(owner), values, values)

    def moved(self, asset: Asset, old_path: str, new_path: str) -> None:
        """Let metadata and attributes follow a file within its asset. It can be repeated."""
        if any(self.typed(asset, old_path, kind) for kind in _KINDS):
            self.copied(asset, old_path, asset, new_path)
            self.remove_file(asset, old_path)

    def remove_file(self, asset: Asset, path: str) -> None:
        """Delete the metadata and attributes of a file."""
        for kind in _KINDS:
            owner = FileOwner(asset, path, kind)
            self._store.batch_write(deletes=[owner.row_key(key) for key in self.values(owner)])

    def remove_all(self, asset: Asset) -> None:
        """Delete the metadata and attributes of an asset and of all its files."""
        place = {"database_id": asset.database_id, "asset_id": asset.asset_id}
        self._store.batch_write(deletes=self._store.keys(AssetFileMetadata.of_asset(**place)))
        self._store.batch_write(deletes=self._store.keys(FileAttribute.of_asset(**place)))

    # --

    def _texts(self, owner: Owner) -> dict[str, str]:
        return {key: value.text for key, value in self.values(owner).items()}

    def _lock(self, owner: Owner) -> threading.Lock:
        """Rules look at several values, so that two writers of one owner take turns."""
        return self._locks[hash((owner.entity_type, owner.name)) % _LOCKS]

    def _check_size(self, owner: Owner, result: Mapping[str, Value]) -> None:
        if len(result) > VALUES_MAX:
            raise Invalid(f"at most {VALUES_MAX} values are allowed, these would be {len(result)}")
        place = ":".join(owner.ids.values())
        if len(place.encode()) > SORT_KEY_BYTES_MAX:
            raise Invalid(f"the path is too long for metadata: {SORT_KEY_BYTES_MAX} bytes at most")

    def _store_changes(
        self,
        owner: Owner,
        before: Mapping[str, Value],
        written: Mapping[str, Value],
        result: Mapping[str, Value],
    ) -> None:
        """Store what is written and delete what is not in the result: everything or nothing."""
        changes = {key: value for key, value in written.items() if before.get(key) != value}
        gone = [key for key in before if key not in result]
        writes = {
            **{key: Put(owner.row(key, value)) for key, value in changes.items()},
            **{key: Delete(owner.row_key(key)) for key in gone},
        }
        keys, done = list(writes), 0
        try:
            for done in range(0, len(keys), WRITES_MAX):
                chunk = [writes[key] for key in keys[done : done + WRITES_MAX]]
                self._store.transact(*chunk, existence_of(owner))
        except Exception as error:
            self._undo(owner, before, keys[:done])
            if isinstance(error, TransactionFailed):
                raise _failure(error) from None
            raise

    def _undo(self, owner: Owner, before: Mapping[str, Value], keys: Sequence[str]) -> None:
        """Restore what was before; of an owner that is gone for good, nothing."""
        if not keys:
            return
        found = self._store.batch_get(owner.places(), consistent=True)
        is_gone = all(each is None for each in found)
        kept = dict[str, Value]() if is_gone else before
        self._store.batch_write(
            [owner.row(key, kept[key]) for key in keys if key in kept],
            [owner.row_key(key) for key in keys if key not in kept],
        )

    def _record(self, caller: Caller, owner: Owner, action: str, keys: Sequence[str]) -> None:
        shown = ", ".join(keys)
        self._service.audit.record(
            "ACTIONS", caller, action, owner.name, entity=owner.entity_type, keys=shown
        )


_KINDS: tuple[FileKind, ...] = ("metadata", "attribute")


def _given(owner: Owner, items: Sequence[MetadataItem]) -> dict[str, Value]:
    given: dict[str, Value] = {}
    for item in items:
        if item.metadataKey in given:
            raise Invalid(f"{item.metadataKey!r} is given twice")
        if owner.entity_type == "fileAttribute" and item.metadataValueType != STRING:
            raise Invalid("attributes of files are of the type string")
        given[item.metadataKey] = Value(item.metadataValue, item.metadataValueType)
    return given


def _failure(error: TransactionFailed) -> Failure:
    """The only condition of a write is that its owner exists."""
    if any(reason.code == "ConditionalCheckFailed" for reason in error.reasons):
        return NotThere("it was deleted or archived meanwhile")
    return Conflict("the values are being changed by others: try again")


def _refuse(problems: Sequence[str]) -> None:
    if problems:
        more = len(problems) - PROBLEMS_SHOWN_MAX
        shown = [*problems[:PROBLEMS_SHOWN_MAX], *([f"and {more} more"] if more > 0 else [])]
        raise Invalid("Schema validation failed: " + "; ".join(shown))
