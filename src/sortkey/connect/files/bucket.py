"""The bucket itself: the operations of `Objects` on the index and the files of a folder."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from sortkey.connect.files import expiry
from sortkey.connect.files.data import DataFiles, Draft
from sortkey.connect.files.index import Index
from sortkey.connect.files.rows import PartRow, UploadRow, Version
from sortkey.connect.files.secret import secret_in
from sortkey.errors import ModelError, ObjectCorrupt, ObjectNotFound
from sortkey.runtime.objects import (
    BINARY,
    LINK_SECONDS,
    PAGE_SIZE,
    Lifecycle,
    LifecycleReport,
    ListedObject,
    ObjectInfo,
    ObjectPage,
    ObjectVersion,
    Part,
    Upload,
    check_key,
    check_metadata,
    check_part,
    check_parts,
    check_range,
    links,
    page_of,
)
from sortkey.runtime.objects.data import (
    Data,
    ObjectReader,
    at_most,
    chunks,
    exactly,
)
from sortkey.runtime.objects.watch import ObjectChange


class FileObjects:
    """A bucket in a folder. `url` is where presigned URLs point. The server there calls
    `check_link` and `receive`.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        name: str | None = None,
        url: str = "http://127.0.0.1:8080/objects",
        clock: Callable[[], float] = time.time,
        random_bytes: Callable[[int], bytes] = os.urandom,
    ) -> None:
        self.folder = Path(folder)
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.name = name or self.folder.resolve().name
        self.url = url
        self._clock, self._random_bytes = clock, random_bytes
        self._secret = secret_in(self.folder, random_bytes)
        self._index = Index(self.folder / "bucket.db")
        self._data = DataFiles(self.folder, self._new_id, self._index.knows)
        self._data.recover()
        self._remove(self._index.garbage())

    # -- whole objects

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
        check_key(key)
        about = orjson.dumps(check_metadata(metadata)).decode()
        self._index.check(
            key, if_absent=if_absent, if_match=if_match
        )  # checked again with the row; this fails early
        with self._data.write(chunks(data)) as draft:
            version = self._version(key, draft, content_type, content_encoding, about)
            self._index.add(version, if_absent=if_absent, if_match=if_match)
        return _info(version)

    def open(
        self, key: str, *, version_id: str | None = None, start: int = 0, end: int | None = None
    ) -> ObjectReader:
        check_range(start, end)
        version = self._index.get(check_key(key), version_id)
        source = self._source(version)
        end = version.size if end is None else min(end, version.size)
        if start:
            source.seek(start)
        return ObjectReader(
            _info(version), source, max(0, end - start), whole=start == 0 and end == version.size
        )

    def read(self, key: str, version_id: str | None = None) -> bytes:
        with self.open(key, version_id=version_id) as reader:
            return reader.read()

    def head(self, key: str, version_id: str | None = None) -> ObjectInfo:
        return _info(self._index.get(check_key(key), version_id))

    def delete(self, key: str, version_id: str | None = None) -> None:
        check_key(key)
        if version_id is None:
            self._index.mark_deleted(self._marker(key))
        else:
            self._remove(self._index.remove(key, version_id))

    def copy(
        self,
        source: str,
        target: str,
        *,
        version_id: str | None = None,
        metadata: Mapping[str, str] | None = None,
    ) -> ObjectInfo:
        check_key(target)
        old = self._index.get(check_key(source), version_id)
        about = (
            old.metadata if metadata is None else orjson.dumps(check_metadata(metadata)).decode()
        )
        # A file that is missing was deleted meanwhile: `open` tells it from one that is lost.
        with (
            suppress(FileNotFoundError),
            self._data.linked(old.id, old.size, old.sha256) as draft,
        ):
            if draft is not None:
                version = self._version(
                    target, draft, old.content_type, old.content_encoding, about
                )
                self._index.add(version)
                return _info(version)
        with self.open(source, version_id=old.id) as reader:
            return self.put(
                target,
                reader,
                content_type=old.content_type,
                content_encoding=old.content_encoding,
                metadata=orjson.loads(about),
            )

    # -- lists

    def list(
        self, prefix: str = "", *, after: str | None = None, limit: int = PAGE_SIZE
    ) -> ObjectPage:
        versions = self._index.page(prefix, after, _limit(limit) + 1)
        return page_of(
            (
                ListedObject(v.key, v.size, v.etag, _instant(v.modified_ms), v.tier)
                for v in versions
            ),
            limit,
        )

    def versions(self, prefix: str = "", *, after: str | None = None) -> Iterator[ObjectVersion]:
        place: tuple[str, int] | None = (after or "", 0)
        while place is not None:
            rows = self._index.history(prefix, place, PAGE_SIZE)
            for _, is_latest, v in rows:
                yield _listed(v, is_latest)
            place = (rows[-1][2].key, rows[-1][0]) if rows else None

    def changes(self, after: int = 0, limit: int = PAGE_SIZE) -> Sequence[ObjectChange]:
        rows = self._index.since(after, _limit(limit))
        return [ObjectChange(seq, _listed(v, is_latest)) for seq, is_latest, v in rows]

    # -- uploads in parts

    def begin_upload(
        self,
        key: str,
        *,
        content_type: str = BINARY,
        content_encoding: str | None = None,
        metadata: Mapping[str, str] | None = None,
    ) -> Upload:
        about = orjson.dumps(check_metadata(metadata)).decode()
        row = UploadRow(
            self._new_id(), check_key(key), content_type, content_encoding, about, self._now_ms()
        )
        self._index.begin(row)
        return Upload(key, row.id, _instant(row.begun_ms))

    def put_part(self, upload: Upload, number: int, data: Data) -> Part:
        check_part(number)
        self._index.upload(upload.upload_id, upload.key)
        with self._data.write(chunks(data)) as draft:
            row = PartRow(upload.upload_id, number, draft.name, draft.size, draft.sha256)
            replaced = self._index.add_part(upload.key, row)
        self._remove(replaced)
        return Part(number, row.etag, row.size)

    def complete_upload(
        self,
        upload: Upload,
        parts: Sequence[Part],
        *,
        if_absent: bool = False,
        if_match: str | None = None,
    ) -> ObjectInfo:
        check_parts(parts)
        row = self._index.upload(upload.upload_id, upload.key)
        stored_parts = self._index.parts(row.id)
        for part in parts:
            if part.number not in stored_parts or stored_parts[part.number].etag != part.etag:
                raise ModelError(
                    f"part {part.number} of {upload.key} was never stored, or was replaced by "
                    "another"
                )
        self._index.check(row.key, if_absent=if_absent, if_match=if_match)
        rows = [stored_parts[part.number] for part in parts]
        files = [Draft(part.file, part.size, part.sha256) for part in rows]
        try:
            with self._data.joined(files) as draft:
                version = self._version(
                    row.key, draft, row.content_type, row.content_encoding, row.metadata
                )
                used = self._index.complete(row, version, if_absent=if_absent, if_match=if_match)
        except FileNotFoundError:
            raise ObjectNotFound(
                f"the upload of {upload.key} was completed or aborted in the meantime"
            ) from None
        self._remove(used)
        return _info(version)

    def abort_upload(self, upload: Upload) -> None:
        self._remove(self._index.abort(upload.upload_id))

    def uploads(self, prefix: str = "") -> Sequence[Upload]:
        return [
            Upload(row.key, row.id, _instant(row.begun_ms)) for row in self._index.uploads(prefix)
        ]

    # -- links

    def presign_get(
        self, key: str, *, version_id: str | None = None, seconds: int = LINK_SECONDS
    ) -> str:
        return self._link("GET", key, seconds, version_id=version_id or "")

    def presign_put(
        self, key: str, *, size: int, content_type: str = BINARY, seconds: int = LINK_SECONDS
    ) -> str:
        return self._link("PUT", key, seconds, size=size, content_type=content_type)

    def presign_part(
        self, upload: Upload, number: int, *, size: int | None = None, seconds: int = LINK_SECONDS
    ) -> str:
        check_part(number)
        self._index.upload(upload.upload_id, upload.key)
        return self._link(
            "PUT", upload.key, seconds, size=size, upload_id=upload.upload_id, part=number
        )

    def check_link(
        self,
        method: str,
        key: str,
        query: Mapping[str, str],
        *,
        size: int | None = None,
        content_type: str = "",
    ) -> links.Link:
        """What a request with a presigned URL may do. A server calls this before anything else.
        Raises LinkRefused.
        """
        now = self._clock()
        return links.check(
            self._secret,
            method,
            self.name,
            key,
            query,
            now=now,
            size=size,
            content_type=content_type,
        )

    def receive(self, link: links.Link, data: Data) -> ObjectInfo | Part:
        """Store the body of a request whose link was checked, if it has the link's size."""
        if link.method != "PUT" or (link.size is None and link.part is None):
            raise ModelError("this link is for reading")
        pieces: Any = (
            at_most(chunks(data), links.PART_BYTES_MAX)
            if link.size is None
            else exactly(chunks(data), link.size)
        )
        if link.part is None:
            return self.put(link.key, pieces, content_type=link.content_type)
        return self.put_part(Upload(link.key, link.upload_id, _instant(0)), link.part, pieces)

    # -- the lifecycle

    def set_lifecycle(self, rules: Sequence[Lifecycle]) -> None:
        self._index.set("lifecycle", expiry.dumped(rules))

    def lifecycle(self) -> Sequence[Lifecycle]:
        return expiry.load_rules(self._index.setting("lifecycle"))

    def apply_lifecycle(self, now: datetime) -> LifecycleReport:
        return expiry.apply(self._index, self.lifecycle(), now, self._marker, self._remove)

    def close(self) -> None:
        self._index.close()

    def __enter__(self) -> FileObjects:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    # -- pieces

    def _version(
        self, key: str, draft: Draft, content_type: str, encoding: str | None, metadata: str
    ) -> Version:
        now = self._now_ms()
        return Version(
            key, draft.name, False, draft.size, draft.sha256, content_type, encoding, metadata, now
        )

    def _marker(self, key: str) -> Version:
        return Version(key, self._new_id(), True, 0, "", "", None, "{}", self._now_ms())

    def _source(self, version: Version) -> Any:
        try:
            return self._data.open(version.id)
        except FileNotFoundError as error:
            self._index.get(version.key, version.id)  # deleted in between: ObjectNotFound
            raise ObjectCorrupt(
                f"{version.key} has lost its bytes: {error}. Restore the folder from a backup"
            ) from None

    def _remove(self, files: Sequence[str]) -> None:
        if files:
            self._data.remove(files)
            self._index.forget(files)

    def _link(self, method: links.Method, key: str, seconds: int, **bound: Any) -> str:
        link = links.Link(
            method, self.name, check_key(key), links.expiry(self._clock(), seconds), **bound
        )
        return links.url(self.url, link, self._secret)

    def _new_id(self) -> str:
        return self._random_bytes(16).hex()

    def _now_ms(self) -> int:
        return int(self._clock() * 1000)


def _info(version: Version) -> ObjectInfo:
    return ObjectInfo(
        version.key,
        version.id,
        version.size,
        version.sha256,
        version.etag,
        version.content_type,
        orjson.loads(version.metadata),
        _instant(version.modified_ms),
        version.tier,
        version.content_encoding,
    )


def _listed(v: Version, is_latest: bool) -> ObjectVersion:
    modified = _instant(v.modified_ms)
    return ObjectVersion(v.key, v.id, v.size, v.etag, modified, v.tier, is_latest, v.is_marker)


def _instant(ms: int) -> datetime:
    return datetime.fromtimestamp(ms / 1000, UTC)


def _limit(limit: int) -> int:
    if not 1 <= limit <= PAGE_SIZE:
        raise ModelError(f"a page has 1 to {PAGE_SIZE} objects, not {limit}")
    return limit
