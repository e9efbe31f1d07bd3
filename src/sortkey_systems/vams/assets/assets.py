"""`Assets`: reading, listing, creating and changing the records of assets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any

from sortkey import Condition, Store, attr
from sortkey.errors import ConditionFailed
from sortkey_systems.vams.access.callers import Caller
from sortkey_systems.vams.access.control import Access
from sortkey_systems.vams.access.objects import Verb
from sortkey_systems.vams.assets import places
from sortkey_systems.vams.assets.creation import Creation
from sortkey_systems.vams.assets.places import AssetPlace
from sortkey_systems.vams.assets.shapes import asset_answer, asset_object
from sortkey_systems.vams.assets.tag_rules import check_tags
from sortkey_systems.vams.assets.values import AssetChange, NewAsset
from sortkey_systems.vams.buckets import Buckets
from sortkey_systems.vams.changes import Changes
from sortkey_systems.vams.databases import Databases
from sortkey_systems.vams.failures import BadToken, Conflict, Invalid, NotThere
from sortkey_systems.vams.model import Asset, AssetVersion, Database
from sortkey_systems.vams.pages import SIZE, Page, Paging, read_token, write_token

CHUNK_MIN, CHUNK_MAX = 64, 500
"""Assets that are read at a time while a page is filled."""
TRIES = 100
"""Of a change that meets others: each try that fails has lost against one that succeeded."""
_ABOUT = "assets"
Partition = tuple[str, bool]
"""A database, and whether its archived assets are meant."""


class Assets:
    """The assets of an installation."""

    def __init__(
        self,
        store: Store,
        access: Access,
        databases: Databases,
        buckets: Buckets,
        changes: Changes,
        now: Callable[[], datetime],
    ) -> None:
        self._store, self._access = store, access
        self._databases, self._buckets, self._changes = databases, buckets, changes
        self.creation = Creation(store, access, databases, buckets, now)

    # -- one

    def find(self, database_id: str, asset_id: str, archived: bool = False) -> Asset | None:
        """An asset, or None; with `archived` also an archived one. It asks for no permission."""
        if not (_can_be_id(database_id) and _can_be_id(asset_id)):
            return None
        key = Asset.key(database_id=database_id, asset_id=asset_id)
        found = self._store.find(key, consistent=True)
        if found is None and archived:
            found = self._store.find(key.archived(), consistent=True)
        return found

    def get(
        self,
        caller: Caller,
        database_id: str,
        asset_id: str,
        verb: Verb = "GET",
        archived: bool = False,
    ) -> Asset:
        """An asset that the caller may use in this way; with `archived` also an archived one.
        Raises NotThere and Denied.
        """
        found = self.find(database_id, asset_id, archived)
        if found is None:
            raise NotThere("Asset not found")
        self._access.require(caller, verb, asset_object(found))
        return found

    def by_id(self, asset_id: str) -> Sequence[Asset]:
        """The assets with an id in whichever database, archived or not. It asks for no
        permission.
        """
        if not _can_be_id(asset_id):
            return []
        return self._store.query(Asset.by_asset_id(asset_id=asset_id).hydrated())

    def place_of(self, asset: Asset) -> AssetPlace:
        """Where the files of an asset are."""
        return places.place_of(asset, self._buckets)

    # -- many

    def page(
        self,
        caller: Caller,
        paging: Paging,
        *,
        database_id: str | None = None,
        show_archived: bool = False,
    ) -> Page[Asset]:
        """A page of the assets that the caller may see: of a database or of all, by database and
        id. Archived ones follow those of their database.
        """
        size, after = paging.size_of(SIZE, SIZE), _position(paging.token)
        if database_id is not None and self._databases.find(database_id) is None:
            raise NotThere("Database not found")
        is_visible, shown = self._access.filter(caller), list[Asset]()
        partitions = self._partitions(database_id, show_archived)
        for asset in self._walk(partitions, after, _chunk(size)):
            if not is_visible(asset_object(asset)):
                continue
            if len(shown) == size:
                last = shown[-1]
                token = write_token(_ABOUT, [last.database_id, last.in_archive, last.asset_id])
                return Page(shown, token)
            shown.append(asset)
        return Page(shown)

    def _partitions(self, database_id: str | None, show_archived: bool) -> list[Partition]:
        if database_id is not None:
            names = [database_id]
        else:
            names = sorted({each.database_id for each in self._store.scan(Database)})
        kinds = (False, True) if show_archived else (False,)
        return [(name, is_archived) for name in names for is_archived in kinds]

    def _walk(
        self, partitions: Sequence[Partition], after: tuple[str, bool, str] | None, chunk: int
    ) -> Iterator[Asset]:
        for name, is_archived in partitions:
            query = Asset.of_database(database_id=name).consistent()
            query = query.archived() if is_archived else query
            if after is not None and (name, is_archived) < after[:2]:
                continue
            is_first = after is not None and (name, is_archived) == after[:2]
            if after is not None and is_first:
                query = query.at_least(after[2])
            for asset in self._store.iterate(query, size=chunk):
                if after is None or not is_first or asset.asset_id > after[2]:
                    yield asset

    def answers(self, assets: Sequence[Asset]) -> list[dict[str, Any]]:
        """Assets as clients read them, with their buckets and current versions."""
        buckets = self._buckets.by_ids(asset.bucket_id for asset in assets)
        versions = self.current_versions(assets)
        return [
            asset_answer(asset, buckets.get(asset.bucket_id or ""), version)
            for asset, version in zip(assets, versions, strict=True)
        ]

    def current_versions(self, assets: Sequence[Asset]) -> list[AssetVersion | None]:
        """The current version of each asset."""
        known = [asset for asset in assets if asset.current_version_id is not None]
        keys = [
            AssetVersion.key(
                database_id=asset.database_id,
                asset_id=asset.asset_id,
                asset_version_id=asset.current_version_id or "",
            )
            for asset in known
        ]
        read = iter(self._store.batch_get(keys, consistent=True) if keys else ())
        return [
            next(read) if asset.current_version_id is not None else self._newest(asset)
            for asset in assets
        ]

    def _newest(self, asset: Asset) -> AssetVersion | None:
        """The newest version of an asset that names none: written by another program."""
        query = AssetVersion.of_asset(database_id=asset.database_id, asset_id=asset.asset_id)
        return max(self._store.query(query), key=_number, default=None)

    # -- writes

    def create(self, caller: Caller, wanted: NewAsset) -> Asset:
        """A new asset with its first, empty version."""
        asset = self.creation.create(caller, wanted)
        self._record(caller, "create", asset)
        return asset

    def change(self, caller: Caller, database_id: str, asset_id: str, wanted: AssetChange) -> Asset:
        """Change an asset. The caller needs permission for what it was and for what it becomes."""
        values: dict[str, Any] = {
            "asset_name": wanted.assetName,
            "description": wanted.description,
            "is_distributable": wanted.isDistributable,
            "tags": None if wanted.tags is None else tuple(wanted.tags),
        }
        changes = {name: value for name, value in values.items() if value is not None}
        for _ in range(TRIES):
            asset = self.get(caller, database_id, asset_id, "PUT")
            if not changes:
                raise Invalid("nothing to change: give at least one field of the asset")
            if "tags" in changes:
                changes["tags"] = check_tags(self._store, changes["tags"])
            self._access.require(caller, "PUT", asset_object(asset.changed(**changes)))
            key = Asset.key(database_id=database_id, asset_id=asset_id)
            try:
                changed = self._store.update(key, set=changes, when=unchanged(asset))
            except ConditionFailed:
                continue  # somebody else changed it: the permission is asked again
            self._record(caller, "update", changed)
            self._changes.asset_changed(caller, changed, "update")
            return changed
        raise Conflict("the asset is being changed by others: try again")

    def _record(self, caller: Caller, action: str, asset: Asset) -> None:
        self._access.audit.record(
            "ACTIONS", caller, f"asset.{action}", f"asset/{asset.database_id}/{asset.asset_id}"
        )


def unchanged(asset: Asset) -> Condition:
    """The condition that an asset is as it was read."""
    there, last = attr(Asset.asset_id).exists(), attr(Asset.updated_at)
    if asset.updated_at is None:
        return there & last.missing()
    return there & (last == asset.updated_at)


def _chunk(size: int) -> int:
    """A page, the last asset of the one before, and one to see whether more follow."""
    return max(CHUNK_MIN, min(size + 2, CHUNK_MAX))


def _can_be_id(text: str) -> bool:
    return bool(text) and len(text) <= 256 and ":" not in text and "#" not in text


def _number(version: AssetVersion) -> tuple[int, str]:
    text = version.asset_version_id
    return (int(text), "") if text.isdecimal() and len(text) < 19 else (-1, text)


def _position(token: str | None) -> tuple[str, bool, str] | None:
    if not token:
        return None
    match read_token(_ABOUT, token):
        case [str() as database_id, bool() as is_archived, str() as asset_id]:
            return database_id, is_archived, asset_id
        case _:
            raise BadToken
