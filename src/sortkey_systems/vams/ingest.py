"""Ingest: an asset and its files in two requests, for programs that bring both together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from sortkey_systems.vams.access.callers import Caller
from sortkey_systems.vams.assets.values import NewAsset
from sortkey_systems.vams.failures import Failure, Invalid, NotThere
from sortkey_systems.vams.model import Asset, AssetUpload
from sortkey_systems.vams.uploads.completions import Completed
from sortkey_systems.vams.uploads.requests import FILES_MAX, UploadCompletion, UploadStart

if TYPE_CHECKING:
    from sortkey_systems.vams.service import Vams

UPLOAD_TYPE = "assetFile"


class IngestRequest(NewAsset):
    """The fields of an asset with its files: those to send, or with `uploadId` those that were
    sent.
    """

    uploadId: Annotated[str, Field(max_length=256)] | None = None
    files: Annotated[list[dict[str, Any]], Field(min_length=1, max_length=FILES_MAX)]


class Ingest:
    """Creates assets together with their uploads."""

    def __init__(self, service: Vams) -> None:
        self._service = service

    def start(self, caller: Caller, wanted: IngestRequest) -> dict[str, Any]:
        """Create the asset unless it exists, and begin the upload. If the files are refused, the
        new asset goes again.
        """
        self._upload(wanted, wanted.assetId or "new").paths()  # before anything is written
        asset, is_new = self._asset(caller, wanted)
        try:
            started = self._service.uploads.start(caller, self._upload(wanted, asset.asset_id))
        except Failure:
            if is_new:
                self._service.assets.creation.undo(asset)
            raise
        return {**started, "assetId": asset.asset_id}

    def complete(self, caller: Caller, upload_id: str, wanted: IngestRequest) -> Completed:
        """Complete the upload."""
        if ":" in upload_id or "#" in upload_id:
            raise Invalid("uploadId is not valid")
        completion = UploadCompletion.model_validate(
            {
                "databaseId": wanted.databaseId,
                "assetId": wanted.assetId or self._asset_id(upload_id),
                "uploadType": UPLOAD_TYPE,
                "files": wanted.files,
            }
        )
        return self._service.upload_completions.complete(caller, upload_id, completion)

    def _asset(self, caller: Caller, wanted: IngestRequest) -> tuple[Asset, bool]:
        if wanted.assetId is not None:
            found = self._service.assets.find(wanted.databaseId, wanted.assetId)
            if found is not None:
                return found, False
        return self._service.assets.create(caller, wanted), True

    def _upload(self, wanted: IngestRequest, asset_id: str) -> UploadStart:
        return UploadStart.model_validate(
            {
                "databaseId": wanted.databaseId,
                "assetId": asset_id,
                "uploadType": UPLOAD_TYPE,
                "files": wanted.files,
            }
        )

    def _asset_id(self, upload_id: str) -> str:
        """The asset of an upload, whose id its request leaves out."""
        found = self._service.store.first(AssetUpload.of_upload(upload_id=upload_id))
        if found is None:
            raise NotThere("Upload not found: it may have expired")
        return found.asset_id
