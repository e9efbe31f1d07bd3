"""The items that documents of assets are made of beside the asset itself.

`QueriedItems` asks for them asset by asset, for a few. `ScannedItems` reads whole tables at once,
which is many times cheaper when all assets are needed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, Protocol, TypeVar

from sortkey import ObjectVersion, Store
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
K = TypeVar("K")
V = TypeVar("V")
Grouped = dict[K, list[V]]


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
        return list(self._latest(bucket, start))

    def _latest(self, bucket: S3AssetBucket, start: str) -> Iterator[ObjectVersion]:
        """None where the bucket cannot be read: the files in the tables are still found."""
        try:
            objects = self._store.payloads.buckets[bucket.bucket_name]
            yield from (version for version in objects.versions(start) if version.is_latest)
        except (NotConfigured, KeyError):
            return


class ScannedItems(QueriedItems):
    """All items of each table, read when it is first asked for. `scan` gives all items of an
    entity. Tables that do not fit in memory are asked asset by asset.
    """

    def __init__(self, store: Store, scan: Callable[[type[Any]], Iterator[Any]]) -> None:
        super().__init__(store)
        self._scan = scan
        self._folders: dict[str, Grouped[str, ObjectVersion] | None] = {}

    def versions(self, asset: Asset, /) -> Sequence[AssetVersion]:
        known = self._versions
        return super().versions(asset) if known is None else known.get(_key(asset), ())

    def links(self, asset: Asset, /) -> tuple[AssetLink, ...]:
        out, into = self._links
        if out is None or into is None:
            return super().links(asset)
        return (*out.get(_key(asset), ()), *into.get(_key(asset), ()))

    def own_metadata(self, asset: Asset, /) -> Sequence[AssetFileMetadata]:
        if self._metadata is None:
            return super().own_metadata(asset)
        return [each for each in self.metadata(asset) if each.file_path == WHOLE_ASSET]

    def metadata(self, asset: Asset, /) -> Sequence[AssetFileMetadata]:
        known = self._metadata
        return super().metadata(asset) if known is None else known.get(_key(asset), ())

    def attributes(self, asset: Asset, /) -> Sequence[FileAttribute]:
        known = self._attributes
        return super().attributes(asset) if known is None else known.get(_key(asset), ())

    def recorded(self, asset: Asset, version_id: str, /) -> Sequence[AssetFileVersion]:
        known = self._recorded
        if known is None:
            return super().recorded(asset, version_id)
        return known.get((*_key(asset), version_id), ())

    def stored(self, bucket: S3AssetBucket, start: str, /) -> Sequence[ObjectVersion]:
        """A bucket is listed at once for all assets. A folder that is not directly under its
        prefix is listed by itself.
        """
        base = prefix_of(bucket)
        if not start.startswith(base) or start.removeprefix(base).count("/") != 1:
            return super().stored(bucket, start)
        if bucket.bucket_id not in self._folders:
            listed = self._latest(bucket, base)
            self._folders[bucket.bucket_id] = _grouped(listed, lambda each: _folder(each, base))
        known = self._folders[bucket.bucket_id]
        return super().stored(bucket, start) if known is None else known.get(start, ())

    @cached_property
    def _versions(self) -> Grouped[AssetKey, AssetVersion] | None:
        return _grouped(self._scan(AssetVersion), _owner_key)

    @cached_property
    def _links(
        self,
    ) -> tuple[Grouped[AssetKey, AssetLink] | None, Grouped[AssetKey, AssetLink] | None]:
        """By the asset they go out from, and by the one they lead to."""
        return (
            _grouped(
                self._scan(AssetLink),
                lambda each: (each.from_asset_database_id, each.from_asset_id),
            ),
            _grouped(
                self._scan(AssetLink),
                lambda each: (each.to_asset_database_id, each.to_asset_id),
            ),
        )

    @cached_property
    def _metadata(self) -> Grouped[AssetKey, AssetFileMetadata] | None:
        return _grouped(self._scan(AssetFileMetadata), _owner_key)

    @cached_property
    def _attributes(self) -> Grouped[AssetKey, FileAttribute] | None:
        return _grouped(self._scan(FileAttribute), _owner_key)

    @cached_property
    def _recorded(self) -> Grouped[tuple[str, str, str], AssetFileVersion] | None:
        return _grouped(
            self._scan(AssetFileVersion),
            lambda each: (each.database_id, each.asset_id, each.asset_version_id),
        )


def _grouped(items: Iterable[V], key: Callable[[V], K]) -> Grouped[K, V] | None:
    """Items by a key. None if they are too many."""
    grouped = defaultdict[K, list[V]](list)
    for number, each in enumerate(items):
        if number >= ITEMS_MAX:
            return None
        grouped[key(each)].append(each)
    return grouped


def _owner_key(item: AssetVersion | AssetFileMetadata | FileAttribute) -> AssetKey:
    return item.database_id, item.asset_id


def _folder(version: ObjectVersion, base: str) -> str:
    folder, slash, _ = version.key.removeprefix(base).partition("/")
    return f"{base}{folder}{slash}"


def _key(asset: Asset) -> AssetKey:
    return asset.database_id, asset.asset_id


def _ids(asset: Asset) -> dict[str, str]:
    return {"database_id": asset.database_id, "asset_id": asset.asset_id}
