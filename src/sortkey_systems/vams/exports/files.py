"""The files of an asset in an export: which, and with which metadata and links."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sortkey_systems.vams.access.callers import Caller
from sortkey_systems.vams.answers import Json
from sortkey_systems.vams.exports.values import ExportValues
from sortkey_systems.vams.failures import NotThere
from sortkey_systems.vams.files.file_lists import SIZE_MAX, FileQuery
from sortkey_systems.vams.files.paths import extension_of
from sortkey_systems.vams.model import Asset, AssetFileMetadata, FileAttribute
from sortkey_systems.vams.pages import Paging

if TYPE_CHECKING:
    from sortkey_systems.vams.service import Vams

Values = dict[str, Json]
"""`{valueType, value}` by key."""


class ExportedFiles:
    """Reads the files and metadata of assets for exports."""

    def __init__(self, service: Vams) -> None:
        self._service = service

    def of_asset(
        self, caller: Caller, asset: Asset, wanted: ExportValues
    ) -> tuple[Values, list[Json]]:
        """The metadata of an asset, and its files with theirs."""
        metadata = self._metadata(asset)
        with_values = wanted.includeFileMetadata
        attributes = self._attributes(asset) if with_values else {}
        files = [
            {
                **file,
                "metadata": metadata.get(file["relativePath"], {}) if with_values else {},
                "attributes": attributes.get(file["relativePath"], {}),
                **self._link(asset, file, wanted),
            }
            for file in self._listed(caller, asset, wanted)
            if _is_wanted(file, wanted)
        ]
        return metadata.get("/", {}) if wanted.includeAssetMetadata else {}, files

    def _listed(self, caller: Caller, asset: Asset, wanted: ExportValues) -> Iterator[Json]:
        query, token = FileQuery(include_archived=wanted.includeArchivedFiles), None
        while True:
            ids, paging = (asset.database_id, asset.asset_id), Paging(SIZE_MAX, token)
            try:
                page = self._service.file_lists.page(caller, *ids, query, paging)
            except NotThere:  # archived or deleted since the tree was read
                return
            yield from page.items
            token = page.token
            if token is None:
                return

    def _link(self, asset: Asset, file: Json, wanted: ExportValues) -> Json:
        is_linked = wanted.generatePresignedUrls and asset.is_distributable
        if not is_linked or file["isFolder"] or file["isArchived"]:
            return {"presignedFileDownloadUrl": None, "presignedFileDownloadExpiresIn": None}
        url, seconds = self._service.downloads.link_to(asset, file["key"], file["versionId"])
        return {"presignedFileDownloadUrl": url, "presignedFileDownloadExpiresIn": seconds}

    def _metadata(self, asset: Asset) -> dict[str, Values]:
        ids = {"database_id": asset.database_id, "asset_id": asset.asset_id}
        found = defaultdict[str, Values](dict)
        for row in self._service.store.iterate(AssetFileMetadata.of_asset(**ids)):
            if not row.metadata_key.startswith("_"):
                found[row.file_path][row.metadata_key] = {
                    "valueType": row.metadata_value_type,
                    "value": row.metadata_value,
                }
        return found

    def _attributes(self, asset: Asset) -> dict[str, Values]:
        ids = {"database_id": asset.database_id, "asset_id": asset.asset_id}
        found = defaultdict[str, Values](dict)
        for row in self._service.store.iterate(FileAttribute.of_asset(**ids)):
            if not row.attribute_key.startswith("_"):
                found[row.file_path][row.attribute_key] = {
                    "valueType": row.attribute_value_type,
                    "value": row.attribute_value,
                }
        return found


def _is_wanted(file: Json, wanted: ExportValues) -> bool:
    if file["isFolder"]:
        return wanted.includeFolderFiles and not wanted.includeOnlyPrimaryTypeFiles
    if wanted.includeOnlyPrimaryTypeFiles and not file["primaryType"]:
        return False
    return not wanted.fileExtensions or extension_of(file["fileName"]) in wanted.fileExtensions
