"""The rows of the index of a folder of objects: versions, uploads and their parts."""

from __future__ import annotations

from dataclasses import dataclass

from sortkey.runtime.objects import Tier


@dataclass(frozen=True, slots=True)
class Version:
    """One row: a version, or a delete marker. Its id is also the name of its file."""

    key: str
    id: str
    is_marker: bool
    size: int
    sha256: str
    content_type: str
    content_encoding: str | None
    metadata: str
    modified_ms: int
    tier: Tier = "standard"

    @property
    def etag(self) -> str:
        return etag_of(self.sha256)


@dataclass(frozen=True, slots=True)
class UploadRow:
    id: str
    key: str
    content_type: str
    content_encoding: str | None
    metadata: str
    begun_ms: int


@dataclass(frozen=True, slots=True)
class PartRow:
    upload: str
    number: int
    file: str
    size: int
    sha256: str

    @property
    def etag(self) -> str:
        return etag_of(self.sha256)


def etag_of(sha256: str) -> str:
    """Not MD5, which costs more than writing: an ETag only has to be the same for the
    same bytes.
    """
    return sha256[:32]
