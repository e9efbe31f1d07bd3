"""`Uploads`: starting uploads, and removing what was never completed.

The record comes first, then the parts: whatever a crash leaves behind is found by its record. Bytes
are under a temporary prefix until their upload is completed.
"""

from __future__ import annotations

import logging
import uuid
from contextlib import suppress
from datetime import datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from sortkey import ItemKey, Objects, ObjectUpload
from sortkey_systems.vams.access.callers import Caller
from sortkey_systems.vams.failures import Denied, NotThere, TooMany
from sortkey_systems.vams.files.content_types import content_type_of
from sortkey_systems.vams.files.files import TEMPORARY, remove_versions
from sortkey_systems.vams.model import Asset, AssetUpload
from sortkey_systems.vams.uploads.requests import ZERO_BYTES, NewFile, UploadStart, UploadType

if TYPE_CHECKING:
    from sortkey_systems.vams.service import Vams

log = logging.getLogger("sortkey.vams")

LINK_SECONDS = 86_400
STARTS_PER_MINUTE = 20
WINDOW = timedelta(minutes=1)
LIFE = timedelta(days=7)


class Uploads:
    """The uploads that are in progress. `UploadCompletions` ends them."""

    def __init__(self, service: Vams, starts_per_minute: int = STARTS_PER_MINUTE) -> None:
        self._service, self.starts_per_minute = service, starts_per_minute

    def start(self, caller: Caller, wanted: UploadStart) -> dict[str, Any]:
        """Begin an upload. The answer has a link for every part."""
        asset = self._service.assets.get(caller, wanted.databaseId, wanted.assetId, "POST")
        self._check_rate(caller)
        paths = wanted.paths()
        self.check_paths(asset, wanted.uploadType, paths)
        upload = self._record(caller, wanted, asset)
        objects = self._service.files.place(asset).objects
        files = [
            _begun(objects, upload.upload_id, path, file)
            for path, file in zip(paths, wanted.files, strict=True)
        ]
        return {
            "message": "Upload initialized successfully",
            "uploadId": upload.upload_id,
            "files": files,
        }

    def check_paths(self, asset: Asset, upload_type: UploadType, paths: list[str]) -> None:
        """Refuse files by their names. Raises Invalid."""
        if upload_type == "assetPreview":
            return
        admission, together = self._service.files.admission(asset), set(paths)
        for path in paths:
            admission.check_name(path)
            admission.check_base(path, together)

    def get(self, caller: Caller, upload_id: str, asset: Asset) -> AssetUpload:
        """An upload of this caller for an asset. Raises NotThere and Denied."""
        found = self._service.store.find(
            AssetUpload.key(upload_id=upload_id, asset_id=asset.asset_id), consistent=True
        )
        is_of_asset = found is not None and found.database_id == asset.database_id
        if found is None or not is_of_asset or self._is_over(found):
            raise NotThere("Upload not found: it may have expired")
        if found.user_id != caller.user_id:
            self._service.audit.record(
                "AUTHORIZATION", caller, "denied", f"upload/{upload_id}", is_denied=True
            )
            raise Denied
        return found

    # -- limits

    def _check_rate(self, caller: Caller) -> None:
        """Refuse more starts than a user may make in a minute. Raises TooMany."""
        newest = AssetUpload.of_user(user_id=caller.user_id).descending()
        found = self._service.store.query(newest.limit(self.starts_per_minute).hydrated())
        starts = [each.created_at for each in found]
        now = self._service.now()
        recent = [at for at in starts if at is not None and now - at < WINDOW]
        if len(recent) >= self.starts_per_minute:
            wait = int((min(recent) + WINDOW - now).total_seconds()) + 1
            raise TooMany(
                f"at most {self.starts_per_minute} uploads can be started in a minute", seconds=wait
            )

    def _record(self, caller: Caller, wanted: UploadStart, asset: Asset) -> AssetUpload:
        upload = AssetUpload(
            upload_id=f"y{uuid.uuid4()}",
            asset_id=asset.asset_id,
            database_id=asset.database_id,
            user_id=caller.user_id,
            upload_type=wanted.uploadType,
            file_count=len(wanted.files),
            created_at=self._service.now(),
        )
        return self._service.store.create(upload)

    # -- ends

    def remove_all(self, asset: Asset) -> None:
        """Remove the uploads of an asset with their parts: a step of its permanent delete."""
        query = AssetUpload.of_asset(asset_id=asset.asset_id).hydrated()
        for upload in self._service.store.query(query):
            if upload.database_id == asset.database_id:
                self._remove(upload, asset)

    def remove_expired(self) -> int:
        """Remove the uploads that are older than a week, completed or not. Returns how many."""
        over = [each for each in self._service.store.scan(AssetUpload) if self._is_over(each)]
        for upload in over:
            asset = self._service.assets.find(upload.database_id, upload.asset_id, archived=True)
            self._remove(upload, asset)
        return len(over)

    def _remove(self, upload: AssetUpload, asset: Asset | None) -> None:
        """The record goes last, so that what was interrupted is done again."""
        with suppress(NotThere):  # a bucket that is not known any more has nothing to remove
            if asset is not None:
                _remove_parts(self._service.files.place(asset).objects, upload)
        self._service.store.delete(ItemKey.of_entity(upload))

    def _is_over(self, upload: AssetUpload) -> bool:
        created: datetime | None = upload.created_at
        return created is not None and self._service.now() - created > LIFE


def temporary_prefix(upload_id: str) -> str:
    """Where the bytes of an upload are until it is completed."""
    return f"{TEMPORARY}{upload_id}/"


def temporary_key(upload_id: str, path: str) -> str:
    """The temporary key of a file. A path can be as long as a key, so it is hashed."""
    return temporary_prefix(upload_id) + sha256(path.encode()).hexdigest()


def _remove_parts(objects: Objects, upload: AssetUpload) -> None:
    prefix = temporary_prefix(upload.upload_id)
    for each in objects.uploads(prefix):
        objects.abort_upload(each)
    remove_versions(objects, prefix)


def _begun(objects: Objects, upload_id: str, path: str, file: NewFile) -> dict[str, Any]:
    """A file with the links of its parts. `relativeKey` is exactly as it was sent."""
    answer: dict[str, Any] = {"relativeKey": file.relativeKey, "numParts": file.parts}
    if not file.parts:
        return {**answer, "uploadIdS3": ZERO_BYTES, "partUploadUrls": []}
    begun: ObjectUpload = objects.begin_upload(
        temporary_key(upload_id, path), content_type=content_type_of(path)
    )
    links = [
        {
            "PartNumber": number,
            "UploadUrl": objects.presign_part(begun, number, seconds=LINK_SECONDS),
        }
        for number in range(1, file.parts + 1)
    ]
    return {**answer, "uploadIdS3": begun.upload_id, "partUploadUrls": links}
