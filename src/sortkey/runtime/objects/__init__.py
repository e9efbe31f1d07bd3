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
"""`archive` is kept cheaper and read slower, or dearer; it is read in the same way."""

_CONTROL = re.compile("[\x00-\x1f\x7f\\\\\ufffe\uffff\U0010ffff]")
_METADATA_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]*")
_METADATA_VALUE = re.compile(r"[\x20-\x7e]*")


@dataclass(frozen=True, slots=True)
class ObjectInfo:
    """One version of an object. `sha256` is None where the store does not know it: of S3's
    multipart uploads.
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
    """What a list tells of an object: its newest version, without metadata."""

    key: str
    size: int
    etag: str
    modified_at: datetime
    tier: Tier


@dataclass(frozen=True, slots=True)
class ObjectPage:
    """Some objects in the order of their keys. Pass `after` on for the next page; None at
    the end.
    """

    objects: tuple[ListedObject, ...]
    after: str | None


@dataclass(frozen=True, slots=True)
class ObjectVersion:
    """One version, or the marker of a delete."""

    key: str
    version_id: str
    size: int
    etag: str
    modified_at: datetime
    tier: Tier
    is_latest: bool
    is_marker: bool


@dataclass(frozen=True, slots=True)
class Upload:
    """An object that comes in parts. Nobody sees it before it is complete."""

    key: str
    upload_id: str
    begun_at: datetime


@dataclass(frozen=True, slots=True)
class Part:
    """One part of an upload, to be named when it is completed. Who sent it through a link has the
    ETag.
    """

    number: int
    etag: str
    size: int


@dataclass(frozen=True, slots=True)
class Lifecycle:
    """What happens with objects of a prefix as they get older. None: nothing.

    An object that expires gets a delete marker; its versions stay until they are old versions for
    long enough.
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
            raise ModelError("a lifecycle rule counts in whole days, from 1")


@dataclass(slots=True)
class LifecycleReport:
    """What a run of the lifecycle has done, by key."""

    expired: list[str] = field(default_factory=list[str])
    archived: list[str] = field(default_factory=list[str])
    removed_versions: list[str] = field(default_factory=list[str])
    aborted_uploads: list[str] = field(default_factory=list[str])


class Objects(Protocol):
    """One bucket. Safe to share between threads; others may use the same bucket at the
    same time.
    """

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
        """Store a new version. Raises PreconditionFailed: with `if_absent` where an object is, with
        `if_match` where its ETag is another. What is deleted is absent."""
        ...

    def open(
        self, key: str, *, version_id: str | None = None, start: int = 0, end: int | None = None
    ) -> ObjectReader:
        """Read a version, or its bytes from `start` to before `end`. Raises ObjectNotFound."""
        ...

    def read(self, key: str, version_id: str | None = None) -> bytes:
        """A whole object in memory. Raises ObjectNotFound, and ObjectCorrupt."""
        ...

    def head(self, key: str, version_id: str | None = None) -> ObjectInfo:
        """What is known of a version. Raises ObjectNotFound."""
        ...

    def delete(self, key: str, version_id: str | None = None) -> None:
        """Hide an object behind a delete marker; or remove one version for good. What is not there
        is fine.
        """
        ...

    def list(
        self, prefix: str = "", *, after: str | None = None, limit: int = PAGE_SIZE
    ) -> ObjectPage:
        """Objects in the order of their keys, without those that are deleted."""
        ...

    def versions(self, prefix: str = "") -> Iterator[ObjectVersion]:
        """Every version and delete marker: by key, the newest first."""
        ...

    def copy(
        self,
        source: str,
        target: str,
        *,
        version_id: str | None = None,
        metadata: Mapping[str, str] | None = None,
    ) -> ObjectInfo:
        """A new version of `target` with the bytes of `source`; its metadata too, unless others are
        given.
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
        """Store a part, from 1 to 10,000. Every part but the last has 5 MB or more. A second one
        replaces the first.
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
        """Make an object of the parts, in their order."""
        ...

    def abort_upload(self, upload: Upload) -> None:
        """Give up an upload with its parts. Doing it twice is fine."""
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
        self, upload: Upload, number: int, *, size: int, seconds: int = LINK_SECONDS
    ) -> str:
        """A URL under which anyone can write one part of an upload."""
        ...

    def set_lifecycle(self, rules: Sequence[Lifecycle]) -> None:
        """Replace the rules."""
        ...

    def lifecycle(self) -> Sequence[Lifecycle]: ...

    def apply_lifecycle(self, now: datetime) -> LifecycleReport:
        """Do what the rules say is due. S3 does it by itself, about once a day, so there this does
        nothing.
        """
        ...

    def close(self) -> None: ...


def check_key(key: str) -> str:
    """The key, if it is one everywhere: also as a path below a folder, from which it must not lead
    out.
    """
    try:
        size = len(key.encode())
    except UnicodeEncodeError:
        raise KeyValueError(f"{key!r} is no key of an object: it is no Unicode text") from None
    if not 1 <= size <= KEY_BYTES_MAX:
        raise KeyValueError(f"an object's key has 1 to {KEY_BYTES_MAX} bytes, not {size}")
    if _CONTROL.search(key):
        raise KeyValueError(
            f"{key!r} is no key of an object: control characters and backslashes are not allowed"
        )
    for segment in key.split("/"):
        if segment in ("", ".", ".."):
            raise KeyValueError(
                f"{key!r} is no key of an object: a part between slashes is empty, . or .."
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
            f"a range is counted from the start of an object: {start} to {end} is none"
        )


def check_part(number: int) -> None:
    if not 1 <= number <= PARTS_MAX:
        raise ModelError(f"parts have the numbers 1 to {PARTS_MAX}, not {number}")


def check_parts(parts: Sequence[Part]) -> None:
    """At least one, in order, none but the last too small: what S3 asks for."""
    numbers = [part.number for part in parts]
    if not parts or numbers != sorted(set(numbers)):
        raise ModelError(
            "an upload is completed with its parts in the order of their numbers, each once"
        )
    for part in parts[:-1]:
        if part.size < PART_BYTES_MIN:
            raise ModelError(
                f"part {part.number} has {part.size:,} bytes: all but the last need "
                f"{PART_BYTES_MIN:,}"
            )


def refuse_existing(key: str) -> PreconditionFailed:
    return PreconditionFailed(f"{key} is there already, and is written once")


def refuse_other(key: str, etag: str) -> PreconditionFailed:
    return PreconditionFailed(
        f"{key} does not have the ETag {etag}: it was written or deleted in between"
    )


def page_of(objects: Iterable[ListedObject], limit: int) -> ObjectPage:
    """A page of what was found, of which one more than the limit was looked for."""
    several = tuple(objects)
    if len(several) <= limit:
        return ObjectPage(several, None)
    return ObjectPage(several[:limit], several[limit - 1].key)


def clean_etag(etag: Any) -> str:
    """An ETag without the quotes that HTTP puts around it."""
    return str(etag).strip('"')
