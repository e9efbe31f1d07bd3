"""The items that documents of assets are made of beside the asset itself.

`QueriedItems` asks for them asset by asset, for a few. `ScannedItems` reads whole tables at once,
which is many times cheaper when all assets are needed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, Protocol, TypeVar

from sortkey import Entity, ObjectVersion, Store
from sortkey.errors import NotConfigured
from sortkey_systems.vams.model.assets import Asset
from sortkey_systems.vams.model.configuration import S3AssetBucket
from sortkey_systems.vams.model.documents import prefix_of
from sortkey_systems.vams.model.identifiers import WHOLE_ASSET
from sortkey_systems.vams.model.links import AssetLink
from sortkey_systems.vams.model.metadata import AssetFileMetadata, FileAttribute
from sortkey_systems.vams.model.versions import AssetFileVersion, AssetVersion

ITEMS_MAX = 300_000
"""How many items of a table are held in memory. With more, assets are asked about one by one."""
AssetKey = tuple[str, str]
E = TypeVar("E", bound=Entity)


class RelatedItems(Protocol):
    """What belongs to an asset."""

    def bucket(self, asset: Asset, /) -> S3AssetBucket | None: ...

    def versions(self, asset: Asset, /) -> Sequence[AssetVersion]: ...

    def links(self, asset: Asset, /) -> tuple[AssetLink, ...]:
        """In both directions."""
        ...

    def own_metadata(self, asset: Asset, /) -> Sequence[AssetFileMetadata]:
        """Of the asset itself."""
        ...

    def metadata(self, asset: Asset, /) -> Sequence[AssetFileMetadata]:
        """Of the asset and its files."""
        ...

    def attributes(self, asset: Asset, /) -> Sequence[FileAttribute]: ...

    def recorded(self, asset: Asset, version_id: str, /) -> Sequence[AssetFileVersion]:
        """The files of a version."""
        ...

    def stored(self, bucket: S3AssetBucket, start: str, /) -> Sequence[ObjectVersion]:
        """The latest versions of objects whose keys begin so, or the markers of deletes."""
        ...


class QueriedItems:
    """Asks for the items of one asset at a time."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._buckets: dict[str, S3AssetBucket | None] = {}

    def bucket(self, asset: Asset, /) -> S3AssetBucket | None:
        id = asset.bucket_id
        if id is None:
            return None
        if id not in self._buckets:
            self._buckets[id] = self._store.first(S3AssetBucket.by_id(bucket_id=id))
        return self._buckets[id]

    def versions(self, asset: Asset, /) -> Sequence[AssetVersion]:
        return self._store.query(AssetVersion.of_asset(**_ids(asset)))

    def links(self, asset: Asset, /) -> tuple[AssetLink, ...]:
        """The indexes have keys only, and the type of a link is in its item."""
        out = AssetLink.from_asset(
            from_asset_database_id=asset.database_id, from_asset_id=asset.asset_id
        )
        into = AssetLink.to_asset(
            to_asset_database_id=asset.database_id, to_asset_id=asset.asset_id
        )
        return (
            *self._store.query(out.hydrated()),
            *self._store.query(into.hydrated()),
        )

    def own_metadata(self, asset: Asset, /) -> Sequence[AssetFileMetadata]:
        return self._store.query(AssetFileMetadata.of_file(**_ids(asset), file_path=WHOLE_ASSET))

    def metadata(self, asset: Asset, /) -> Sequence[AssetFileMetadata]:
        return self._store.query(AssetFileMetadata.of_asset(**_ids(asset)))

    def attributes(self, asset: Asset, /) -> Sequence[FileAttribute]:
        return self._store.query(FileAttribute.of_asset(**_ids(asset)))

    def recorded(self, asset: Asset, version_id: str, /) -> Sequence[AssetFileVersion]:
        return self._store.query(
            AssetFileVersion.of_version(**_ids(asset), asset_version_id=version_id)
        )

    def stored(self, bucket: S3AssetBucket, start: str, /) -> Sequence[ObjectVersion]:
        """None where the bucket cannot be read: the files in the tables are still found."""
        try:
            objects = self._store.payloads.buckets[bucket.bucket_name]
            return [version for version in objects.versions(start) if version.is_latest]
        except (NotConfigured, KeyError):
            return []


def scanned_items(
    store: Store, scan: Callable[[type[Any]], Iterator[Any]], *, with_files: bool
) -> RelatedItems | None:
    """All items of the tables, where they fit in memory. `scan` gives all items of an entity."""
    scanned = ScannedItems(store, scan)
    try:
        scanned.read(with_files=with_files)
    except TooManyItems:
        return None
    return scanned


class TooManyItems(Exception):
    """A table has more items than are held in memory."""


class ScannedItems(QueriedItems):
    """All items of the tables, read beforehand."""

    def __init__(self, store: Store, scan: Callable[[type[Any]], Iterator[Any]]) -> None:
        super().__init__(store)
        self._scan = scan
        self._folders: dict[str, dict[str, list[ObjectVersion]]] = {}

    def read(self, *, with_files: bool) -> None:
        """Read the tables that documents of assets need, or those of files too. Raises
        TooManyItems.
        """
        _ = self._versions, self._links, self._metadata
        if with_files:
            _ = self._attributes, self._recorded

    def versions(self, asset: Asset, /) -> Sequence[AssetVersion]:
        return self._versions.get(_key(asset), ())

    def links(self, asset: Asset, /) -> tuple[AssetLink, ...]:
        out, into = self._links
        return (*out.get(_key(asset), ()), *into.get(_key(asset), ()))

    def own_metadata(self, asset: Asset, /) -> Sequence[AssetFileMetadata]:
        return [each for each in self.metadata(asset) if each.file_path == WHOLE_ASSET]

    def metadata(self, asset: Asset, /) -> Sequence[AssetFileMetadata]:
        return self._metadata.get(_key(asset), ())

    def attributes(self, asset: Asset, /) -> Sequence[FileAttribute]:
        return self._attributes.get(_key(asset), ())

    def recorded(self, asset: Asset, version_id: str, /) -> Sequence[AssetFileVersion]:
        return self._recorded.get((*_key(asset), version_id), ())

    def stored(self, bucket: S3AssetBucket, start: str, /) -> Sequence[ObjectVersion]:
        """The whole bucket is listed at once, for all assets. A folder that is not
        directly under its prefix is listed by itself.
        """
        base = prefix_of(bucket)
        if not start.startswith(base) or start.removeprefix(base).count("/") != 1:
            return super().stored(bucket, start)
        if bucket.bucket_id not in self._folders:
            self._folders[bucket.bucket_id] = self._listed(bucket, base)
        return self._folders[bucket.bucket_id].get(start, ())

    def _listed(self, bucket: S3AssetBucket, base: str) -> dict[str, list[ObjectVersion]]:
        folders = defaultdict[str, list[ObjectVersion]](list)
        for each in super().stored(bucket, base):
            folder, slash, _ = each.key.removeprefix(base).partition("/")
            folders[f"{base}{folder}{slash}"].append(each)
        return folders

    @cached_property
    def _versions(self) -> dict[AssetKey, list[AssetVersion]]:
        grouped = defaultdict[AssetKey, list[AssetVersion]](list)
        for each in self._every(AssetVersion):
            grouped[each.database_id, each.asset_id].append(each)
        return grouped

    @cached_property
    def _links(self) -> tuple[dict[AssetKey, list[AssetLink]], dict[AssetKey, list[AssetLink]]]:
        out, into = (defaultdict[AssetKey, list[AssetLink]](list) for _ in range(2))
        for each in self._every(AssetLink):
            out[each.from_asset_database_id, each.from_asset_id].append(each)
            into[each.to_asset_database_id, each.to_asset_id].append(each)
        return out, into

    @cached_property
    def _metadata(self) -> dict[AssetKey, list[AssetFileMetadata]]:
        grouped = defaultdict[AssetKey, list[AssetFileMetadata]](list)
        for each in self._every(AssetFileMetadata):
            grouped[each.database_id, each.asset_id].append(each)
        return grouped

    @cached_property
    def _attributes(self) -> dict[AssetKey, list[FileAttribute]]:
        grouped = defaultdict[AssetKey, list[FileAttribute]](list)
        for each in self._every(FileAttribute):
            grouped[each.database_id, each.asset_id].append(each)
        return grouped

    @cached_property
    def _recorded(self) -> dict[tuple[str, str, str], list[AssetFileVersion]]:
        grouped = defaultdict[tuple[str, str, str], list[AssetFileVersion]](list)
        for each in self._every(AssetFileVersion):
            grouped[each.database_id, each.asset_id, each.asset_version_id].append(each)
        return grouped

    def _every(self, of: type[E]) -> Iterator[E]:
        for number, each in enumerate(self._scan(of)):
            if number >= ITEMS_MAX:
                raise TooManyItems
            yield each


def _key(asset: Asset) -> AssetKey:
    return asset.database_id, asset.asset_id


def _ids(asset: Asset) -> dict[str, str]:
    return {"database_id": asset.database_id, "asset_id": asset.asset_id}
