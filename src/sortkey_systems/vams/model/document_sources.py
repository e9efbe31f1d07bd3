"""Where the documents of assets and files come from: the tables, and the buckets of the assets.

Seven tables have a stream. Changes of the others (versions, buckets, objects) appear in a document
when its asset changes next.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from sortkey import Change, ComposedSource, Entity, Match, ObjectVersion, Search, Store
from sortkey.errors import NotConfigured
from sortkey_systems.vams.model.assets import Asset
from sortkey_systems.vams.model.configuration import S3AssetBucket
from sortkey_systems.vams.model.documents import SearchedAsset, SearchedFile, prefix_of
from sortkey_systems.vams.model.identifiers import WHOLE_ASSET
from sortkey_systems.vams.model.links import AssetLink
from sortkey_systems.vams.model.metadata import AssetFileMetadata, FileAttribute
from sortkey_systems.vams.model.versions import AssetFileVersion, AssetVersion

PREVIEW = ".previewFile."
"""What stands in the key of a file's preview, behind the key of the file."""
AssetId = tuple[str, str]


class AssetSource(ComposedSource[Asset, SearchedAsset]):
    """Assets, active and archived ones."""

    main = Asset
    follows = (Asset, AssetLink, AssetFileMetadata)

    def compose(self, mains: Sequence[Asset], /) -> list[SearchedAsset]:
        buckets: dict[str, S3AssetBucket | None] = {}
        return [self._composed(asset, buckets) for asset in mains]

    def find(self, ids: Sequence[str], /) -> list[SearchedAsset]:
        return self.compose(assets_of(self.store, [asset_of(id) for id in ids]))

    def touched(self, change: Change[Any], search: Search[SearchedAsset], /) -> Iterable[str]:
        return [f"{database}:{asset}" for database, asset in touched_assets(change)]

    def parts(self, asset: SearchedAsset, /) -> Sequence[Entity]:
        several = (asset.asset, asset.version, asset.bucket, *asset.links, *asset.metadata)
        return [entity for entity in several if entity is not None]

    def _composed(self, asset: Asset, buckets: dict[str, S3AssetBucket | None]) -> SearchedAsset:
        owner = {"database_id": asset.database_id, "asset_id": asset.asset_id}
        if asset.bucket_id is not None and asset.bucket_id not in buckets:
            buckets[asset.bucket_id] = self.store.first(
                S3AssetBucket.by_id(bucket_id=asset.bucket_id)
            )
        metadata = self.store.query(AssetFileMetadata.of_file(**owner, file_path=WHOLE_ASSET))
        return SearchedAsset(
            asset,
            _current(self.store.query(AssetVersion.of_asset(**owner))),
            None if asset.bucket_id is None else buckets[asset.bucket_id],
            self._links(asset),
            tuple(metadata),
        )

    def _links(self, asset: Asset) -> tuple[AssetLink, ...]:
        """Links in both directions. The indexes have keys only, and the type of a link is in its
        item.
        """
        out = AssetLink.from_asset(
            from_asset_database_id=asset.database_id, from_asset_id=asset.asset_id
        )
        into = AssetLink.to_asset(
            to_asset_database_id=asset.database_id, to_asset_id=asset.asset_id
        )
        return (*self.store.query(out.hydrated()), *self.store.query(into.hydrated()))


class FileSource(ComposedSource[Asset, SearchedFile]):
    """Files: the objects under the keys of assets, where their buckets can be read, and those of
    current versions.
    """

    main = Asset
    follows = (Asset, AssetFileMetadata, FileAttribute)

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._assets = AssetSource(store)

    def compose(self, mains: Sequence[Asset], /) -> list[SearchedFile]:
        return [file for owner in self._assets.compose(mains) for file in self._files(owner)]

    def find(self, ids: Sequence[str], /) -> list[SearchedFile]:
        asset_ids, owners = set(ids), dict.fromkeys(asset_of(id) for id in ids)
        files = self.compose(assets_of(self.store, list(owners)))
        return [
            file
            for file in files
            if f"{file.database_id}:{file.asset_id}:{file.file_key}" in asset_ids
        ]

    def touched(self, change: Change[Any], search: Search[SearchedFile], /) -> Iterable[str]:
        """Every file of the asset, because they inherit its name and tags: the indexed ones and the
        existing ones.
        """
        owners = list(touched_assets(change))
        for database, asset in owners:
            mine = Match.keyword("str_databaseid", database) & Match.keyword("str_assetid", asset)
            yield from (hit.id for hit in search.iterate(mine))
        for file in self.compose(assets_of(self.store, owners)):
            yield f"{file.database_id}:{file.asset_id}:{file.file_key}"

    def parts(self, file: SearchedFile, /) -> Sequence[Entity]:
        own = (*file.metadata, *file.attributes)
        first = () if file.recorded is None else (file.recorded,)
        return (
            [*first, *own, *self._assets.parts(file.owner)] if first else [file.owner.asset, *own]
        )

    def _files(self, owner: SearchedAsset) -> list[SearchedFile]:
        start = f"{prefix_of(owner.bucket)}{owner.asset_id}/"
        recorded = {file.file_key: file for file in self._recorded(owner)}
        stored = {file.key: file for file in self._stored(owner, start)}
        metadata, attributes = self._values(owner)
        previews = {
            key.partition(PREVIEW)[0]: key for key in (*recorded, *stored) if PREVIEW in key
        }
        return [
            SearchedFile(
                owner,
                key,
                recorded.get(key),
                stored.get(key),
                previews.get(key),
                tuple(metadata[_path(key, start)]),
                tuple(attributes[_path(key, start)]),
            )
            for key in dict.fromkeys((*recorded, *stored))
            if PREVIEW not in key
        ]

    def _recorded(self, owner: SearchedAsset) -> list[AssetFileVersion]:
        if owner.version is None:
            return []
        ids = {"database_id": owner.database_id, "asset_id": owner.asset_id}
        return self.store.query(
            AssetFileVersion.of_version(**ids, asset_version_id=owner.version.asset_version_id)
        )

    def _stored(self, owner: SearchedAsset, start: str) -> list[ObjectVersion]:
        """The latest versions in the asset's bucket, or the markers of deletes. None where it
        cannot be read.
        """
        if owner.bucket is None:
            return []
        try:
            bucket = self.store.payloads.buckets[owner.bucket.bucket_name]
            return [version for version in bucket.versions(start) if version.is_latest]
        except (NotConfigured, KeyError):
            return []  # a bucket that cannot be read: the files in the tables are still found

    def _values(
        self, owner: SearchedAsset
    ) -> tuple[dict[str, list[AssetFileMetadata]], dict[str, list[FileAttribute]]]:
        ids = {"database_id": owner.database_id, "asset_id": owner.asset_id}
        metadata, attributes = (
            defaultdict[str, list[AssetFileMetadata]](list),
            defaultdict[str, list[FileAttribute]](list),
        )
        for value in self.store.query(AssetFileMetadata.of_asset(**ids)):
            metadata[value.file_path].append(value)
        for attribute in self.store.query(FileAttribute.of_asset(**ids)):
            attributes[attribute.file_path].append(attribute)
        return metadata, attributes


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


def _current(versions: Sequence[AssetVersion]) -> AssetVersion | None:
    """The newest version; an archived one only if all are."""
    return max(versions, key=_age, default=None)


def _age(version: AssetVersion) -> tuple[bool, str, int, str]:
    """Ids are numbers as texts and order what was created at the same instant: 10 comes after 9."""
    id = version.asset_version_id
    return not version.is_archived, str(version.created_at or ""), len(id), id


def _path(key: str, start: str) -> str:
    """The path within its asset under which the metadata of a file is kept."""
    return f"/{key.removeprefix(start)}"
