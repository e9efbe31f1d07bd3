"""What clients send to start and complete uploads, with the limits of one request."""

from __future__ import annotations

from math import ceil
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from sortkey_systems.vams.failures import Invalid
from sortkey_systems.vams.files.content_types import check_preview_name, check_preview_size
from sortkey_systems.vams.files.paths import file_path, is_preview

FILES_MAX, PARTS_MAX = 1000, 5000
PART_BYTES = 150 << 20
"""Of the parts of a client that does not say how many it sends."""
PART_BYTES_MAX = 5 << 30
FILE_BYTES_MAX = 5 << 40
ZERO_BYTES = "zero-byte"
"""The id of a file without bytes: it has no parts."""

UploadType = Literal["assetFile", "assetPreview"]
Path = Annotated[str, Field(min_length=1, max_length=2048)]
PathId = Annotated[str, Field(min_length=1, max_length=256)]


class NewFile(BaseModel):
    """A file that will be sent."""

    relativeKey: Path
    file_size: Annotated[int, Field(ge=0, le=FILE_BYTES_MAX)] | None = None
    num_parts: Annotated[int, Field(ge=0, le=PARTS_MAX)] | None = None

    @property
    def parts(self) -> int:
        """How many parts it has: none if it is empty."""
        if self.file_size == 0:
            return 0
        return self.num_parts or ceil((self.file_size or 0) / PART_BYTES)


class UploadStart(BaseModel):
    """Files that will be sent for an asset."""

    databaseId: PathId
    assetId: PathId
    uploadType: UploadType
    files: Annotated[list[NewFile], Field(min_length=1, max_length=FILES_MAX)]

    def paths(self) -> list[str]:
        """The paths of the files, if the request is within its limits. Raises Invalid."""
        if sum(file.parts for file in self.files) > PARTS_MAX:
            raise Invalid(f"an upload has at most {PARTS_MAX} parts: split it")
        for file in self.files:
            if file.file_size is None and not file.num_parts:
                raise Invalid(f"{file.relativeKey[:100]!r} needs a file_size or num_parts")
            if file.parts and (file.file_size or 0) / file.parts > PART_BYTES_MAX:
                raise Invalid(f"a part has at most {PART_BYTES_MAX:,} bytes: use more parts")
        paths = distinct_paths(self.uploadType, [file.relativeKey for file in self.files])
        for file, path in zip(self.files, paths, strict=True):
            if self.uploadType == "assetPreview" or is_preview(path):
                check_preview_size(file.file_size or 0)
        return paths


class SentPart(BaseModel):
    """A part that was sent, with the ETag of its answer."""

    PartNumber: Annotated[int, Field(ge=1, le=10_000)]
    ETag: Annotated[str, Field(min_length=1, max_length=256)]


class SentFile(BaseModel):
    """A file whose parts were sent. Without parts it is empty."""

    relativeKey: Path
    uploadIdS3: Annotated[str, Field(max_length=2048)] = ZERO_BYTES
    parts: Annotated[list[SentPart], Field(max_length=PARTS_MAX)] = []


class UploadCompletion(BaseModel):
    """Files that were sent for an asset."""

    databaseId: PathId
    assetId: PathId
    uploadType: UploadType
    files: Annotated[list[SentFile], Field(min_length=1, max_length=FILES_MAX)]

    def paths(self) -> list[str]:
        """The paths of the files. Raises Invalid."""
        return distinct_paths(self.uploadType, [file.relativeKey for file in self.files])


class FileResult(BaseModel):
    """What became of a file."""

    relativeKey: str
    uploadIdS3: str
    success: bool
    error: str | None = None
    largeFileAsynchronousHandling: bool = False

    def answer(self) -> dict[str, Any]:
        """As clients read it."""
        return self.model_dump(exclude_none=True)


def distinct_paths(upload_type: UploadType, keys: list[str]) -> list[str]:
    """The paths that keys name, none of them twice. Raises Invalid."""
    if upload_type == "assetPreview":
        if len(keys) != 1:
            raise Invalid("an upload of an asset's preview has exactly one file")
        check_preview_name(keys[0])
    paths = [file_path(key) for key in keys]
    if len(set(paths)) != len(paths):
        raise Invalid("two files of an upload have the same path: name each once")
    return paths
