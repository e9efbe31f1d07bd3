"""Where the documents of assets and files come from: the tables, and the buckets of the assets.

Seven tables have a stream. Changes of the others (versions, buckets, objects) appear in a document
when its asset changes next.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

from sortkey import Change, ComposedSource, Entity, Match, Search, SourcePage, Store
from sortkey_systems.vams.model.assets import Asset
from sortkey_systems.vams.model.configuration import S3AssetBucket
from sortkey_systems.vams.model.documents import SearchedAsset, SearchedFile, prefix_of
from sortkey_systems.vams.model.identifiers import WHOLE_ASSET
from sortkey_systems.vams.model.links import AssetLink
from sortkey_systems.vams.model.metadata import AssetFileMetadata, FileAttribute
from sortkey_systems.vams.model.related_items import QueriedItems, RelatedItems, ScannedItems
from sortkey_systems.vams.model.versions import AssetVersion

PREVIEW = ".previewFile."
"""What stands in the key of a file's preview, behind the key of the file."""
AssetId = tuple[str, str]
V = TypeVar("V", AssetFileMetadata, FileAttribute)


class AssetSource(ComposedSource[Asset, SearchedAsset]):
    """Assets, active and archived ones."""

    main = Asset
    follows = (Asset, AssetLink, AssetFileMetadata)

    def __init__(self, store: Store, related: RelatedItems | None = None) -> None:
        super().__init__(store)
        self._related = related

    def compose(self, mains: Sequence[Asset], /) -> list[SearchedAsset]:
        related = self._related or QueriedItems(self.store)
        return [
            SearchedAsset(
                asset,
                _current(asset, related.versions(asset)),
                related.bucket(asset),
                related.links(asset),
                tuple(related.own_metadata(asset)),
            )
            for asset in mains
        ]

    def pages(self, position: Any = None, /) -> Iterator[SourcePage[SearchedAsset]]:
        scanned = ScannedItems(self.store, self.every)
        return ComposedSource[Asset, SearchedAsset].pages(
            AssetSource(self.store, scanned), position
        )

    def find(self, ids: Sequence[str], /) -> list[SearchedAsset]:
        return self.compose(assets_of(self.store, [asset_of(id) for id in ids]))

    def touched(self, change: Change[Any], search: Search[SearchedAsset], /) -> Iterable[str]:
        return [f"{database}:{asset}" for database, asset in touched_assets(change)]

    def parts(self, asset: SearchedAsset, /) -> Sequence[Entity]:
        several = (asset.asset, asset.version, asset.bucket, *asset.links, *asset.metadata)
        return [entity for entity in several if entity is not None]


class FileSource(ComposedSource[Asset, SearchedFile]):
    """Files: the objects under the keys of assets, where their buckets can be read, and those of
    current versions.
    """

    main = Asset
    follows = (Asset, AssetFileMetadata, FileAttribute)

    def __init__(self, store: Store, related: RelatedItems | None = None) -> None:
        super().__init__(store)
        self._related = related

    def compose(self, mains: Sequence[Asset], /) -> list[SearchedFile]:
        related = self._related or QueriedItems(self.store)
        return [file for asset in mains for file in _files(_owner(asset, related), related)]

    def pages(self, position: Any = None, /) -> Iterator[SourcePage[SearchedFile]]:
        scanned = ScannedItems(self.store, self.every)
        return ComposedSource[Asset, SearchedFile].pages(FileSource(self.store, scanned), position)

    def find(self, ids: Sequence[str], /) -> list[SearchedFile]:
        asset_ids, owners = set(ids), dict.fromkeys(asset_of(id) for id in ids)
        files = self.compose(assets_of(self.store, list(owners)))
        return [
            file
            for file in files
            if f"{file.database_id}:{file.asset_id}:{file.file_key}" in asset_ids
        ]

    def touched(self, change: Change[Any], search: Search[SearchedFile], /) -> Iterable[str]:
        """A change of a file's metadata concerns that file. One of an asset concerns every file of
        it, because they inherit its name and tags: the indexed ones and the existing ones.
        """
        owners = list(touched_assets(change))
        if change.entity is not Asset:
            yield from self._at(str(change.key.values["filePath"]), owners)
            return
        for database, asset in owners:
            mine = Match.keyword("str_databaseid", database) & Match.keyword("str_assetid", asset)
            yield from (hit.id for hit in search.iterate(mine))
        for file in self.compose(assets_of(self.store, owners)):
            yield f"{file.database_id}:{file.asset_id}:{file.file_key}"

    def _at(self, path: str, owners: Sequence[AssetId]) -> Iterable[str]:
        """The ids of the files at a path. That of the whole asset names none."""
        if path == WHOLE_ASSET:
            return
        related = QueriedItems(self.store)
        for asset in assets_of(self.store, owners):
            key = folder_of(asset, related.bucket(asset)) + path.removeprefix("/")
            yield f"{asset.database_id}:{asset.asset_id}:{key}"

    def parts(self, file: SearchedFile, /) -> Sequence[Entity]:
        own, owner = (*file.metadata, *file.attributes), file.owner
        if file.recorded is None:
            return [owner.asset, *own]
        several = (file.recorded, *own, owner.asset, owner.version, owner.bucket)
        return [entity for entity in several if entity is not None]


def _owner(asset: Asset, related: RelatedItems) -> SearchedAsset:
    """What files need of their asset."""
    return SearchedAsset(asset, _current(asset, related.versions(asset)), related.bucket(asset))


def _files(owner: SearchedAsset, related: RelatedItems) -> list[SearchedFile]:
    start = folder_of(owner.asset, owner.bucket)
    version, bucket = owner.version, owner.bucket
    rows = () if version is None else related.recorded(owner.asset, version.asset_version_id)
    objects = () if bucket is None else related.stored(bucket, start)
    recorded, stored = {row.file_key: row for row in rows}, {each.key: each for each in objects}
    if not recorded and not stored:
        return []
    metadata = _by_path(related.metadata(owner.asset))
    attributes = _by_path(related.attributes(owner.asset))
    previews = {key.partition(PREVIEW)[0]: key for key in (*recorded, *stored) if PREVIEW in key}
    return [
        SearchedFile(
            owner,
            key,
            recorded.get(key),
            stored.get(key),
            previews.get(key),
            tuple(metadata.get(_path(key, start), ())),
            tuple(attributes.get(_path(key, start), ())),
        )
        for key in dict.fromkeys((*recorded, *stored))
        if PREVIEW not in key
    ]


def _by_path(values: Sequence[V]) -> dict[str, list[V]]:
    """Values by the path of their file."""
    grouped: dict[str, list[V]] = {}
    for value in values:
        grouped.setdefault(value.file_path, []).append(value)
    return grouped


def folder_of(asset: Asset, bucket: S3AssetBucket | None) -> str:
    """What the keys of an asset's files begin with."""
    if asset.asset_location is None:
        return f"{prefix_of(bucket)}{asset.asset_id}/"
    return f"{asset.asset_location.key.removesuffix('/')}/"


def asset_of(id: str) -> AssetId:
    """The asset of a document, of an asset or of a file. Ids have no colon; the key of a
    file may.
    """
    database, asset, *_ = id.split(":", 2)
    return database, asset


def assets_of(store: Store, ids: Sequence[AssetId]) -> list[Asset]:
    """Assets by their ids, active or archived."""
    keys = [Asset.key(database_id=database, asset_id=asset) for database, asset in ids]
    items = store.batch_get(
        [item_key for key in keys for item_key in (key, key.archived())], consistent=True
    )
    return [item for item in items if item is not None]


def touched_assets(change: Change[Any]) -> Iterable[AssetId]:
    """The assets whose documents, or whose files' documents, a change affects.

    The stream of links shows only the key of a deleted link, which names no asset: `remove_link`
    touches both.
    """
    if change.entity is AssetLink:
        link: AssetLink | None = change.latest
        if link is None:
            return []
        return [
            (link.from_asset_database_id, link.from_asset_id),
            (link.to_asset_database_id, link.to_asset_id),
        ]
    values = change.key.values
    return [(str(values["databaseId"]), str(values["assetId"]))]


def _current(asset: Asset, versions: Sequence[AssetVersion]) -> AssetVersion | None:
    """The version that the asset names, or the newest; an archived one only if all are."""
    named = asset.current_version_id
    for version in versions:
        if version.asset_version_id == named:
            return version
    return max(versions, key=_age, default=None)


def _age(version: AssetVersion) -> tuple[bool, str, int, str]:
    """Ids are numbers as texts and order what was created at the same instant: 10 comes after 9."""
    id = version.asset_version_id
    return not version.is_archived, str(version.created_at or ""), len(id), id


def _path(key: str, start: str) -> str:
    """The path within its asset under which the metadata of a file is kept."""
    return f"/{key.removeprefix(start)}"
