"""The two search indexes: one document per asset, one per file. Field names are those of the
document.

`SearchedAsset` and `SearchedFile` hold the content of a document; `document_sources` reads it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from sortkey import (
    Bool,
    Date,
    Integer,
    Keyword,
    LatLon,
    ObjectVersion,
    Searchable,
    Text,
    document,
    version_at,
)
from sortkey.errors import ModelError
from sortkey_systems.vams.model.assets import Asset
from sortkey_systems.vams.model.configuration import S3AssetBucket
from sortkey_systems.vams.model.field_names import (
    EXCLUDED,
    FIELD_NAMES,
    METADATA_KEYS,
    METADATA_VALUES,
    can_name_a_field,
    flat,
)
from sortkey_systems.vams.model.links import AssetLink
from sortkey_systems.vams.model.metadata import AssetFileMetadata, FileAttribute
from sortkey_systems.vams.model.versions import AssetFileVersion, AssetVersion

ROOT = "/"
"""The prefix of a bucket that means its root."""
PLACES = ("geopoint", "lla")
SHAPES = ("geojson", "json")
"""Types of metadata values that are searched as places, and as outlines, under names of their own.
"""


@dataclass(frozen=True)
class SearchedAsset:
    """An asset with the values its document takes from other tables. `version` is the current
    one.
    """

    asset: Asset
    version: AssetVersion | None = None
    bucket: S3AssetBucket | None = None
    links: tuple[AssetLink, ...] = ()
    metadata: tuple[AssetFileMetadata, ...] = ()

    @property
    def database_id(self) -> str:
        return self.asset.database_id

    @property
    def asset_id(self) -> str:
        return self.asset.asset_id

    @property
    def changed(self) -> int:
        """Parts have no instants of their own; of documents with the same instant the later write
        wins.
        """
        return 0 if self.asset.updated_at is None else version_at(self.asset.updated_at)

    def is_end_of(self, link: AssetLink) -> tuple[bool, bool]:
        """Whether a link goes out from this asset, and whether it comes in."""
        me = (self.database_id, self.asset_id)
        return (
            (link.from_asset_database_id, link.from_asset_id) == me,
            (link.to_asset_database_id, link.to_asset_id) == me,
        )


@dataclass(frozen=True)
class SearchedFile:
    """A file of an asset: the object as its bucket has it, and the record of it in the asset's
    current version.
    """

    owner: SearchedAsset
    file_key: str
    recorded: AssetFileVersion | None = None
    stored: ObjectVersion | None = None
    preview_key: str | None = None
    metadata: tuple[AssetFileMetadata, ...] = ()
    attributes: tuple[FileAttribute, ...] = ()

    @property
    def database_id(self) -> str:
        return self.owner.database_id

    @property
    def asset_id(self) -> str:
        return self.owner.asset_id

    @property
    def changed(self) -> int:
        modified = 0 if self.stored is None else version_at(self.stored.modified_at)
        return max(self.owner.changed, modified)

    @property
    def is_archived(self) -> bool:
        """A delete marker is present, or the asset itself is archived."""
        return self.owner.asset.in_archive or (self.stored is not None and self.stored.is_marker)

    @property
    def version_id(self) -> str | None:
        if self.stored is not None:
            return self.stored.version_id
        return None if self.recorded is None else self.recorded.s3_version_id


@document(
    SearchedAsset,
    "asset",
    id="{database_id}:{asset_id}",
    version=lambda searched: searched.changed,
    fields={
        "str_databaseid": Text(label="database id"),
        "str_assetid": Text(label="asset id"),
        "str_assetname": Text(label="asset name"),
        "str_assettype": Text(label="asset type"),
        "str_description": Text(label="description"),
        "str_bucketid": Text(label="bucket id"),
        "str_bucketname": Text(label="bucket name"),
        "str_bucketprefix": Text(label="bucket prefix"),
        "str_asset_version_id": Text(label="asset version id"),
        "str_asset_version_comment": Text(label="asset version comment"),
        "str_assetlocationkey": Text(label="asset location key"),
        "str_previewfilekey": Text(label="preview file key"),
        "bool_isdistributable": Bool(label="is distributable"),
        "list_tags": Text(label="tags", many=True),
        "date_asset_version_createdate": Date(label="asset version create date"),
        "bool_has_asset_children": Bool(label="has asset children"),
        "bool_has_asset_parents": Bool(label="has asset parents"),
        "bool_has_assets_related": Bool(label="has assets related"),
        "bool_archived": Bool(label="archived"),
        "MD_": flat("metadata"),
        "_rectype": Keyword(label="record type"),
    },
    undeclared=FIELD_NAMES,
)
def asset_document(searched: SearchedAsset) -> Searchable:
    """An asset, with its current version, its bucket, its relationships and its metadata."""
    asset, version = searched.asset, searched.version
    return {
        **_owned(searched),
        "str_assettype": asset.asset_type,
        "str_description": asset.description,
        "str_asset_version_id": version and version.asset_version_id,
        "str_asset_version_comment": version and version.comment,
        "str_assetlocationkey": asset.asset_location and asset.asset_location.key,
        "str_previewfilekey": asset.preview_location and asset.preview_location.key,
        "bool_isdistributable": asset.is_distributable,
        "date_asset_version_createdate": version and version.created_at,
        **_relationships(searched),
        "bool_archived": asset.in_archive,
        "_rectype": "asset",
        **_metadata(searched.metadata),
        **_words((each.metadata_key, each.metadata_value) for each in searched.metadata),
    }


@document(
    SearchedFile,
    "file",
    id="{database_id}:{asset_id}:{file_key}",
    version=lambda file: file.changed,
    fields={
        "str_key": Text(label="key"),
        "str_databaseid": Text(label="database id"),
        "str_assetid": Text(label="asset id"),
        "str_assetname": Text(label="asset name"),
        "str_bucketid": Text(label="bucket id"),
        "str_bucketname": Text(label="bucket name"),
        "str_bucketprefix": Text(label="bucket prefix"),
        "str_fileext": Text(label="file ext"),
        "str_etag": Text(label="etag"),
        "str_s3_version_id": Text(label="s3 version id"),
        "str_previewfilekey": Text(label="preview file key"),
        "date_lastmodified": Date(label="last modified"),
        "num_filesize": Integer(label="file size"),
        "bool_archived": Bool(label="archived"),
        "list_tags": Text(label="tags", many=True),
        "MD_": flat("metadata"),
        "AB_": flat("attributes"),
        "_rectype": Keyword(label="record type"),
    },
    undeclared=FIELD_NAMES,
)
def file_document(file: SearchedFile) -> Searchable:
    """A file, with its metadata and attributes, and what it inherits from its asset."""
    stored = file.stored
    metadata = [(each.metadata_key, each.metadata_value) for each in file.metadata]
    attributes = [(each.attribute_key, each.attribute_value) for each in file.attributes]
    return {
        "str_key": file.file_key,
        **_owned(file.owner),
        "str_fileext": PurePosixPath(file.file_key).suffix.removeprefix(".").lower(),
        "str_etag": stored and stored.etag,
        "str_s3_version_id": file.version_id,
        "str_previewfilekey": file.preview_key,
        "date_lastmodified": stored and stored.modified_at,
        "num_filesize": None if stored is None or stored.is_marker else stored.size,
        "bool_archived": file.is_archived,
        "AB_": dict(attributes),
        "_rectype": "file",
        **_metadata(file.metadata),
        **_words([*metadata, *attributes]),
        "str_assettype": file.owner.asset.asset_type,  # undeclared: permissions ask for it
    }


def prefix_of(bucket: S3AssetBucket | None) -> str:
    """The prefix of the keys of a bucket's assets: `/` is its root, and is not part of a key."""
    return "" if bucket is None or bucket.base_assets_prefix == ROOT else bucket.base_assets_prefix


def _owned(searched: SearchedAsset) -> dict[str, Any]:
    """What the documents of an asset and of its files have in common."""
    asset, bucket = searched.asset, searched.bucket
    return {
        "str_databaseid": asset.database_id,
        "str_assetid": asset.asset_id,
        "str_assetname": asset.asset_name,
        "str_bucketid": asset.bucket_id,
        "str_bucketname": bucket and bucket.bucket_name,
        "str_bucketprefix": bucket and bucket.base_assets_prefix,
        "list_tags": asset.tags,
    }


def _relationships(asset: SearchedAsset) -> dict[str, bool]:
    ends = [(link.relationship_type, *asset.is_end_of(link)) for link in asset.links]
    return {
        "bool_has_asset_children": any(
            kind == "parentChild" and outward for kind, outward, _ in ends
        ),
        "bool_has_asset_parents": any(kind == "parentChild" and inward for kind, _, inward in ends),
        "bool_has_assets_related": any(kind == "related" for kind, _, _ in ends),
    }


def _metadata(values: Sequence[AssetFileMetadata]) -> dict[str, Any]:
    """All of it in one flat field; places and outlines under names of their own too."""
    document: dict[str, Any] = {
        "MD_": {value.metadata_key: value.metadata_value for value in values}
    }
    for value in values:
        kind, name = value.metadata_value_type.lower(), value.metadata_key
        if not can_name_a_field(name):
            continue
        if kind in PLACES and (place := _place(value.metadata_value)) is not None:
            document[f"gp_{name}"] = place
        elif kind in SHAPES:
            document[f"gs_{name}"] = value.metadata_value
    return document


def _words(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Keys and values once more, so that they are found by their words too."""
    shown = sorted(pair for pair in pairs if not pair[0].startswith(EXCLUDED))
    return {
        METADATA_KEYS: [key for key, _ in shown],
        METADATA_VALUES: [value for _, value in shown],
    }


def _place(text: str) -> LatLon | None:
    """GeoJSON's point, or `{"lat": …, "long": …}`; None if it is not a place."""
    try:
        place: dict[str, Any] = json.loads(text)
        if "coordinates" in place:
            lon, lat = place["coordinates"][:2]
        else:
            lon, lat = place["long"] if "long" in place else place["lon"], place["lat"]
        return LatLon(float(lat), float(lon))
    except (ValueError, TypeError, KeyError, ModelError):
        return None
