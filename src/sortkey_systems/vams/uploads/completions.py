"""Completing uploads: each file is joined from its parts, checked, and copied to its place.

A completion can be repeated after a crash, of the server or of the client: a file that is at its
place carries the id of its upload.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

from sortkey import ObjectPart, ObjectUpload, attr
from sortkey.errors import (
    ConditionFailed,
    ModelError,
    ObjectNotFound,
    StorageFailed,
    StoreError,
    Throttled,
    Unreachable,
)
from sortkey_systems.vams.access.callers import Caller
from sortkey_systems.vams.assets.places import AssetPlace
from sortkey_systems.vams.failures import PREFIX, Failure, Invalid, NotThere
from sortkey_systems.vams.files.content_types import content_type_of
from sortkey_systems.vams.files.entries import history
from sortkey_systems.vams.files.files import remove_versions
from sortkey_systems.vams.files.origins import origin_of
from sortkey_systems.vams.files.paths import is_preview
from sortkey_systems.vams.files.previews import preview_path
from sortkey_systems.vams.model import Asset, AssetUpload
from sortkey_systems.vams.uploads.requests import FileResult, SentFile, UploadCompletion
from sortkey_systems.vams.uploads.uploads import temporary_key

if TYPE_CHECKING:
    from sortkey_systems.vams.service import Vams

TRIES = 3
"""Of a file that several completions bring at the same time."""
VERSIONS_SEEN_MAX = 100
"""Of a file whose upload was completed before."""
_BEGUN = datetime.fromtimestamp(0, UTC)
_PART_BYTES = 5 << 20
"""Clients do not say how large their parts were. S3 checks it itself; a folder takes any."""


@dataclass(frozen=True, slots=True)
class Completed:
    """The answer to a completion, and whether every file of it failed."""

    answer: dict[str, Any]
    has_failed: bool


class UploadCompletions:
    """Ends uploads."""

    def __init__(self, service: Vams) -> None:
        self._service = service

    def complete(self, caller: Caller, upload_id: str, wanted: UploadCompletion) -> Completed:
        """Bring the files of an upload to their places. One that fails does not stop the others."""
        asset = self._service.assets.get(caller, wanted.databaseId, wanted.assetId, "POST")
        upload = self._service.uploads.get(caller, upload_id, asset)
        if upload.upload_type not in (None, wanted.uploadType):
            raise Invalid(f"the upload was started with uploadType {upload.upload_type}")
        paths, work = wanted.paths(), _Work(self._service, caller, asset, upload)
        order = sorted(zip(paths, wanted.files, strict=True), key=_bases_first)
        results = {path: work.result(path, file) for path, file in order}
        arrived = [path for path in paths if results[path].success]
        if new := [path for path in arrived if path in work.new]:
            asset = self._enter(caller, asset, upload, new)
        is_success = len(arrived) == len(paths)
        if is_success:
            self._mark_completed(upload)
        self._record(caller, asset, upload, arrived)
        message = "Upload completed successfully" if is_success else "Some files failed to upload"
        answer = {
            "message": message if arrived else PREFIX + "All files failed to upload",
            "uploadId": upload_id,
            "assetId": asset.asset_id,
            "assetType": asset.asset_type,
            "fileResults": [results[path].answer() for path in paths],
            "overallSuccess": is_success,
            "largeFileAsynchronousHandling": False,
        }
        return Completed(answer, not arrived)

    def _enter(
        self, caller: Caller, asset: Asset, upload: AssetUpload, arrived: list[str]
    ) -> Asset:
        """What follows new files. If the asset was archived meanwhile, so are they."""
        files = [] if upload.upload_type == "assetPreview" else arrived
        try:
            changed = self._service.files.entered(caller, asset, files, "upload")
        except NotThere:
            place = self._service.files.place(asset)
            for path in files:
                if _is_at(place, path, _origin(upload)):
                    place.objects.delete(place.key(path))
            raise
        self._service.changes.asset_changed(caller, changed, "upload")
        return changed

    def _mark_completed(self, upload: AssetUpload) -> None:
        key = AssetUpload.key(upload_id=upload.upload_id, asset_id=upload.asset_id)
        try:
            self._service.store.update(
                key,
                set={"completed_at": self._service.now()},
                when=attr(AssetUpload.database_id).exists(),
            )
        except ConditionFailed:
            return  # removed with its asset meanwhile

    def _record(
        self, caller: Caller, asset: Asset, upload: AssetUpload, arrived: list[str]
    ) -> None:
        self._service.audit.record(
            "FILEUPLOAD",
            caller,
            "file.upload",
            f"asset/{asset.database_id}/{asset.asset_id}",
            uploadId=upload.upload_id,
            paths=arrived[:20],
            count=len(arrived),
        )


class _Work:
    """The files of one upload, one after the other."""

    def __init__(self, service: Vams, caller: Caller, asset: Asset, upload: AssetUpload) -> None:
        self._service, self._caller, self._asset, self._upload = service, caller, asset, upload
        self._admission = service.files.admission(asset)
        self.new: set[str] = set()
        """The paths of files that may not have been announced yet."""

    def result(self, path: str, file: SentFile) -> FileResult:
        """What became of a file that was sent."""
        about = FileResult(relativeKey=file.relativeKey, uploadIdS3=file.uploadIdS3, success=False)
        try:
            self._bring(path, file)
        except Failure as error:
            return about.model_copy(update={"error": str(error).removeprefix(PREFIX)})
        except (Unreachable, Throttled, StorageFailed):
            raise
        except (ModelError, StoreError) as error:
            return about.model_copy(update={"error": _explained(error)})
        return about.model_copy(update={"success": True})

    def _bring(self, path: str, file: SentFile) -> None:
        """Bring a file to its place, unless another completion of the same upload has done so, or
        does so at the same time.
        """
        is_preview_of_asset = self._upload.upload_type == "assetPreview"
        if not is_preview_of_asset:
            self._admission.check_name(path)
            self._admission.check_base(path)
        place, key = self._admission.place, temporary_key(self._upload.upload_id, path)
        target = preview_path(path) if is_preview_of_asset else path
        if self._upload.completed_at and _has_come(place, target, _origin(self._upload)):
            return  # a client repeats what it had no answer to: the file may be another by now
        self.new.add(path)
        for _ in range(TRIES):
            if _is_at(place, target, _origin(self._upload)):
                return
            try:
                if not _land(place, key, path, file):
                    continue
                self._admit(path, key)
            except (ModelError, ObjectNotFound):
                if not _exists(place, key) and not _is_at(place, target, _origin(self._upload)):
                    raise
            else:
                remove_versions(place.objects, key)
                return
        raise NotThere("nothing was sent for this file, or its upload has expired")

    def _admit(self, path: str, key: str) -> None:
        origin = _origin(self._upload)
        if self._upload.upload_type == "assetPreview":
            self._service.previews.admit(self._caller, self._asset, path, key, origin)
        else:
            self._admission.admit(self._caller, path, key, origin)


def _land(place: AssetPlace, key: str, path: str, file: SentFile) -> bool:
    """Join the parts under the temporary key. False if nothing is known of them."""
    if not file.parts:
        place.objects.put(key, b"", content_type=content_type_of(path))
        return True
    parts = sorted(
        (ObjectPart(part.PartNumber, part.ETag.strip('"'), _PART_BYTES) for part in file.parts),
        key=lambda part: part.number,
    )
    try:
        place.objects.complete_upload(ObjectUpload(key, file.uploadIdS3, _BEGUN), parts)
    except ObjectNotFound:
        return _exists(place, key)
    return True


def _origin(upload: AssetUpload) -> str:
    return f"upload:{upload.upload_id}"


def _bases_first(pair: tuple[str, SentFile]) -> tuple[bool, str]:
    """Files before their previews, which need them."""
    return is_preview(pair[0]), pair[0]


def _exists(place: AssetPlace, key: str) -> bool:
    try:
        place.objects.head(key)
    except ObjectNotFound:
        return False
    return True


def _is_at(place: AssetPlace, path: str, origin: str) -> bool:
    """Whether the newest version of a file came by this upload."""
    try:
        return origin_of(place.objects.head(place.key(path))) == origin
    except ObjectNotFound:
        return False


def _has_come(place: AssetPlace, path: str, origin: str) -> bool:
    """Whether one of the latest versions of a file came by this upload."""
    for version in islice(history(place, path), VERSIONS_SEEN_MAX):
        if version.is_marker:
            continue
        with suppress(ObjectNotFound):  # deleted for good just now
            if origin_of(place.objects.head(version.key, version.version_id)) == origin:
                return True
    return False


def _explained(error: ModelError | StoreError) -> str:
    if isinstance(error, ObjectNotFound):
        return "the upload of this file was completed or removed in the meantime"
    return "a part was not sent, is too small, or has another ETag: send the parts again"
