"""How a version comes to be, also when several are created at once.

Its number is taken from a counter, so that no two get the same. The rows of its files and metadata
are written under that number; nobody reads them yet. One transaction then publishes the version and
lets the asset name it. What was interrupted before leaves rows without a version, which `Leftovers`
removes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from sortkey import Action, Check, Put, Store, Update, attr
from sortkey.errors import ConditionFailed, NotFound, TransactionFailed
from sortkey_systems.vams.failures import Conflict, Failure, Invalid, NotThere
from sortkey_systems.vams.model import (
    WHOLE_ASSET,
    Asset,
    AssetFileMetadata,
    AssetFileMetadataVersion,
    AssetFileVersion,
    AssetVersion,
    FileAttribute,
)
from sortkey_systems.vams.versions.records import FIRST, VersionRecords, ids_of, number_of
from sortkey_systems.vams.versions.stored_files import FileState

TRIES_MAX = 100
"""Each try that fails has lost against another request that succeeded."""
PUBLISH_SECONDS_MAX = 3 * 3600
"""From the number of a version to its publication. Later, its rows may be gone."""
FIRST_COMMENT = "Initial version"


@dataclass(frozen=True, slots=True)
class NewVersion:
    """What a version is created with."""

    comment: str
    alias: str | None
    created_by: str
    files: Sequence[FileState]


def first_version(asset: Asset, created_by: str) -> Put[AssetVersion]:
    """The write of version 0, for the transaction that creates the asset."""
    first = AssetVersion(
        **ids_of(asset),
        asset_version_id=FIRST,
        comment=FIRST_COMMENT,
        description=asset.description,
        created_by=created_by,
        file_count=0,
        last_number=0,
    )
    return Put(first)


class VersionWriter:
    """Creates versions and changes their aliases. `before_rows` is called before the rows of a
    version are written, with its number.
    """

    def __init__(
        self,
        store: Store,
        records: VersionRecords,
        before_rows: Callable[[Asset, int], object] = lambda _asset, _number: None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._store, self._records = store, records
        self._before_rows, self._clock = before_rows, clock

    def create(self, asset: Asset, new: NewVersion, number: int | None = None) -> AssetVersion:
        """Create the next version of an asset and make it current. With a number that was taken
        before, this can be repeated after a crash.
        """
        self._check_alias(asset, new.alias, None)
        if number is None:
            number = self.next_number(asset)
            self._before_rows(asset, number)
        end = self._clock() + PUBLISH_SECONDS_MAX
        version = AssetVersion(
            **ids_of(asset),
            asset_version_id=str(number),
            version_alias=new.alias,
            comment=new.comment,
            description=asset.description,
            created_by=new.created_by,
            file_count=len(new.files),
        )
        try:
            self._store.batch_write(_file_rows(version, new.files))
            self._store.batch_write(self._metadata_rows(version, new.files))
            if self._clock() > end:
                raise Conflict("the version took too long: try again")
            self._publish(asset, version)
        except Failure:  # refused, not interrupted: nobody will ever read the rows
            if self._records.find(asset, version.asset_version_id) is None:
                self._records.remove_rows(asset, version.asset_version_id)
            raise
        return self._records.get(asset, version.asset_version_id)

    def change(
        self, asset: Asset, version: AssetVersion, *, comment: str | None, alias: str | None
    ) -> AssetVersion:
        """Change comment and alias. None keeps; an empty alias is removed."""
        actions = list[Action]()
        if comment is not None:
            actions.append(attr(AssetVersion.comment).set(comment))
        if alias is not None:
            actions.append(attr(AssetVersion.version_alias).set(alias or None))
        for _ in range(TRIES_MAX):
            writes = self._change_writes(asset, version, actions, bool(alias))
            self._check_alias(asset, alias or None, version.asset_version_id)
            try:
                self._store.transact(*writes)
            except TransactionFailed:
                self._require_asset(asset)
                continue
            return self._records.get(asset, version.asset_version_id)
        raise _busy()

    # -- numbers

    def next_number(self, asset: Asset) -> int:
        """Take the number of a version. No other gets the same."""
        key = AssetVersion.key(**ids_of(asset), asset_version_id=FIRST)
        last = attr(AssetVersion.last_number)
        for _ in range(TRIES_MAX):
            try:
                number = self._store.update(key, last.add(1), when=last.exists()).last_number
            except (ConditionFailed, NotFound):
                self._begin_numbers(asset)
                continue
            assert number is not None
            return number
        raise _busy()

    def _begin_numbers(self, asset: Asset) -> None:
        """Begin to count in an asset whose versions another program has written."""
        versions = self._records.all(asset)
        highest = max((number_of(each.asset_version_id) for each in versions), default=0)
        last = attr(AssetVersion.last_number)
        first = first_version(asset, asset.created_by or "").entity
        write: Put[AssetVersion] | Update[AssetVersion] = Put(
            first.changed(last_number=highest), "create"
        )
        if any(each.asset_version_id == FIRST for each in versions):
            key = AssetVersion.key(**ids_of(asset), asset_version_id=FIRST)
            write = Update(key, (last.set(max(0, highest)),), when=last.missing())
        try:
            self._store.transact(write, _exists(asset))
        except TransactionFailed:
            self._require_asset(asset)  # else another request was faster, which is fine

    # -- rows

    def _metadata_rows(
        self, version: AssetVersion, files: Sequence[FileState]
    ) -> list[AssetFileMetadataVersion]:
        """Copies of all metadata and attributes of the asset and of the files in a version."""
        ids = {"database_id": version.database_id, "asset_id": version.asset_id}
        paths = {WHOLE_ASSET, *(file.relative_path for file in files)}
        rows = [
            _snapshot(
                version,
                "metadata",
                row.file_path,
                (row.metadata_key, row.metadata_value, row.metadata_value_type),
            )
            for row in self._store.iterate(AssetFileMetadata.of_asset(**ids))
            if row.file_path in paths
        ]
        rows += [
            _snapshot(
                version,
                "attribute",
                row.file_path,
                (row.attribute_key, row.attribute_value, row.attribute_value_type),
            )
            for row in self._store.iterate(FileAttribute.of_asset(**ids))
            if row.file_path in paths
        ]
        return rows

    # -- publishing

    def _publish(self, asset: Asset, version: AssetVersion) -> None:
        for _ in range(TRIES_MAX):
            stored = self._require_asset(asset)
            writes: list[Any] = [Put(version, "create"), _name_current(stored, version)]
            if version.version_alias:
                writes.append(self._count_alias(asset))
                self._check_alias(asset, version.version_alias, None)
            try:
                self._store.transact(*writes)
            except TransactionFailed:
                if self._records.find(asset, version.asset_version_id) is not None:
                    return  # done by a try whose answer was lost
                continue
            return
        raise _busy()

    def _require_asset(self, asset: Asset) -> Asset:
        stored = self._store.find(Asset.key(**ids_of(asset)), consistent=True)
        if stored is None:
            raise NotThere("the asset was archived or deleted meanwhile")
        return stored

    # -- aliases

    def _check_alias(self, asset: Asset, alias: str | None, own_id: str | None) -> None:
        if alias is None:
            return
        for version in self._records.all(asset):
            if version.version_alias == alias and version.asset_version_id != own_id:
                raise Invalid(f"version {version.asset_version_id} has the alias {alias} already")

    def _count_alias(self, asset: Asset) -> Update[AssetVersion]:
        """A write that fails if another alias was set since this moment. Call it before the check
        of the alias.
        """
        key = AssetVersion.key(**ids_of(asset), asset_version_id=FIRST)
        count = attr(AssetVersion.alias_changes)
        first = self._store.find(key, consistent=True)
        if first is None:
            self._begin_numbers(asset)
        seen = None if first is None else first.alias_changes
        is_unchanged = count.missing() if seen is None else count == seen
        return Update(key, (count.set((seen or 0) + 1),), when=is_unchanged)

    def _change_writes(
        self, asset: Asset, version: AssetVersion, actions: list[Action], is_alias_set: bool
    ) -> list[Any]:
        key = AssetVersion.key(**ids_of(asset), asset_version_id=version.asset_version_id)
        touched = touch_of(asset)
        if not is_alias_set:
            return [Update(key, tuple(actions)), touched]
        if version.asset_version_id == FIRST:
            counted = self._count_alias(asset)
            return [Update(key, (*actions, *counted.actions), when=counted.when), touched]
        return [Update(key, tuple(actions)), self._count_alias(asset), touched]


def _file_rows(version: AssetVersion, files: Sequence[FileState]) -> list[AssetFileVersion]:
    return [
        AssetFileVersion(
            database_id=version.database_id,
            asset_id=version.asset_id,
            asset_version_id=version.asset_version_id,
            file_key=file.key,
            s3_version_id=file.version_id,
            size=file.size,
            etag=file.etag,
            last_modified=file.last_modified,
        )
        for file in files
    ]


def _snapshot(
    version: AssetVersion,
    kind: Literal["metadata", "attribute"],
    path: str,
    named: tuple[str, str, str],
) -> AssetFileMetadataVersion:
    """A copy of a value: its key, itself and its type."""
    key, value, value_type = named
    return AssetFileMetadataVersion(
        database_id=version.database_id,
        asset_id=version.asset_id,
        asset_version_id=version.asset_version_id,
        type=kind,
        file_path=path,
        metadata_key=key,
        metadata_value=value,
        metadata_value_type=value_type,
    )


def _name_current(stored: Asset, version: AssetVersion) -> Update[Asset]:
    """The write that lets an asset name its current version: the one with the highest number, if
    several are published out of order.
    """
    current, named = stored.current_version_id, attr(Asset.current_version_id)
    key = Asset.key(**ids_of(stored))
    is_unchanged = named.missing() if current is None else named == current
    if current is not None and number_of(current) > number_of(version.asset_version_id):
        return Update(key, (_touch(),), when=is_unchanged)
    return Update(key, (named.set(version.asset_version_id), _touch()), when=is_unchanged)


def _touch() -> Action:
    return attr(Asset.updated_at).set(datetime.now(UTC))


def touch_of(asset: Asset) -> Update[Asset]:
    """The write that makes the search document of an active asset follow its versions."""
    return Update(Asset.key(**ids_of(asset)), (_touch(),))


def _exists(asset: Asset) -> Check[Asset]:
    return Check(Asset.key(**ids_of(asset)), attr(Asset.asset_name).exists())


def _busy() -> Conflict:
    return Conflict("too many changes of this asset at once: try again")
