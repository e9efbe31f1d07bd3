"""Objects: what a versioned bucket can do, whichever store is behind it. Adapters in `connect`: a
folder, and S3.

The rules here are those of S3, so that what works in a folder works there: keys, metadata, sizes of
parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol

from sortkey.errors import KeyValueError, ModelError, PreconditionFailed
from sortkey.runtime.objects.data import Data, ObjectReader
from sortkey.runtime.objects.multipart import Part, Upload

__all__ = [
    "Data",
    "Lifecycle",
    "LifecycleReport",
    "ListedObject",
    "ObjectInfo",
    "ObjectPage",
    "ObjectReader",
    "ObjectVersion",
    "Objects",
    "Part",
    "Upload",
    "check_key",
    "check_metadata",
]

BINARY = "application/octet-stream"
KEY_BYTES_MAX = 1024
METADATA_BYTES_MAX = 2048
PART_BYTES_MIN = 5 << 20
"""Of every part but the last."""
PARTS_MAX = 10_000
PAGE_SIZE = 1000
LINK_SECONDS = 900

Tier = Literal["standard", "archive"]
"""Objects in `archive` are cheaper to store, but slower or more expensive to read."""

_CONTROL = re.compile("[\x00-\x1f\x7f\\\\\ufffe\uffff\U0010ffff]")
_METADATA_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]*")
_METADATA_VALUE = re.compile(r"[\x20-\x7e]*")


@dataclass(frozen=True, slots=True)
class ObjectInfo:
    """One version of an object. `sha256` is None if it is unknown, as for multipart uploads
    to S3.
    """

    key: str
    version_id: str
    size: int
    sha256: str | None
    etag: str
    content_type: str
    metadata: Mapping[str, str]
    modified_at: datetime
    tier: Tier = "standard"
    content_encoding: str | None = None


@dataclass(frozen=True, slots=True)
class ListedObject:
    """An object in a list: its newest version, without metadata."""

    key: str
    size: int
    etag: str
    modified_at: datetime
    tier: Tier


@dataclass(frozen=True, slots=True)
class ObjectPage:
    """Some objects in the order of their keys. Pass `after` for the next page. It is None at the
    end.
    """

    objects: tuple[ListedObject, ...]
    after: str | None


@dataclass(frozen=True, slots=True)
class ObjectVersion:
    """One version of an object, or a delete marker."""

    key: str
    version_id: str
    size: int
    etag: str
    modified_at: datetime
    tier: Tier
    is_latest: bool
    is_marker: bool


@dataclass(frozen=True, slots=True)
class Lifecycle:
    """Rules for old objects with a prefix. None means that nothing is done.

    An expired object gets a delete marker. Its versions stay until `old_versions_after_days`.
    """

    prefix: str = ""
    expire_after_days: int | None = None
    archive_after_days: int | None = None
    old_versions_after_days: int | None = None
    uploads_after_days: int | None = None

    def __post_init__(self) -> None:
        days = (
            self.expire_after_days,
            self.archive_after_days,
            self.old_versions_after_days,
            self.uploads_after_days,
        )
        if all(day is None for day in days):
            raise ModelError("a lifecycle rule needs a number of days for something")
        if any(day is not None and day < 1 for day in days):
            raise ModelError("a lifecycle rule counts in whole days: use 1 or more")


@dataclass(slots=True)
class LifecycleReport:
    """What a run of the lifecycle rules has done, by key."""

    expired: list[str] = field(default_factory=list[str])
    archived: list[str] = field(default_factory=list[str])
    removed_versions: list[str] = field(default_factory=list[str])
    aborted_uploads: list[str] = field(default_factory=list[str])


class Objects(Protocol):
    """One bucket. Threads may share it, and other programs may use the same bucket."""

    @property
    def name(self) -> str: ...

    def put(
        self,
        key: str,
        data: Data,
        *,
        content_type: str = BINARY,
        content_encoding: str | None = None,
        metadata: Mapping[str, str] | None = None,
        if_absent: bool = False,
        if_match: str | None = None,
    ) -> ObjectInfo:
        """Store a new version. Raises PreconditionFailed with `if_absent` if the object exists, and
        with `if_match` if it has another ETag. A deleted object does not exist.
        """
        ...

    def open(
        self, key: str, *, version_id: str | None = None, start: int = 0, end: int | None = None
    ) -> ObjectReader:
        """Read a version, or its bytes from `start` up to but not including `end`. Raises
        ObjectNotFound.
        """
        ...

    def read(self, key: str, version_id: str | None = None) -> bytes:
        """A whole object in memory. Raises ObjectNotFound, and ObjectCorrupt."""
        ...

    def head(self, key: str, version_id: str | None = None) -> ObjectInfo:
        """Describe a version. Raises ObjectNotFound."""
        ...

    def delete(self, key: str, version_id: str | None = None) -> None:
        """Hide an object behind a delete marker, or remove one version for good. Deleting a missing
        object is fine.
        """
        ...

    def list(
        self, prefix: str = "", *, after: str | None = None, limit: int = PAGE_SIZE
    ) -> ObjectPage:
        """Objects in the order of their keys, without deleted ones."""
        ...

    def versions(self, prefix: str = "", *, after: str | None = None) -> Iterator[ObjectVersion]:
        """Every version and delete marker by key, newest first; with `after`, those of later keys
        only.
        """
        ...

    def copy(
        self,
        source: str,
        target: str,
        *,
        version_id: str | None = None,
        metadata: Mapping[str, str] | None = None,
    ) -> ObjectInfo:
        """Copy the bytes of `source` to a new version of `target`, with its metadata unless others
        are passed.
        """
        ...

    def begin_upload(
        self,
        key: str,
        *,
        content_type: str = BINARY,
        content_encoding: str | None = None,
        metadata: Mapping[str, str] | None = None,
    ) -> Upload: ...

    def put_part(self, upload: Upload, number: int, data: Data) -> Part:
        """Store part number 1 to 10,000. Every part but the last needs 5 MB or more. A part with
        the same number is replaced.
        """
        ...

    def complete_upload(
        self,
        upload: Upload,
        parts: Sequence[Part],
        *,
        if_absent: bool = False,
        if_match: str | None = None,
    ) -> ObjectInfo:
        """Create the object from its parts, in their order."""
        ...

    def abort_upload(self, upload: Upload) -> None:
        """Abort an upload and delete its parts. Aborting twice is fine."""
        ...

    def uploads(self, prefix: str = "") -> Sequence[Upload]:
        """Uploads that are neither complete nor aborted."""
        ...

    def presign_get(
        self, key: str, *, version_id: str | None = None, seconds: int = LINK_SECONDS
    ) -> str:
        """A URL under which anyone can read one object for some time."""
        ...

    def presign_put(
        self, key: str, *, size: int, content_type: str = BINARY, seconds: int = LINK_SECONDS
    ) -> str:
        """A URL under which anyone can write one object, of this size and type, for some time."""
        ...

    def presign_part(
        self, upload: Upload, number: int, *, size: int | None = None, seconds: int = LINK_SECONDS
    ) -> str:
        """A URL under which anyone can write one part of an upload. Without `size` it takes what
        S3 takes: up to 5 GB.
        """
        ...

    def set_lifecycle(self, rules: Sequence[Lifecycle]) -> None:
        """Replace the rules."""
        ...

    def lifecycle(self) -> Sequence[Lifecycle]: ...

    def apply_lifecycle(self, now: datetime) -> LifecycleReport:
        """Apply the lifecycle rules. S3 does this itself about once a day, so there it does
        nothing.
        """
        ...

    def close(self) -> None: ...


def check_key(key: str) -> str:
    """The key, if it is valid in every store, also as a path that stays inside its folder."""
    try:
        size = len(key.encode())
    except UnicodeEncodeError:
        raise KeyValueError(
            f"{key!r} is not a valid key of an object: it is not Unicode text"
        ) from None
    if not 1 <= size <= KEY_BYTES_MAX:
        raise KeyValueError(f"an object's key has 1 to {KEY_BYTES_MAX} bytes, not {size}")
    if _CONTROL.search(key):
        raise KeyValueError(
            f"{key!r} is not a valid key of an object: control characters and backslashes are "
            "not allowed"
        )
    for segment in key.split("/"):
        if segment in ("", ".", ".."):
            raise KeyValueError(
                f"{key!r} is not a valid key of an object: a part between slashes is empty, . or .."
            )
    return key


def check_metadata(metadata: Mapping[str, str] | None) -> dict[str, str]:
    """Metadata as they are sent in headers: names in lower case, values in ASCII, 2 KB in all."""
    checked = dict(metadata or {})
    for name, value in checked.items():
        if (
            not _METADATA_NAME.fullmatch(name)
            or not _METADATA_VALUE.fullmatch(value)
            or value != value.strip()
        ):
            raise KeyValueError(
                f"{name!r}: {value!r} cannot be metadata: a name in lower case, a value in ASCII"
            )
    size = sum(len(name) + len(value) for name, value in checked.items())
    if size > METADATA_BYTES_MAX:
        raise KeyValueError(f"metadata of {size} bytes: an object has at most {METADATA_BYTES_MAX}")
    return checked


def check_range(start: int, end: int | None) -> None:
    if start < 0 or (end is not None and end < 0):
        raise ModelError(
            f"{start} to {end} is not a valid range: it must begin at 0 or more, and end after "
            "its start"
        )


def check_part(number: int) -> None:
    if not 1 <= number <= PARTS_MAX:
        raise ModelError(f"parts have the numbers 1 to {PARTS_MAX}, not {number}")


def check_parts(parts: Sequence[Part]) -> None:
    """At least one part, in order, and only the last may be small, as S3 requires."""
    numbers = [part.number for part in parts]
    if not parts or numbers != sorted(set(numbers)):
        raise ModelError(
            "complete an upload with its parts in the order of their numbers, each once"
        )
    for part in parts[:-1]:
        if part.size < PART_BYTES_MIN:
            raise ModelError(
                f"part {part.number} has {part.size:,} bytes: all but the last need "
                f"{PART_BYTES_MIN:,}"
            )


def refuse_existing(key: str) -> PreconditionFailed:
    return PreconditionFailed(f"{key} already exists, and is written once")


def refuse_other(key: str, etag: str) -> PreconditionFailed:
    return PreconditionFailed(
        f"{key} does not have the ETag {etag}: it was written or deleted in between"
    )


def page_of(objects: Iterable[ListedObject], limit: int) -> ObjectPage:
    """A page of objects. The caller looks for one more than the limit."""
    several = tuple(objects)
    if len(several) <= limit:
        return ObjectPage(several, None)
    return ObjectPage(several[:limit], several[limit - 1].key)


def clean_etag(etag: Any) -> str:
    """An ETag without the quotes that HTTP puts around it."""
    return str(etag).strip('"')
